"""Tables of evaluations, at most 80 columns wide: ranked plays, cube decisions, the score matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gammond.engine.match_analysis.decision_errors import classify_loss
from gammond.engine.match_analysis.statistics import NO_SCALE
from gammond.engine.rollout.stop_rules import REASONS
from gammond.engine.wording import format_count
from gammond.protocol.commands.evaluation import UNSCALED
from gammond.protocol.core.requests import ReplyValue
from gammond.protocol.repl.answers.replies import Mark, MarkedLine, PreformattedLine

ReplyValues = Mapping[str, ReplyValue]

TABLE_WIDTH = 80
"""Columns that all tables fit into."""

CHANCE_KEYS = ("win", "win_g", "win_bg", "lose_g", "lose_bg")
_CHANCE_WIDTHS = (6, 5, 5, 6, 5)

UNSCALED_SIGN = "n/a"
"""What stands in place of an equity where points have no scale."""

UNSCALED_NOTE = f"{UNSCALED_SIGN}: {NO_SCALE}, where a point is worth almost nothing of the match"
"""What it means."""

_EQUITY_WIDTH = 7
_NUMBER_WIDTH = 10

_CHOICE_WIDTH = 14
_MATRIX_LEGEND = "N no {double}, D {double}/take, P {double}/pass, T too good, - no doubling"


def format_points(value: ReplyValue | None) -> str:
    """Write an equity, in points, or None for one on no scale; what rounds to nothing has no minus."""
    return UNSCALED_SIGN if value is None else f"{round(float(value), 3) + 0.0:+.3f}"


def find_difference(values: ReplyValues, one: str, other: str) -> tuple[float, bool]:
    """Return by how much a choice about the cube is better than another.

    Args:
        values: The equities of choices by key, and in a match their chances (``mwc_...``).
        one: The key of the choice.
        other: That of the other one.

    Returns:
        The difference, and whether it is in points; else, where one of them is on no scale, in chances.
    """
    if one in values and other in values:
        return float(values[one]) - float(values[other]), True
    return float(values[f"mwc_{one}"]) - float(values[f"mwc_{other}"]), False


def format_loss(loss: float, *, is_points: bool = True) -> str:
    """Write what a decision lost: in points, or in percent of the match where these have no scale."""
    return f"{round(loss, 3) + 0.0:.3f}" if is_points else f"{round(100 * loss, 2) + 0.0:.2f} % MWC"


def format_behind(difference: float, *, is_points: bool = True) -> str:
    """Write by how much a choice is better, in columns: in points, or in percent of the match."""
    return format_points(difference) if is_points else f"{round(100 * difference, 2) + 0.0:+.2f}%"


def find_loss_size(loss: float, *, is_points: bool = True) -> float:
    """Return the size of a loss as `classify_loss` takes it: at double match point where it is in chances."""
    return loss if is_points else 2.0 * loss


def _note_unscaled(rows: Iterable[ReplyValues]) -> list[str]:
    """Return what the sign for equities on no scale means, if there are any."""
    return [f"    {UNSCALED_NOTE}"] if any(UNSCALED in values for values in rows) else []


def _find_equity(values: ReplyValues) -> ReplyValue | None:
    """Return the equity by which choices are ranked; None where it is on no scale."""
    return None if UNSCALED in values else values.get("cubeful", values["equity"])


def _name_measure(values: ReplyValues) -> str:
    return "cubeful equity" if "cubeful" in values or UNSCALED in values else "cubeless money equity"


def format_percent(value: ReplyValue, decimals: int = 1) -> str:
    """Write a probability in percent."""
    return f"{100 * float(value):.{decimals}f}"


def describe_source(values: ReplyValues) -> str:
    """Format depth and net of an evaluation: ``2-ply, net strong``.

    Args:
        values: Of a final line with ``plies`` and ``net``.
    """
    stopped = ", stopped early" if values.get("stopped") else ""
    stored = ", as kept before" if values.get("stored") else ""
    return f"{values['plies']}-ply{stopped}{stored}, net {values['net']}"


def format_plays(moves: Sequence[ReplyValues], totals: ReplyValues) -> list[str]:
    """Lay out ranked plays.

    Args:
        moves: The keys of the plays of ``moves``, best first and all searched as deep.
        totals: Those of its last line: counts, plies and net.

    Returns:
        A table: rank, plies, in a match MWC, equity, loss against the best one, chances in percent, play;
        then what the numbers are, and how many plays have none of that depth.
    """
    best = moves[0]
    shown = "" if totals["shown"] == totals["count"] else f"{totals['shown']} of "
    mwc = f"{'mwc %':>7}" if "mwc" in best else ""
    return [
        *format_chances_header(f"{'':2}{'ply':>4}{mwc}{'equity':>7}{'behind':>7}"),
        *(_format_play_row(move, best) for move in moves),
        f"    {shown}{format_count(int(totals['count']), 'play')} at {describe_source(totals)}; "
        f"{_name_measure(best)}",
        *_note_unscaled(moves),
        *describe_unsearched(int(totals["count"]) - int(totals.get("searched", totals["count"])), totals),
    ]


def describe_unsearched(count: int, totals: ReplyValues) -> list[str]:
    """Say how many plays of a roll do not compare with those that were searched; nothing for none.

    Args:
        count: How many.
        totals: Of the final line, with ``plies``.
    """
    return [f"    not searched at {totals['plies']}-ply: {format_count(count, 'play')}"] if count else []


def format_opinion(moves: Sequence[ReplyValues], final: ReplyValues) -> list[str]:
    """Lay out what a player thinks of the position, or of plays.

    Args:
        moves: The keys of the plays of ``opinion``.
        final: Those of its last line.
    """
    if "count" not in final:
        names = [name for name in final if name not in ("score", "player", *CHANCE_KEYS)]
        chances = describe_chances(final) if "win" in final else []
        features = [f"    {name.replace('_', ' '):<26}{_format_number(final[name])}" for name in names]
        return [f"    {_format_number(final['score'])} by {final['player']}", *chances, *features]
    shown = "" if final["shown"] == final["count"] else f"{final['shown']} of "
    width = _NUMBER_WIDTH
    lines = format_chances_header(f"{'':2}{'score':>{width}}{'behind':>{width}}", width=width)
    for move in moves:
        is_first = move is moves[0]
        behind = "" if is_first else _format_number(float(move["score"]) - float(moves[0]["score"]))
        left = f"{move['rank']:>2}{_format_number(move['score']):>{width}}{behind:>{width}}"
        outcome, play = format_chances(move), str(move["play"])
        lines.append(format_chances_row(move["rank"], left, outcome, play, width=width))
    return [*lines, f"    {shown}{format_count(int(final['count']), 'play')} by {final['player']}"]


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
    rank: ReplyValue, left: str, chances: str, last: str, mark: str = "", *, width: int = _EQUITY_WIDTH
) -> PreformattedLine:
    """Write a row of such a table; the last of its columns on the left is how far it is behind."""
    marks = [Mark(len(left) - width, len(left), mark)]
    narrow_left = f"{rank:>2}{left[-2 * width :]}"
    narrow = MarkedLine(
        f"{narrow_left}  {last}".rstrip(), [Mark(len(narrow_left) - width, len(narrow_left), mark)]
    )
    return PreformattedLine(f"{left}{chances}  {last}".rstrip(), marks, narrow)


def format_chances(values: ReplyValues) -> str:
    """Write the five chances in percent, in columns; those that are not known are left empty."""
    return "".join(
        f"{format_percent(values[key]) if key in values else '':>{width}}"
        for key, width in zip(CHANCE_KEYS, _CHANCE_WIDTHS, strict=True)
    )


def _format_play_row(move: ReplyValues, best: ReplyValues) -> PreformattedLine:
    mwc = f"{format_percent(move['mwc'], 2):>7}" if "mwc" in best else ""
    equity = format_points(_find_equity(move))
    left = f"{move['rank']:>2}{move['plies']:>4}{mwc}{equity:>7}{_format_loss(move, best):>7}"
    loss, is_points = _find_loss(move, best)
    mark = classify_loss(find_loss_size(loss, is_points=is_points))
    return format_chances_row(move["rank"], left, format_chances(move), str(move["play"]), mark)


def _find_loss(move: ReplyValues, best: ReplyValues) -> tuple[float, bool]:
    """Return how far a play is behind, and whether that is in points; else in chances."""
    if UNSCALED in best or UNSCALED in move:
        return float(best["mwc"]) - float(move["mwc"]), False
    key = "cubeful" if "cubeful" in best else "equity"
    return float(best[key]) - float(move[key]), True


def _format_loss(move: ReplyValues, best: ReplyValues) -> str:
    """How far a play is behind, by what the plays are ranked by; MWC in percent."""
    if move["rank"] == 1:
        return ""
    loss, is_points = _find_loss(move, best)
    if not is_points or ("cubeful" not in best and "mwc" in best):
        return format_behind(float(move["mwc"]) - float(best["mwc"]), is_points=False)
    return format_points(-loss)


def format_legal_plays(plays: Sequence[str]) -> list[str]:
    """Lay out legal plays in columns."""
    width = max(map(len, plays), default=0) + 2
    columns = max(1, (TABLE_WIDTH - 2) // width)
    rows = [plays[start : start + columns] for start in range(0, len(plays), columns)]
    drawn = [PreformattedLine("    " + "".join(f"{play:<{width}}" for play in row).rstrip()) for row in rows]
    return [*drawn, f"    {format_count(len(plays), 'play')}"]


def format_cube_decision(cube: ReplyValues, chances: ReplyValues | None = None) -> list[str]:
    """Lay out the cube decision of the side on roll.

    Args:
        cube: The keys of the answer to ``cube``.
        chances: Those of the answer to ``eval``.

    Returns:
        A table of the choices, the best of them in words, chances, and depth and net.
    """
    double = _name_double(cube)
    taken = "beaver" if cube.get("response") == "beaver" else "take"
    names = {"no_double": f"no {double}", "take": f"{double}, {taken}", "drop": f"{double}, pass"}
    known = {key: name for key, name in names.items() if _has_choice(cube, key)}
    width = max(_CHOICE_WIDTH, *map(len, known.values()))
    rows = [format_choice_row(name, cube, key, "best", width) for key, name in known.items()]
    return [
        format_choice_header(cube, width),
        *rows,
        f"    {_describe_cube_decision(cube)}",
        *_note_unscaled([cube]),
        *describe_chances(chances),
        format_source(cube),
    ]


def format_response(take: ReplyValues) -> list[str]:
    """Lay out the response to a double or a beaver, for the side that answers.

    Args:
        take: The keys of the answer to ``take``.
    """
    response = str(take["response"])
    names = {"take": "beaver" if response == "beaver" else "take", "drop": "pass"}
    best, other = ("drop", "take") if response == "drop" else ("take", "drop")
    loss, is_points = find_difference(take, best, other)
    cost = format_loss(abs(loss), is_points=is_points)
    word = {"take": "Take: passing", "beaver": "Beaver: passing", "drop": "Pass: taking"}[response]
    rows = [format_choice_row(name, take, key, best) for key, name in names.items()]
    return [
        format_choice_header(take),
        *rows,
        f"    {word} costs {cost}.",
        *_note_unscaled([take]),
        format_source(take),
    ]


def format_resignation(offer: ReplyValues) -> list[str]:
    """Format whether the side that was offered a resignation should accept it.

    Args:
        offer: The keys of the answer to ``resign`` with a kind.
    """
    verdict = "Accept" if offer["accept"] else "Reject"
    mwc = f"MWC {format_percent(1 - float(offer['mwc']), 2)} %" if "mwc" in offer else ""
    if "cubeful" in offer:
        points = format_points(-float(offer["cubeful"]))
        value = f"{points} to the side that answers{f', {mwc}' if mwc else ''}"
    else:
        value = f"{mwc} to the side that answers"
    return [
        f"    {verdict}: playing on is worth {value}.",
        format_source(offer),
    ]


def format_choice_header(values: ReplyValues, width: int = _CHOICE_WIDTH) -> PreformattedLine:
    """Write the titles of `format_choice_row`."""
    has_mwc = any(key.startswith("mwc_") for key in values)
    mwc = f"{'mwc %':>8}" if has_mwc else ""
    text = f"{'':{width}}{'equity':>8}{mwc}{'vs best':>9}"
    return PreformattedLine(f"    {text}", narrow=text)


def format_choice_row(
    name: str, values: ReplyValues, key: str, best: str, width: int = _CHOICE_WIDTH
) -> PreformattedLine:
    """Write a row of a table of choices about the cube.

    Args:
        name: What the choice is called.
        values: The equities of all choices, by key.
        key: That of the choice.
        best: That of the best one.
        width: How many characters the names have.
    """
    mwc = f"{format_percent(values[f'mwc_{key}'], 2):>8}" if f"mwc_{key}" in values else ""
    difference, is_points = find_difference(values, key, best)
    written = format_behind(difference, is_points=is_points)
    behind = f"{written:>9}" if abs(difference) >= (0.0005 if is_points else 0.00005) else ""
    text = f"{name:<{width}}{format_points(values.get(key)):>8}{mwc}{behind}"
    size = find_loss_size(abs(difference), is_points=is_points)
    mark = Mark(len(text) - len(behind), len(text), classify_loss(size))
    shifted = Mark(mark.start + 4, mark.end + 4, mark.name)
    return PreformattedLine(f"    {text}", [shifted], MarkedLine(text, [mark]))


def _name_double(cube: ReplyValues) -> str:
    """Return what doubling is called in a cube decision."""
    return "redouble" if "redouble" in str(cube.get("action", "")).lower() else "double"


def _describe_cube_decision(cube: ReplyValues) -> str:
    """The proper action, and what the wrong ones cost."""
    if not _has_choice(cube, "take"):
        return "Doubling is not possible here."
    wrong = min(("no_double",) if cube["double"] else ("take", "drop"), key=lambda each: _rank(cube, each))
    doubling = find_difference(cube, "best", wrong)
    double = _name_double(cube)
    offering = f"{double.removesuffix('e')}ing"
    doubler = f"not {offering}" if cube["double"] else offering
    answer = "taking" if cube["response"] == "drop" else "passing"
    answering = find_difference(cube, "take", "drop")
    lost, other = (format_loss(abs(loss), is_points=is_points) for loss, is_points in (doubling, answering))
    return f"{cube['action']}: {doubler} costs {lost}, {answer} a {double} costs {other}."


def _has_choice(values: ReplyValues, key: str) -> bool:
    """Return whether a choice about the cube is possible, whether or not its equity is on a scale."""
    return key in values or f"mwc_{key}" in values


def _rank(values: ReplyValues, key: str) -> float:
    """Return what orders the choices of one decision: chances in a match, else equities."""
    return float(values.get(f"mwc_{key}", values.get(key, 0.0)))


def describe_chances(values: ReplyValues | None) -> list[str]:
    """Format the winning chances of the side on roll.

    Args:
        values: The keys of the answer to ``eval``; None for nothing to say.
    """
    if values is None:
        return []
    win, win_g, win_bg, lose_g, lose_bg = (format_percent(values[key]) for key in CHANCE_KEYS)
    return [
        f"    win {win} % (gammon {win_g}, backgammon {win_bg}), lose gammon {lose_g}, backgammon {lose_bg}"
    ]


def format_evaluation(values: ReplyValues) -> list[str]:
    """Lay out the evaluation of a position before the roll.

    Args:
        values: The keys of the answer to ``eval``.
    """
    equity = f"    equity {format_points(values['equity'])} cubeless, for money"
    if "cubeful" in values or UNSCALED in values:
        equity += f"; {format_points(values.get('cubeful'))} with the cube"
    if "mwc" in values:
        equity += f"; match-winning chance {format_percent(values['mwc'], 2)} %"
    return [*describe_chances(values), equity, *_note_unscaled([values]), format_source(values)]


def format_source(values: ReplyValues) -> str:
    """Write the last line of an evaluation: depth and net."""
    return f"    at {describe_source(values)}"


def format_matrix(rows: Sequence[Mapping[str, Any]], summary: ReplyValues) -> list[str]:
    """Lay out the cube action at every score.

    Args:
        rows: The keys of each score of the side on roll, equities as lists.
        summary: The keys of the last line of ``matrix``.

    Returns:
        A table, with what its letters mean.
    """
    away, double = int(summary["away"]), "double" if summary["cube"] == 1 else "redouble"
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
        f"    money: {summary['money']}; cube {summary['cube']}; {describe_source(summary)}",
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


def format_rollout(rolled: Sequence[ReplyValues], summary: ReplyValues) -> list[str]:
    """Lay out a rollout: two rows for whatever was rolled out, the numbers and their standard errors.

    Args:
        rolled: The keys of the plays, best first, or of the estimates.
        summary: Those of the last line of ``rollout``.
    """
    first = rolled[0]
    mwc = f"{'mwc %':>7}" if "mwc" in first else ""
    has_plays = "play" in first
    behind = f"{'behind' if has_plays else '':>7}"
    lines = format_chances_header(f"{'':2}{mwc}{'equity':>7}{behind}", "play" if has_plays else "")
    for values in rolled:
        lines += [_format_rollout_row(values, _name_double(summary)), _format_error_row(values)]
    if "action" in summary:
        lines.append(f"    {_describe_cube_decision(summary)}")
    seconds = f"{int(summary['elapsed_ms']) / 1000:.1f} s"
    ending = REASONS[str(summary["reason"])]
    how = f"{ending}, seed {summary['seed']}, {seconds}, {describe_source(summary)}; {_name_measure(first)}"
    return [*lines, f"    {how}", *_note_unscaled([*rolled, summary])]


_ESTIMATE_NAMES = {"position": "", "no_double": "no {double}", "take": "{double}, take"}


def _format_rollout_row(values: ReplyValues, double: str) -> PreformattedLine:
    mwc = f"{format_percent(values['mwc'], 2):>7}" if "mwc" in values else ""
    behind = format_points(-float(values["behind"])) if "behind" in values else ""
    rank, equity = values.get("rank", ""), format_points(_find_equity(values))
    left = f"{rank:>2}{mwc}{equity:>7}{behind:>7}"
    name = (
        str(values["play"]) if "play" in values else _ESTIMATE_NAMES[str(values["of"])].format(double=double)
    )
    return format_chances_row(rank, left, format_chances(values), name)


def _format_error_row(values: ReplyValues) -> PreformattedLine:
    """The standard errors of the row above; a single trial has none."""
    mwc = f"{_format_error(values, 'mwc_se', 100.0, 2):>7}" if "mwc" in values else ""
    key = "se" if "cubeful" not in values and UNSCALED not in values else "cubeful_se"
    equity = _format_error(values, key, 1.0, 3)
    chances = "".join(
        f"{_format_error(values, f'{key}_se', 100.0, 1):>{width}}"
        for key, width in zip(CHANCE_KEYS, _CHANCE_WIDTHS, strict=True)
    )
    given_up = ", pruned" if values.get("given_up") else ""
    behind = _format_error(values, "behind_se", 1.0, 3)
    trials = f"{format_count(int(values['trials']), 'trial')}{given_up}"
    return format_chances_row(" ±", f" ±{mwc}{equity:>7}{behind:>7}", chances, trials)


def _format_error(values: ReplyValues, key: str, factor: float, decimals: int) -> str:
    return f"{factor * float(values[key]):.{decimals}f}" if key in values else ""
