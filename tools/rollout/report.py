"""What `gammond rollout` writes: a table for people, or one JSON object."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from engine.formats.match_id import encode_match_id
from engine.formats.position_id import encode_position_id
from engine.match import MatchState
from engine.notation import format_play
from engine.rollout import Difference, Estimate, RolledOutCube
from engine.rollout.questions import MOVES, RolloutAnswer
from protocol.handlers.cubes import action_text, decision_values
from protocol.handlers.rollout_lines import (
    View,
    answer_lines,
    difference_values,
    reason_name,
    view_of,
)
from protocol.replies import rounded
from protocol.requests import Value

_GAP = "  "


def json_report(answer: RolloutAnswer) -> str:
    """Write an answer as one line of JSON, with the keys of the wire's ``rollout``."""
    question, state = answer.question, answer.rollout.state
    document: dict[str, object] = {
        "gnubgid": encode_position_id(question.position),
        "matchid": encode_match_id(question.match),
        "dice": None if question.roll is None else list(question.roll),
        "cubeful": question.is_cubeful,
        "trials": answer.trials,
        "reason": reason_name(answer.rollout.reason),
        "seed": state.seed,
        "truncate": state.truncation,
        "vr": state.variance_reduction,
        "plies": answer.plies,
        "net": answer.net,
    }
    rows = answer.rows
    if isinstance(rows, RolledOutCube):
        document["decision"] = _rounded(decision_values(rows.decision))
        if rows.gain is not None:
            document["gain"] = _rounded(difference_values("gain", rows.gain))
    name = "candidates" if question.kind == MOVES else "estimates"
    document[name] = [_rounded(dict(line.values)) for line in answer_lines(answer)]
    return json.dumps(document) + "\n"


def _rounded(values: dict[str, Value]) -> dict[str, Value]:
    return {name: rounded(value) if isinstance(value, float) else value for name, value in values.items()}


def table(answer: RolloutAnswer) -> str:
    """Write an answer for people: a line about the rollout, the columns, a line about the decision."""
    view = view_of(answer)
    rows, after = answer.rows, ""
    lines: list[tuple[str, Estimate, Difference | None, str]]
    if isinstance(rows, RolledOutCube):
        lines = [("no double", rows.no_double, None, "")]
        if rows.take is not None:
            lines.append(("double, take", rows.take, rows.gain, ""))
        after = f"{action_text(rows.decision)}\n"
    elif isinstance(rows, Estimate):
        lines = [("position", rows, None, "")]
    else:
        lines = [
            (format_play(row.play), row.estimate, row.behind, "given up" if row.given_up else "")
            for row in rows
        ]
    cells = [
        [name, str(estimate.trials), *_numbers(view.values(estimate)), *_difference(difference), note]
        for name, estimate, difference, note in lines
    ]
    compared = [] if isinstance(rows, Estimate) else ["difference", "JSD"]
    head = ["", "trials", *_heads(view), *(compared or ["", ""]), ""]
    return f"{_about(answer)}\n{_aligned([head, *cells])}{after}"


def _about(answer: RolloutAnswer) -> str:
    question, state = answer.question, answer.rollout.state
    of = encode_position_id(question.position)
    if question.match != MatchState():
        of += f":{encode_match_id(question.match)}"
    dice = "" if question.roll is None else f" with {question.roll[0]}-{question.roll[1]}"
    parts = [
        f"{of}{dice}",
        f"{answer.trials} trials",
        f"seed {state.seed}",
        f"{answer.plies}-ply by {answer.net}",
        f"truncated after {state.truncation} plies" if state.truncation else "played to the end",
        "luck taken off" if state.variance_reduction else "luck left in",
        "with the cube" if question.is_cubeful else "cubeless",
        f"ended by {reason_name(answer.rollout.reason)}",
    ]
    return ", ".join(parts)


_CHANCES = {"win": "win", "win_g": "win g", "win_bg": "win bg", "lose_g": "lose g", "lose_bg": "lose bg"}
_EQUITIES = (("equity", "se"), ("cubeful", "cubeful_se"))


def _heads(view: View) -> list[str]:
    in_match = view.game is not None and not view.game.is_money
    return [
        *_CHANCES.values(),
        "equity",
        *(["cubeful"] if view.is_cubeful else []),
        *(["mwc"] if in_match else []),
    ]


def _numbers(values: dict[str, Value]) -> list[str]:
    """The cells of an estimate: chances in percent, equities in points with their errors."""
    cells = [f"{100 * float(values[name]):.2f}" for name in _CHANCES]
    for name, error in _EQUITIES:
        if name in values:
            cells.append(f"{float(values[name]):+.4f}{_error(values.get(error), 4)}")
    if "mwc" in values:
        error_percent = None if "mwc_se" not in values else 100 * float(values["mwc_se"])
        cells.append(f"{100 * float(values['mwc']):.2f}{_error(error_percent, 2)}")
    return cells


def _difference(difference: Difference | None) -> list[str]:
    if difference is None:
        return ["", ""]
    jsds = f"{abs(difference.jsds):.1f}" if math.isfinite(difference.jsds) else ""
    error = difference.error if math.isfinite(difference.error) else None
    return [f"{difference.equity:+.4f}{_error(error, 4)}", jsds]


def _error(value: Value | None, decimals: int) -> str:
    return "" if value is None else f" ± {float(value):.{decimals}f}"


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Write rows in columns, the first one to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    text = ""
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        cells[0] = row[0].ljust(widths[0])
        text += _GAP.join(cell for cell, width in zip(cells, widths, strict=True) if width).rstrip() + "\n"
    return text
