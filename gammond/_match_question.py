"""The question of both clients for the analysis of a match.

*Source:* docs/reference/protocol.md, "A match".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gammond._options import DecisionRollouts
from gammond._questions import get_results
from gammond.match_file import Match, wrap_match, write_match

if TYPE_CHECKING:
    from engine.match_files.model import ActionNotes
    from engine.rules.game_record import GameAction
    from engine.rules.game_replay import GameSituation


class MatchQuestion:
    """A JSON query for the analysis of a match.

    Attributes:
        fields: All but its id.
    """

    def __init__(
        self,
        match: Match,
        plies: int,
        *,
        deeper: int = 0,
        move_filter: str = "normal",
        rollout: DecisionRollouts | None = None,
    ) -> None:
        record = match._to_record(is_for_analysis=True)
        games = tuple(replace(game, notes={}, comment="") for game in record.games)
        self._record = record
        self.fields = {
            "match_text": write_match(replace(record, games=games, comment="", headers={}), "sgf").decode(),
            "want": ["analyse"],
            "plies": plies,
            "deeper": deeper,
            "filter": move_filter,
            "rollout": None if rollout is None else _rename_options(rollout),
            "progress_every": 1,
        }

    def parse(self, answer: Mapping[str, Any]) -> Match:
        """Return the match with the analysis of an answer.

        Raises:
            ServerError: The server refused it.
            CancelledWork: It was stopped.
        """
        from engine.match_analysis.analysed_match import AnalysedMatch, find_table
        from engine.match_analysis.notes import add_notes, keep_comments
        from engine.match_files.model import ActionNotes

        (result,) = get_results(answer)
        replayed = [list(game.replay()) for game in self._record.games]
        found = [
            (row["game"] - 1, row["action"] - 1, ActionNotes(luck=row["luck"])) for row in result["rolls"]
        ]
        for row in (*result["decisions"], *result["resignations"]):
            game, place = row["game"] - 1, row["action"] - 1
            is_play = "candidates" in row
            notes = _make_play_notes(row, *replayed[game][place]) if is_play else _make_cube_notes(row)
            found.append((game, place, notes))
        record = add_notes(keep_comments(self._record), found)
        analysed = AnalysedMatch("", record, result["method"], find_table(record.rules.rules))
        return wrap_match(analysed.marked_match, result["method"])


def _rename_options(rollout: DecisionRollouts) -> dict[str, object]:
    """Return options of rollouts by the names of the protocol."""
    names = {"truncation": "truncate", "variance_reduction": "vr"}
    return {names.get(name, name): value for name, value in rollout.items()}


def _make_play_notes(row: Mapping[str, Any], situation: GameSituation, action: GameAction) -> ActionNotes:
    """Make the notes on the plays of a roll, which was played or is out before a resignation."""
    from engine.match_files.model import ActionNotes, RecordedCandidate, RecordedEvaluation
    from engine.rules.game_record import PlayAction
    from engine.rules.moves import legal_plays
    from engine.rules.notation import format_play

    roll = action.roll if isinstance(action, PlayAction) else situation.match.roll
    assert roll is not None
    plays = {format_play(play): play for play in legal_plays(situation.position, roll)}
    candidates = tuple(
        RecordedCandidate(
            plays[each["play"]],
            RecordedEvaluation(
                *(each["equity"], _make_outcome(each), each["depth"]), each.get("se"), each.get("trials", 0)
            ),
        )
        for each in row["candidates"]
    )
    return ActionNotes(candidates=candidates)


def _make_cube_notes(row: Mapping[str, Any]) -> ActionNotes:
    from engine.match_files.model import ActionNotes, RecordedCubeDecision, RecordedEvaluation

    held, taken = (
        RecordedEvaluation(
            *(row[name], _make_outcome(row), row["depth"]), row.get(f"{name}_se"), row.get("trials", 0)
        )
        for name in ("no_double", "double_take")
    )
    return ActionNotes(cube=RecordedCubeDecision(held.equity, taken.equity, row["double_pass"], held, taken))


def _make_outcome(row: Mapping[str, Any]) -> tuple[float, float, float, float, float]:
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = row["outcome"]
    return win, win_gammon, win_backgammon, lose_gammon, lose_backgammon
