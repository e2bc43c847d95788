"""The output of `gammond rollout`: a table for people, or one JSON object."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from engine.analysis.rollout_requests import MOVES, RolloutResult
from engine.formats.match_id import encode_match_id
from engine.formats.position_id import encode_position_id
from engine.rollout import CubeRollout, EquityDifference, RolloutEstimate
from engine.rules.match import MatchState
from engine.rules.notation import format_play
from protocol.commands.cube import decision_to_values, format_action
from protocol.commands.rollout_replies import (
    EstimateFormat,
    choose_estimate_format,
    difference_to_values,
    format_reason,
    make_result_replies,
)
from protocol.core.replies import round_value
from protocol.core.requests import ReplyValue

_GAP = "  "


def format_json(answer: RolloutResult) -> str:
    """Format a result as one line of JSON, with the keys of the wire's ``rollout``."""
    request, state = answer.request, answer.rollout.state
    document: dict[str, object] = {
        "gnubgid": encode_position_id(request.position),
        "matchid": encode_match_id(request.match),
        "dice": None if request.roll is None else list(request.roll),
        "cubeful": request.is_cubeful,
        "trials": answer.trials,
        "reason": format_reason(answer.rollout.reason),
        "seed": state.seed,
        "truncate": state.truncation,
        "vr": state.variance_reduction,
        "plies": answer.plies,
        "net": answer.evaluator_name,
    }
    rows = answer.results
    if isinstance(rows, CubeRollout):
        document["decision"] = _round_values(decision_to_values(rows.decision))
        if rows.gain is not None:
            document["gain"] = _round_values(difference_to_values("gain", rows.gain))
    name = "candidates" if request.kind == MOVES else "estimates"
    document[name] = [_round_values(dict(line.values)) for line in make_result_replies(answer)]
    return json.dumps(document) + "\n"


def _round_values(values: dict[str, ReplyValue]) -> dict[str, ReplyValue]:
    return {name: round_value(value) if isinstance(value, float) else value for name, value in values.items()}


def format_table(answer: RolloutResult) -> str:
    """Format a result for people: a line about the rollout, the table, a line about the decision."""
    view = choose_estimate_format(answer)
    rows, after = answer.results, ""
    lines: list[tuple[str, RolloutEstimate, EquityDifference | None, str]]
    if isinstance(rows, CubeRollout):
        lines = [("no double", rows.no_double, None, "")]
        if rows.take is not None:
            lines.append(("double, take", rows.take, rows.gain, ""))
        after = f"{format_action(rows.decision)}\n"
    elif isinstance(rows, RolloutEstimate):
        lines = [("position", rows, None, "")]
    else:
        lines = [
            (format_play(row.play), row.estimate, row.difference_to_best, "pruned" if row.is_pruned else "")
            for row in rows
        ]
    cells = [
        [
            name,
            str(estimate.trials),
            *_format_estimate(view.to_values(estimate)),
            *_format_difference(difference),
            note,
        ]
        for name, estimate, difference, note in lines
    ]
    compared = [] if isinstance(rows, RolloutEstimate) else ["difference", "JSD"]
    head = ["", "trials", *_column_names(view), *(compared or ["", ""]), ""]
    return f"{_format_header(answer)}\n{_align_columns([head, *cells])}{after}"


def _format_header(answer: RolloutResult) -> str:
    request, state = answer.request, answer.rollout.state
    of = encode_position_id(request.position)
    if request.match != MatchState():
        of += f":{encode_match_id(request.match)}"
    dice = "" if request.roll is None else f" with {request.roll[0]}-{request.roll[1]}"
    parts = [
        f"{of}{dice}",
        f"{answer.trials} trials",
        f"seed {state.seed}",
        f"{answer.plies}-ply by {answer.evaluator_name}",
        f"truncated after {state.truncation} plies" if state.truncation else "played to the end",
        "variance reduction" if state.variance_reduction else "no variance reduction",
        "cubeful" if request.is_cubeful else "cubeless",
        f"ended by {format_reason(answer.rollout.reason)}",
    ]
    return ", ".join(parts)


_CHANCES = {"win": "win", "win_g": "win g", "win_bg": "win bg", "lose_g": "lose g", "lose_bg": "lose bg"}
_EQUITIES = (("equity", "se"), ("cubeful", "cubeful_se"))


def _column_names(view: EstimateFormat) -> list[str]:
    in_match = view.space is not None and not view.space.is_money
    return [
        *_CHANCES.values(),
        "equity",
        *(["cubeful"] if view.is_cubeful else []),
        *(["mwc"] if in_match else []),
    ]


def _format_estimate(values: dict[str, ReplyValue]) -> list[str]:
    """Format the cells of an estimate: chances in percent, equities in points with their errors."""
    cells = [f"{100 * float(values[name]):.2f}" for name in _CHANCES]
    for name, error in _EQUITIES:
        if name in values:
            cells.append(f"{float(values[name]):+.4f}{_format_error(values.get(error), 4)}")
    if "mwc" in values:
        error_percent = None if "mwc_se" not in values else 100 * float(values["mwc_se"])
        cells.append(f"{100 * float(values['mwc']):.2f}{_format_error(error_percent, 2)}")
    return cells


def _format_difference(difference: EquityDifference | None) -> list[str]:
    if difference is None:
        return ["", ""]
    jsds = f"{abs(difference.jsds):.1f}" if math.isfinite(difference.jsds) else ""
    error = difference.error if math.isfinite(difference.error) else None
    return [f"{difference.equity:+.4f}{_format_error(error, 4)}", jsds]


def _format_error(value: ReplyValue | None, decimals: int) -> str:
    return "" if value is None else f" ± {float(value):.{decimals}f}"


def _align_columns(rows: Sequence[Sequence[str]]) -> str:
    """Align columns, the first one to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    text = ""
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        cells[0] = row[0].ljust(widths[0])
        text += _GAP.join(cell for cell, width in zip(cells, widths, strict=True) if width).rstrip() + "\n"
    return text
