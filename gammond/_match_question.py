"""The question of both clients for the analysis of a match.

*Source:* docs/reference/protocol.md, "A match".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gammond.errors import CancelledWork, ServerError
from gammond.match_file import Match, wrap_match

if TYPE_CHECKING:
    from engine.match_files.model import RecordedCandidate, RecordedGame


class MatchQuestion:
    """A JSON query for the analysis of a match.

    Attributes:
        fields: All but its id.
    """

    def __init__(self, match: Match, plies: int, deeper: int, move_filter: str) -> None:
        from engine.match_files.sgf.writer import format_sgf

        record = match._record
        games = tuple(replace(game, notes={}, comment="") for game in record.games)
        self._record = record
        self.fields = {
            "match_text": format_sgf(replace(record, games=games, comment="", headers={})),
            "want": ["analyse"],
            "plies": plies,
            "deeper": deeper,
            "filter": move_filter,
            "progress_every": 1,
        }

    def parse(self, answer: Mapping[str, Any]) -> Match:
        """Return the match with the analysis of an answer.

        Raises:
            ServerError: The server refused it.
            CancelledWork: It was stopped.
        """
        from engine.cubeful.match_equity import load_default_table
        from engine.match_analysis.analysed_match import AnalysedMatch

        if "error" in answer:
            error = answer["error"]
            raise ServerError(error["code"], error["message"], error.get("field"))
        if answer.get("stopped"):
            raise CancelledWork("the analysis was cancelled")
        (result,) = answer["results"]
        games = [_Notes(game) for game in self._record.games]
        for row in (*result["decisions"], *result["resignations"]):
            games[row["game"] - 1].add_opinion(row)
        for row in result["rolls"]:
            games[row["game"] - 1].add_luck(row)
        judged = replace(self._record, games=tuple(each.make_game() for each in games))
        analysed = AnalysedMatch("", judged, result["method"], load_default_table())
        return wrap_match(analysed.marked_match, result["method"])


class _Notes:
    """Collects the notes of a game; comments stay."""

    def __init__(self, game: RecordedGame) -> None:
        from engine.match_files.model import NO_NOTES

        self._game, self._none = game, NO_NOTES
        self._notes = {
            place: replace(NO_NOTES, comment=notes.comment)
            for place, notes in game.notes.items()
            if notes.comment
        }
        self._replayed = list(game.replay())

    def make_game(self) -> RecordedGame:
        """Return the game with its notes."""
        return replace(self._game, notes=dict(sorted(self._notes.items())))

    def add_luck(self, row: Mapping[str, Any]) -> None:
        """Add the luck of a roll."""
        self._change(row, luck=row["luck"])

    def add_opinion(self, row: Mapping[str, Any]) -> None:
        """Add what was judged about a play, the cube or a resignation."""
        from engine.match_files.model import RecordedCubeDecision, RecordedEvaluation

        if "candidates" in row:
            self._change(row, candidates=self._make_candidates(row))
            return
        held, taken = (
            RecordedEvaluation(row[name], _make_outcome(row), row["depth"])
            for name in ("no_double", "double_take")
        )
        cube = RecordedCubeDecision(held.equity, taken.equity, row["double_pass"], held, taken)
        self._change(row, cube=cube)

    def _change(self, row: Mapping[str, Any], **notes: Any) -> None:  # noqa: ANN401  (values of fields)
        place: int = row["action"] - 1
        self._notes[place] = replace(self._notes.get(place, self._none), **notes)

    def _make_candidates(self, row: Mapping[str, Any]) -> tuple[RecordedCandidate, ...]:
        from engine.match_files.model import RecordedCandidate, RecordedEvaluation
        from engine.rules.moves import legal_plays
        from engine.rules.notation import format_play

        situation, action = self._replayed[row["action"] - 1]
        roll = situation.match.roll or action.roll
        plays = {format_play(play): play for play in legal_plays(situation.position, roll)}
        return tuple(
            RecordedCandidate(
                plays[each["play"]], RecordedEvaluation(each["equity"], _make_outcome(each), each["depth"])
            )
            for each in row["candidates"]
        )


def _make_outcome(row: Mapping[str, Any]) -> tuple[float, float, float, float, float]:
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = row["outcome"]
    return win, win_gammon, win_backgammon, lose_gammon, lose_backgammon
