"""What an analysed match knows of the decision that is shown, as a hint that marks what was done."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gammond.engine.evaluation.results import CubeDecision, Evaluation, RankedPlay, is_on_scale
from gammond.engine.match_analysis.decision_errors import classify_loss
from gammond.engine.match_files.model import NO_NOTES, split_by_depth
from gammond.engine.rules.cube_actions import name_cube_action
from gammond.engine.rules.game_record import DoubleAction, PlayAction, ResponseAction
from gammond.engine.rules.notation import format_play
from gammond.engine.rules.outcome import invert_outcomes
from gammond.engine.wording import format_count
from gammond.protocol.repl.answers.replies import PreformattedLine
from gammond.protocol.repl.answers.tables import (
    describe_chances,
    find_loss_size,
    format_behind,
    format_chances,
    format_chances_header,
    format_chances_row,
    format_choices,
    format_points,
)
from gammond.protocol.repl.records.open_record import OpenRecord

_ADVICE = "'hint plies=N' searches anew"


def format_kept_hint(record: OpenRecord, count: int) -> list[str]:
    """Lay out what is known of the decision at the shown place; nothing if nothing is.

    Args:
        record: The match.
        count: How many plays to show; the one that was made comes behind them if it is further down.
    """
    place, action = record.place, record.find_step().action
    notes = record.match.games[place.game].notes.get(place.action, NO_NOTES)
    if isinstance(action, PlayAction) and place.is_rolled:
        return _format_candidates(record, action, notes.candidates, count) if notes.candidates else []
    is_beavered = record.find_step().situation.match.beavered
    if (
        notes.cube is not None
        and not is_beavered
        and isinstance(action, PlayAction | DoubleAction | ResponseAction)
    ):
        is_response = isinstance(action, ResponseAction)
        return [
            *(_format_response(record, notes.cube) if is_response else _format_cube(record, notes.cube)),
            *_format_chosen(record),
            *_format_source(record, notes.cube, for_opponent=is_response),
        ]
    return []


def _format_candidates(
    record: OpenRecord, action: PlayAction, candidates: tuple[RankedPlay, ...], count: int
) -> list[str]:
    compared, others, others_name = split_by_depth(candidates)
    made = action.play.result
    shown = [
        (str(rank), each)
        for rank, each in enumerate(compared, 1)
        if rank <= count or each.play.result == made
    ]
    rest = [each for each in others if each.play.result == made or len(shown) < count]
    source = record.describe_depth(record.place.game, candidates[0].evaluation.depth)
    total, worth = len(shown) + len(rest), _find_worth(record)
    number = "" if total == len(candidates) else f"{total} of "
    breach = [] if action.is_legal else [f"    {format_play(action.play, is_legal=False)} was played"]
    return [
        *format_chances_header(f"{'':2}{'equity':>7}{'behind':>7}"),
        *(_format_row(rank, each, compared[0], action, worth) for rank, each in shown),
        *([f"    {others_name}:"] if rest else []),
        *(_format_row("", each, None, action, worth) for each in rest),
        *breach,
        f"    {number}{format_count(len(candidates), 'play')} by the analysis{source}; {_ADVICE}",
    ]


def _find_worth(record: OpenRecord) -> float | None:
    """Return the match-winning chance that a point is worth at the shown place; None in money play."""
    return record.analysed_match.table.mwc_per_point(record.find_step().situation.match)


def _format_row(
    rank: str,
    candidate: RankedPlay,
    best: RankedPlay | None,
    action: PlayAction,
    worth: float | None,
) -> PreformattedLine:
    """Lay out a play: beside the best one, or where it does not compare with that with its depth."""
    evaluation = candidate.evaluation
    loss, is_points = 0.0 if best is None else best.evaluation.equity - evaluation.equity, True
    if worth is not None and not is_on_scale(loss, worth):
        loss, is_points = loss * worth, False
    behind = "" if candidate is best or best is None else format_behind(-loss, is_points=is_points)
    remarks = ["played"] if candidate.play.result == action.play.result else []
    remarks += [evaluation.depth] if best is None else []
    said = f"{format_play(candidate.play)} ({', '.join(remarks)})" if remarks else format_play(candidate.play)
    equity = evaluation.equity if is_on_scale(evaluation.equity, worth) else None
    left = f"{rank:>2}{format_points(equity):>7}{behind:>7}"
    mark = classify_loss(find_loss_size(loss, is_points=is_points))
    return format_chances_row(rank, left, format_chances(evaluation.outcome), said, mark)


def _format_cube(record: OpenRecord, cube: CubeDecision) -> list[PreformattedLine]:
    """Lay out what doubling or not is worth to the side on roll."""
    match = record.find_step().situation.match
    names = (name_cube_action(name, match) for name in ("no double", "double, take", "double, pass"))
    best = max(cube.no_double.equity, cube.double)
    return _format_choices(record, dict(zip(names, cube.equities, strict=True)), best)


def _format_response(record: OpenRecord, cube: CubeDecision) -> list[PreformattedLine]:
    """Lay out what a take and a pass are worth to the side that answers."""
    _, taken, passed = cube.equities
    return _format_choices(record, {"take": -taken, "pass": -passed}, max(-taken, -passed))


def _format_choices(record: OpenRecord, choices: dict[str, float], best: float) -> list[PreformattedLine]:
    """Lay out choices by their equities, in a match whose points have no scale by their chances."""
    match, table = record.find_step().situation.match, record.analysed_match.table
    values = {name: Evaluation(equity) for name, equity in choices.items()}
    if not all(is_on_scale(equity, _find_worth(record)) for equity in choices.values()):
        even, stake = table.equity_scale(match, match.to_act)
        values = {
            name: Evaluation(equity, mwc=even + stake * equity, mwc_per_point=0.0)
            for name, equity in choices.items()
        }
    return format_choices(values, next(each for each in values.values() if each.equity == best))


def _format_chosen(record: OpenRecord) -> list[str]:
    return [
        f"    {each.chosen_name} was done; best: {each.best_name}"
        for each in record.find_decisions(record.place)
        if not each.roll
    ]


def _format_source(record: OpenRecord, cube: CubeDecision, *, for_opponent: bool) -> list[str]:
    """Write the chances without a double, and what they come from.

    Args:
        record: The match.
        cube: The decision.
        for_opponent: Whether they are those of the side that is doubled.
    """
    evaluation = cube.no_double
    outcome: Sequence[float] | None = evaluation.outcome
    if outcome is not None and for_opponent:
        outcome = invert_outcomes(np.array([outcome]))[0].tolist()
    source = record.describe_depth(record.place.game, evaluation.depth)
    return [*describe_chances(outcome), f"    by the analysis{source}; {_ADVICE}"]
