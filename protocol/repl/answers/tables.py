"""Tables of evaluations, at most 80 columns wide: ranked plays, cube decisions, the score matrix."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gammond.engine.analysis.rollout_requests import RolloutResult
from gammond.engine.evaluation.results import (
    CubeDecision,
    CubeResponse,
    Effort,
    Evaluation,
    MeanEquity,
    RankedPlay,
    is_on_scale,
)
from gammond.engine.match_analysis.decision_errors import classify_loss
from gammond.engine.match_analysis.statistics import NO_SCALE
from gammond.engine.rollout import CubeRollout
from gammond.engine.rollout.stop_rules import REASONS
from gammond.engine.rules.notation import format_play
from gammond.engine.wording import format_count
from gammond.protocol.commands.cube import format_action
from gammond.protocol.core.requests import ReplyValue
from gammond.protocol.questions.plays import PlayerOpinion
from gammond.protocol.questions.positions import CubeAnswer, Resignation
from gammond.protocol.repl.answers.replies import Mark, MarkedLine, PreformattedLine
from gammond.protocol.state.offers import RESPONSE_WORDS

TABLE_WIDTH = 80
"""Columns that all tables fit into."""

_CHANCE_WIDTHS = (6, 5, 5, 6, 5)

UNSCALED_SIGN = "n/a"
"""What stands in place of an equity where points have no scale."""

UNSCALED_NOTE = f"{UNSCALED_SIGN}: {NO_SCALE}, where a point is worth almost nothing of the match"
"""What it means."""

_EQUITY_WIDTH = 7
_NUMBER_WIDTH = 10

_CHOICE_WIDTH = 14
_MATRIX_LEGEND = "N no {double}, D {double}/take, P {double}/pass, T too good, - no doubling"


def format_points(value: float | None) -> str:
    """Write an equity, in points, or None for one on no scale; what rounds to nothing has no minus."""
    return UNSCALED_SIGN if value is None else f"{round(value, 3) + 0.0:+.3f}"


def find_difference(one: Evaluation, other: Evaluation) -> tuple[float, bool]:
    """Return by how much a choice is better than another, by what choices are ranked by.

    Returns:
        The difference, and whether it is in points; else, where one of them is on no scale, in chances.
    """
    first, second = _find_equity(one), _find_equity(other)
    if first is not None and second is not None:
        return first - second, True
    return _find_chance(one) - _find_chance(other), False


def _find_chance(evaluation: Evaluation) -> float:
    assert evaluation.mwc is not None  # only in a match an equity is on no scale
    return evaluation.mwc


def format_loss(loss: float, *, is_points: bool = True) -> str:
    """Write what a decision lost: in points, or in percent of the match where these have no scale."""
    return f"{round(loss, 3) + 0.0:.3f}" if is_points else f"{round(100 * loss, 2) + 0.0:.2f} % MWC"


def format_behind(difference: float, *, is_points: bool = True) -> str:
    """Write by how much a choice is better, in columns: in points, or in percent of the match."""
    return format_points(difference) if is_points else f"{round(100 * difference, 2) + 0.0:+.2f}%"


def find_loss_size(loss: float, *, is_points: bool = True) -> float:
    """Return the size of a loss as `classify_loss` takes it: at double match point where it is in chances."""
    return loss if is_points else 2.0 * loss


def _note_unscaled(evaluations: Iterable[Evaluation | None]) -> list[str]:
    """Return what the sign for equities on no scale means, if there are any."""
    is_unscaled = any(each is not None and each.is_cubeful and not each.is_scaled for each in evaluations)
    return [f"    {UNSCALED_NOTE}"] if is_unscaled else []


def _find_equity(evaluation: Evaluation) -> float | None:
    """Return the equity by which choices are ranked; None where it is on no scale."""
    return evaluation.points if evaluation.is_cubeful else evaluation.cubeless_equity


def _name_measure(evaluation: Evaluation) -> str:
    return "cubeful equity" if evaluation.is_cubeful else "cubeless money equity"


def format_percent(value: float, decimals: int = 1) -> str:
    """Write a probability in percent."""
    return f"{100 * value:.{decimals}f}"


def _format_mwc(evaluation: Evaluation, width: int = 7) -> str:
    """Write the match-winning chance in percent, in a column; nothing in money play."""
    return "" if evaluation.mwc is None else f"{format_percent(evaluation.mwc, 2):>{width}}"


def describe_source(effort: Effort | None, net: str) -> str:
    """Describe depth and net of an evaluation: ``2-ply, net strong``."""
    assert effort is not None  # a search says what it took
    stopped = "" if effort.is_finished else ", stopped early"
    stored = ", as kept before" if effort.is_stored else ""
    return f"{effort.plies}-ply{stopped}{stored}, net {net}"


def format_source(effort: Effort | None, net: str) -> str:
    """Write the last line of an evaluation: depth and net."""
    return f"    at {describe_source(effort, net)}"


def format_plays(
    plays: Sequence[RankedPlay], effort: Effort, net: str, *, count: int, searched: int
) -> list[str]:
    """Lay out ranked plays.

    Args:
        plays: Those to be shown, best first.
        effort: What the search took; its plies are those of the plays that were searched.
        net: The evaluator.
        count: How many plays the roll has.
        searched: How many of them compare, since they were searched that deep.

    Returns:
        A table: rank, plies, in a match MWC, equity, loss against the best one, chances in percent, play;
        then what the numbers are, and how many plays have none of that depth.
    """
    best = plays[0].evaluation
    shown = "" if len(plays) == count else f"{len(plays)} of "
    mwc = "" if best.mwc is None else f"{'mwc %':>7}"
    beyond = f"    not searched at {effort.plies}-ply: {format_count(count - searched, 'play')}"
    return [
        *format_chances_header(f"{'':2}{'ply':>4}{mwc}{'equity':>7}{'behind':>7}"),
        *(_format_play_row(rank, each, best) for rank, each in enumerate(plays, 1)),
        f"    {shown}{format_count(count, 'play')} at {describe_source(effort, net)}; {_name_measure(best)}",
        *_note_unscaled(each.evaluation for each in plays),
        *([beyond] if searched < count else []),
    ]


def _format_play_row(rank: int, play: RankedPlay, best: Evaluation) -> PreformattedLine:
    """Lay out a play; how far it is behind is in what the plays are ranked by, chances in percent."""
    evaluation = play.evaluation
    loss, is_points = find_difference(best, evaluation)
    if rank == 1:
        behind = ""
    elif not is_points or (not best.is_cubeful and best.mwc is not None):
        behind = format_behind(_find_chance(evaluation) - _find_chance(best), is_points=False)
    else:
        behind = format_points(-loss)
    equity = format_points(_find_equity(evaluation))
    left = f"{rank:>2}{evaluation.plies:>4}{_format_mwc(evaluation)}{equity:>7}{behind:>7}"
    mark = classify_loss(find_loss_size(loss, is_points=is_points))
    return format_chances_row(rank, left, format_chances(evaluation.outcome), format_play(play.play), mark)


def format_opinion(found: PlayerOpinion, count: int) -> list[str]:
    """Lay out what a player thinks of the position, or of the best plays, of which so many are shown."""
    if found.opinion is not None:
        score, outcome, features = found.opinion.score, found.opinion.outcome, found.opinion.features
        rows = [f"    {name.replace('_', ' '):<26}{_format_number(each)}" for name, each in features.items()]
        return [f"    {_format_number(score)} by {found.player}", *describe_chances(outcome), *rows]
    plays, width = found.plays[:count], _NUMBER_WIDTH
    shown = "" if len(plays) == len(found.plays) else f"{len(plays)} of "
    lines = format_chances_header(f"{'':2}{'score':>{width}}{'behind':>{width}}", width=width)
    for rank, (play, opinion) in enumerate(plays, 1):
        behind = "" if rank == 1 else _format_number(opinion.score - plays[0][1].score)
        left = f"{rank:>2}{_format_number(opinion.score):>{width}}{behind:>{width}}"
        chances = format_chances(opinion.outcome)
        lines.append(format_chances_row(rank, left, chances, format_play(play), width=width))
    return [*lines, f"    {shown}{format_count(len(found.plays), 'play')} by {found.player}"]


def _format_number(value: ReplyValue) -> str:
    """Write a number on a scale of its own with four digits; other values as they are."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def format_chances_header(left: str, last: str = "play", *, width: int = _EQUITY_WIDTH) -> list[str]:
    """Write two lines of titles: of the columns to the left, of the chances, and of the last column.

    Where they do not fit, there are only the two columns before the chances, of this width, and the last one.
    """
    upper = f"{'':{len(left)}}{'win':>13}{'lose':>12}"
    lower = f"{left}{'all':>6}{'gam':>5}{'bg':>5}{'gam':>6}{'bg':>5}  {last}"
    narrow = f"{'':2}{left[-2 * width :]}  {last}"
    return [PreformattedLine(upper, narrow=""), PreformattedLine(lower, narrow=narrow)]


def format_chances_row(
    rank: int | str, left: str, chances: str, last: str, mark: str = "", *, width: int = _EQUITY_WIDTH
) -> PreformattedLine:
    """Write a row of such a table; the last of its columns on the left is how far it is behind."""
    marks = [Mark(len(left) - width, len(left), mark)]
    narrow_left = f"{rank:>2}{left[-2 * width :]}"
    narrow = MarkedLine(
        f"{narrow_left}  {last}".rstrip(), [Mark(len(narrow_left) - width, len(narrow_left), mark)]
    )
    return PreformattedLine(f"{left}{chances}  {last}".rstrip(), marks, narrow)


def format_chances(outcome: Sequence[float] | None) -> str:
    """Write the five chances of an outcome in percent, in columns; empty where they are not known."""
    shown = [""] * len(_CHANCE_WIDTHS) if outcome is None else map(format_percent, outcome)
    return "".join(f"{chance:>{width}}" for chance, width in zip(shown, _CHANCE_WIDTHS, strict=True))


def format_legal_plays(plays: Sequence[str]) -> list[str]:
    """Lay out legal plays in columns."""
    width = max(map(len, plays), default=0) + 2
    columns = max(1, (TABLE_WIDTH - 2) // width)
    rows = [plays[start : start + columns] for start in range(0, len(plays), columns)]
    drawn = [PreformattedLine("    " + "".join(f"{play:<{width}}" for play in row).rstrip()) for row in rows]
    return [*drawn, f"    {format_count(len(plays), 'play')}"]


def format_cube_decision(
    decision: CubeDecision, effort: Effort | None, net: str, outcome: Sequence[float] | None = None
) -> list[str]:
    """Lay out the cube decision of the side on roll.

    Args:
        decision: The decision.
        effort: What the search took.
        net: The evaluator.
        outcome: The chances before the roll; None to leave them out.

    Returns:
        A table of the choices, the best of them in words, chances, and depth and net.
    """
    double = _name_double(decision)
    taken = "beaver" if decision.response is CubeResponse.BEAVER else "take"
    choices = {
        f"no {double}": decision.no_double,
        f"{double}, {taken}": decision.double_take,
        f"{double}, pass": decision.double_pass,
    }
    known = {name: value for name, value in choices.items() if value is not None}
    return [
        *format_choices(known, decision.best),
        f"    {_describe_cube_decision(decision)}",
        *_note_unscaled(known.values()),
        *describe_chances(outcome),
        format_source(effort, net),
    ]


def format_response(answer: CubeAnswer, net: str) -> list[str]:
    """Lay out the response to a double or a beaver, for the side that answers."""
    response, values = RESPONSE_WORDS[answer.response], list_answers(answer)
    taken = {"beaver" if response == "beaver" else "take": values["take"], "pass": values["drop"]}
    best, other = ("drop", "take") if response == "drop" else ("take", "drop")
    loss, is_points = find_difference(values[best], values[other])
    word = {"take": "Take: passing", "beaver": "Beaver: passing", "drop": "Pass: taking"}[response]
    return [
        *format_choices(taken, values[best]),
        f"    {word} costs {format_loss(abs(loss), is_points=is_points)}.",
        *_note_unscaled(values.values()),
        format_source(answer.evaluation.effort, net),
    ]


def list_answers(answer: CubeAnswer) -> dict[str, Evaluation]:
    """Return what ``take`` and ``drop`` are worth to who answers a double, or a beaver.

    Equities are in units of the cube before the double, those of a beaver of the cube as it is.
    """
    decision = answer.decision
    if decision is None:
        return {"take": Evaluation(answer.evaluation.equity), "drop": Evaluation(-1.0)}
    choices = {"take": decision.double_take, "drop": decision.double_pass}
    return {
        name: each._replace(equity=-each.equity, mwc=None if each.mwc is None else 1.0 - each.mwc)
        for name, each in choices.items()
        if each is not None
    }


def format_resignation(found: Resignation, net: str) -> list[str]:
    """Format whether the side that was offered a resignation should accept it."""
    evaluation = found.evaluation
    points = evaluation.points if evaluation.is_cubeful else None
    worth = [] if points is None else [format_points(-points)]
    mwc = [] if evaluation.mwc is None else [f"MWC {format_percent(1 - evaluation.mwc, 2)} %"]
    seen = " to the side that answers"
    value = ", ".join([f"{worth[0]}{seen}", *mwc]) if worth else f"{''.join(mwc)}{seen}"
    verdict = "Accept" if found.is_accepted else "Reject"
    return [f"    {verdict}: playing on is worth {value}.", format_source(evaluation.effort, net)]


def format_choices(choices: Mapping[str, Evaluation], best: Evaluation) -> list[PreformattedLine]:
    """Lay out choices about the cube, by their names, with how far they are from the best."""
    width = max(_CHOICE_WIDTH, *map(len, choices))
    mwc = f"{'mwc %':>8}" if any(each.mwc is not None for each in choices.values()) else ""
    title = f"{'':{width}}{'equity':>8}{mwc}{'vs best':>9}"
    rows = [_format_choice(f"{name:<{width}}", each, best) for name, each in choices.items()]
    return [PreformattedLine(f"    {title}", narrow=title), *rows]


def _format_choice(name: str, evaluation: Evaluation, best: Evaluation) -> PreformattedLine:
    difference, is_points = find_difference(evaluation, best)
    written = format_behind(difference, is_points=is_points)
    behind = f"{written:>9}" if abs(difference) >= (0.0005 if is_points else 0.00005) else ""
    text = f"{name}{format_points(evaluation.points):>8}{_format_mwc(evaluation, 8)}{behind}"
    size = find_loss_size(abs(difference), is_points=is_points)
    mark = Mark(len(text) - len(behind), len(text), classify_loss(size))
    shifted = Mark(mark.start + 4, mark.end + 4, mark.name)
    return PreformattedLine(f"    {text}", [shifted], MarkedLine(text, [mark]))


def _name_double(decision: CubeDecision) -> str:
    """Return what doubling is called in a cube decision."""
    return "redouble" if "redouble" in decision.text.lower() else "double"


def _describe_cube_decision(decision: CubeDecision) -> str:
    """The proper action, and what the wrong ones cost."""
    taken, passed = decision.double_take, decision.double_pass
    if taken is None or passed is None:
        return "Doubling is not possible here."
    wrong = min((taken, passed), key=lambda each: each.mwc_or_equity)
    if decision.should_double:
        wrong = decision.no_double
    double = _name_double(decision)
    offering = f"{double.removesuffix('e')}ing"
    doubler = f"not {offering}" if decision.should_double else offering
    answer = "passing" if decision.should_take else "taking"
    costs = find_difference(decision.best, wrong), find_difference(taken, passed)
    lost, other = (format_loss(abs(loss), is_points=is_points) for loss, is_points in costs)
    return f"{format_action(decision)}: {doubler} costs {lost}, {answer} a {double} costs {other}."


def describe_chances(outcome: Sequence[float] | None) -> list[str]:
    """Format the winning chances of the side on roll; nothing where they are not known."""
    if outcome is None:
        return []
    win, win_g, win_bg, lose_g, lose_bg = map(format_percent, outcome)
    return [
        f"    win {win} % (gammon {win_g}, backgammon {win_bg}), lose gammon {lose_g}, backgammon {lose_bg}"
    ]


def format_evaluation(evaluation: Evaluation, net: str) -> list[str]:
    """Lay out the evaluation of a position before the roll."""
    equity = f"    equity {format_points(evaluation.cubeless_equity)} cubeless, for money"
    if evaluation.is_cubeful:
        equity += f"; {format_points(evaluation.points)} with the cube"
    if evaluation.mwc is not None:
        equity += f"; match-winning chance {format_percent(evaluation.mwc, 2)} %"
    chances, source = describe_chances(evaluation.outcome), format_source(evaluation.effort, net)
    return [*chances, equity, *_note_unscaled([evaluation]), source]


def format_matrix(rows: Sequence[Mapping[str, Any]], summary: Mapping[str, ReplyValue]) -> list[str]:
    """Lay out the cube action at every score.

    Args:
        rows: The keys of each score of the side on roll, equities as lists.
        summary: The keys of the last line of ``matrix``.

    Returns:
        A table, with what its letters mean.
    """
    away, double = int(summary["away"]), "double" if summary["cube"] == 1 else "redouble"
    stored = ", as kept before" if summary.get("stored") else ""
    source = f"{summary['plies']}-ply{stored}, net {summary['net']}"
    width = max(1, min(3, (TABLE_WIDTH - 6) // away))
    step = 1 if width == 3 else 5  # two digits need a blank between them
    head = "".join(f"{number:>{step * width}}" for number in range(step, away + 1, step))
    return [
        "    points needed by the side on roll at the left, by the opponent at the top",
        PreformattedLine(f"{'':6}{head}"),
        *(
            PreformattedLine(
                f"{row['away']:>5} " + "".join(f"{code:>{width}}" for code in str(row["actions"]))
            )
            for row in rows
        ),
        *_format_matrix_equities([row for row in rows if "double" in row], double),
        f"    money: {summary['money']}; cube {summary['cube']}; {source}",
        f"    {_MATRIX_LEGEND.format(double=double)}",
    ]


def _format_matrix_equities(rows: Sequence[Mapping[str, Any]], double: str) -> list[str]:
    """Lay out the equities of no double and of a double, as many columns side by side as fit.

    Args:
        rows: Those of the table.
        double: What doubling is called.
    """
    if not rows:
        return []
    columns = (TABLE_WIDTH - 6) // _EQUITY_WIDTH
    lines = [f"    equities of no {double}, and below it of a {double} with the proper response"]
    for start in range(0, len(rows), columns):
        heads = range(start + 1, min(start + columns, len(rows)) + 1)
        lines.append(PreformattedLine(f"{'':6}" + "".join(f"{number:>{_EQUITY_WIDTH}}" for number in heads)))
        for away, row in enumerate(rows, 1):
            for title, key in ((away, "no_double"), ("", "double")):
                equities = row[key][start : start + columns]
                if any(equity is not None for equity in equities):
                    cells = ["-" if equity is None else format_points(equity) for equity in equities]
                    text = "".join(f"{cell:>{_EQUITY_WIDTH}}" for cell in cells)
                    lines.append(PreformattedLine(f"{title:>5} {text}"))
    return lines


def format_rollout(found: RolloutResult, elapsed_ms: int) -> list[str]:
    """Lay out a rollout: two rows for whatever was rolled out, the numbers and their standard errors."""
    results, rows = found.results, _list_rolled_out(found.results)
    first, has_plays = rows[0][2], isinstance(results, list)
    mwc = "" if first.mwc is None else f"{'mwc %':>7}"
    behind = f"{'behind' if has_plays else '':>7}"
    lines = format_chances_header(f"{'':2}{mwc}{'equity':>7}{behind}", "play" if has_plays else "")
    for row in rows:
        lines += _format_rolled_out(*row)
    compared: list[Evaluation | None] = [evaluation for _, _, evaluation, _, _ in rows]
    if isinstance(results, CubeRollout):
        decision = results.decision
        lines.append(f"    {_describe_cube_decision(decision)}")
        compared += [decision.no_double, decision.double_take, decision.double_pass]
    how = (
        f"{REASONS[found.rollout.reason]}, seed {found.rollout.state.seed}, {elapsed_ms / 1000:.1f} s, "
        f"{found.plies}-ply, net {found.evaluator_name}; {_name_measure(first)}"
    )
    return [*lines, f"    {how}", *_note_unscaled(compared)]


_RolledOut = tuple[str, str, Evaluation, MeanEquity | None, str]
"""What was rolled out: rank, name, estimate, difference to the best play if points have a scale, a remark."""


def _list_rolled_out(results: list[RankedPlay] | Evaluation | CubeRollout) -> list[_RolledOut]:
    if isinstance(results, Evaluation):
        return [("", "", results, None, "")]
    if isinstance(results, CubeRollout):
        double = _name_double(results.decision)
        estimates = {f"no {double}": results.no_double, f"{double}, take": results.take}
        return [("", name, each, None, "") for name, each in estimates.items() if each is not None]
    rows: list[_RolledOut] = []
    for rank, (play, estimate, survived, difference) in enumerate(results, 1):
        if difference is not None and not is_on_scale(difference.equity, estimate.mwc_per_point):
            difference = None
        rows.append((str(rank), format_play(play), estimate, difference, "" if survived else ", pruned"))
    return rows


def _format_rolled_out(
    rank: str, name: str, estimate: Evaluation, difference: MeanEquity | None, remark: str
) -> list[PreformattedLine]:
    """Lay out what was rolled out, and below it the standard errors; a single trial has none."""
    behind = "" if difference is None else format_points(difference.equity)
    equity = format_points(_find_equity(estimate))
    left = f"{rank:>2}{_format_mwc(estimate)}{equity:>7}{behind:>7}"
    row = format_chances_row(rank, left, format_chances(estimate.outcome), name)
    mwc = ""
    if estimate.mwc is not None and estimate.mwc_per_point is not None and estimate.error is not None:
        mwc = f"{_format_error(estimate.mwc_per_point * estimate.error, 100.0, 2):>7}"
    error = estimate.error if estimate.is_scaled else None
    equity = _format_error(error if estimate.is_cubeful else estimate.cubeless_error, 1.0, 3)
    behind = "" if difference is None else _format_error(difference.error, 1.0, 3)
    chances = "".join(
        f"{_format_error(each, 100.0, 1):>{width}}"
        for each, width in zip(estimate.outcome_errors or (None,) * 5, _CHANCE_WIDTHS, strict=True)
    )
    trials = f"{format_count(estimate.trials, 'trial')}{remark}"
    return [row, format_chances_row(" ±", f" ±{mwc}{equity:>7}{behind:>7}", chances, trials)]


def _format_error(value: float | None, factor: float, decimals: int) -> str:
    return "" if value is None or not math.isfinite(value) else f"{factor * value:.{decimals}f}"
