"""The question of both clients for the analysis of a match.

*Source:* docs/reference/json-queries.md, "A match".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gammond.api._options import DecisionRollouts
from gammond.api._questions import Question, get_results, rename_rollout_options
from gammond.api.match_file import Match, wrap_match, write_match

if TYPE_CHECKING:
    from gammond.engine.match_files.model import ActionNotes, RecordedMatch, ReplayedAction


def ask_analysis(
    match: Match,
    plies: int,
    *,
    deeper: int = 0,
    move_filter: str = "normal",
    rollout: DecisionRollouts | None = None,
) -> Question[Match]:
    """Return the question for the analysis of a match, which is sent without comments."""
    record = match._to_record(is_for_analysis=True)
    games = tuple(replace(game, notes={}, comment="") for game in record.games)
    fields = {
        "match_text": write_match(replace(record, games=games, comment="", headers={}), "sgf").decode(),
        "want": ["analyse"],
        "plies": plies,
        "deeper": deeper,
        "filter": move_filter,
        "rollout": None if rollout is None else rename_rollout_options(rollout),
        "progress_every": 1,
    }
    return Question.of_fields(fields, lambda answer: _parse_analysis(answer, record))


def _parse_analysis(answer: Mapping[str, Any], record: RecordedMatch) -> Match:
    """Return the match with the analysis of an answer.

    Raises:
        ServerError: The server refused it.
        CancelledWork: It was stopped.
    """
    from gammond.engine.match_analysis.analysed_match import AnalysedMatch, find_table
    from gammond.engine.match_analysis.notes import add_notes, keep_comments
    from gammond.engine.match_files.model import ActionNotes

    (result,) = get_results(answer)
    found = [(row["game"] - 1, row["action"] - 1, ActionNotes(luck=row["luck"])) for row in result["rolls"]]
    for row in (*result["decisions"], *result["resignations"]):
        game, place = row["game"] - 1, row["action"] - 1
        replayed = record.games[game].replayed[place]
        notes = _make_play_notes(row, replayed) if "candidates" in row else _make_cube_notes(row)
        found.append((game, place, notes))
    analysed = add_notes(keep_comments(record), found)
    method = result["method"]
    marked = AnalysedMatch("", analysed, method, find_table(record.rules.rules)).marked_match
    return wrap_match(marked, method)


def _make_play_notes(row: Mapping[str, Any], replayed: ReplayedAction) -> ActionNotes:
    """Make the notes on the plays of a roll, which was played or is out before a resignation."""
    from gammond.engine.evaluation.results import Evaluation, RankedPlay
    from gammond.engine.match_files.model import ActionNotes
    from gammond.engine.rules.game_record import PlayAction
    from gammond.engine.rules.moves import legal_plays
    from gammond.engine.rules.notation import format_play
    from gammond.engine.rules.outcome import Outcome

    situation, action, _ = replayed
    roll = action.roll if isinstance(action, PlayAction) else situation.match.roll
    assert roll is not None
    plays = {format_play(play): play for play in legal_plays(situation.position, roll)}
    candidates = tuple(
        RankedPlay(
            plays[each["play"]],
            Evaluation(
                *(each["equity"], Outcome(*each["outcome"]), each["depth"]),
                each.get("se"),
                each.get("trials", 0),
            ),
        )
        for each in row["candidates"]
    )
    return ActionNotes(candidates=candidates)


def _make_cube_notes(row: Mapping[str, Any]) -> ActionNotes:
    from gammond.engine.evaluation.results import CubeDecision, Evaluation
    from gammond.engine.match_files.model import ActionNotes
    from gammond.engine.rules.outcome import Outcome

    held, taken = (
        Evaluation(
            *(row[name], Outcome(*row["outcome"]), row["depth"]), row.get(f"{name}_se"), row.get("trials", 0)
        )
        for name in ("no_double", "double_take")
    )
    return ActionNotes(cube=CubeDecision.of_choices(held, taken, Evaluation(row["double_pass"])))
