"""The output of `gammond rollout`: a table for people, or one JSON object."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace

from gammond.engine.analysis.rollout_requests import MOVES, RolloutResult
from gammond.engine.evaluation.results import Evaluation, MeanEquity, is_on_scale
from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.rollout import CubeRollout, RolloutSettings
from gammond.engine.rollout.stop_rules import CANCELLED, describe_end
from gammond.engine.rules.cube_actions import name_cube_action
from gammond.engine.rules.dice import format_roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.notation import format_play
from gammond.protocol.commands.cube import decision_to_values, format_action
from gammond.protocol.commands.rollouts import difference_to_values, estimate_to_values, list_rollout_rows
from gammond.protocol.core.replies import round_value
from gammond.protocol.core.requests import ReplyValue
from gammond.protocol.repl.answers.tables import UNSCALED_NOTE, UNSCALED_SIGN
from gammond.tools.common.position_fields import format_heading, list_position_fields
from gammond.tools.common.reports import format_table


def format_json(answer: RolloutResult) -> str:
    """Format a result as a JSON object, with the keys of the wire's ``rollout``."""
    request, state = answer.request, answer.rollout.state
    document: dict[str, object] = {
        **list_position_fields(request.position, replace(request.match, roll=request.roll)),
        "cubeful": request.is_cubeful,
        "trials": answer.trials,
        "reason": answer.rollout.reason,
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
            gain = difference_to_values("gain", rows.gain, answer.game.mwc_per_point)
            document["gain"] = _round_values(gain)
    name = "candidates" if request.kind == MOVES else "estimates"
    document[name] = [_round_values(row) for row in list_rollout_rows(answer)]
    return json.dumps(document)


def _round_values(values: dict[str, ReplyValue]) -> dict[str, ReplyValue]:
    return {name: round_value(value) if isinstance(value, float) else value for name, value in values.items()}


def format_text(answer: RolloutResult, settings: RolloutSettings) -> str:
    """Format a result for people, within 80 columns: what was rolled out, a table, what it comes to.

    Args:
        answer: The result.
        settings: The settings of the rollout.
    """
    results, worth = answer.results, answer.game.mwc_per_point
    rows: list[tuple[str, Evaluation, MeanEquity | None, str]]
    closing = []
    if isinstance(results, CubeRollout):
        match = answer.request.match
        rows = [(name_cube_action("no double", match), results.no_double, None, "")]
        if results.take is not None:
            rows.append((name_cube_action("double, take", match), results.take, results.gain, ""))
        closing = [format_action(results.decision)]
    elif isinstance(results, Evaluation):
        rows = [("position", results, None, "")]
    else:
        rows = [
            (
                format_play(row.play),
                row.evaluation,
                row.difference_to_best,
                "" if row.survived else f"pruned at {row.evaluation.trials:,}",
            )
            for row in results
        ]
    is_cubeful, is_match = answer.game.is_cubeful, not answer.game.is_money
    compared = (
        ["gain" if isinstance(results, CubeRollout) else "behind", "JSD"] if len(rows) > 1 else ["", ""]
    )
    head = ["", "cubeful" if is_cubeful else "equity", *compared, "MWC, %" if is_match else ""]
    cells = [
        [
            name,
            _format_points(estimate.equity, estimate.error, worth),
            *_format_difference(difference, worth),
            _format_chance(estimate_to_values(estimate)),
        ]
        for name, estimate, difference, _ in rows
    ]
    if any(UNSCALED_SIGN in row for row in cells):
        closing.append(UNSCALED_NOTE)
    lines = format_table(head, cells).splitlines()
    table = [lines[0]]
    for line, (_, estimate, _, note) in zip(lines[1:], rows, strict=True):
        table += [line, _format_chances(estimate, is_alone=not is_cubeful and not is_match, note=note)]
    return "\n".join([*_format_header(answer), *table, _format_end(answer, settings), *closing]) + "\n"


def _format_header(answer: RolloutResult) -> list[str]:
    """Format what was rolled out, and how."""
    request, state = answer.request, answer.rollout.state
    of = encode_position_id(request.position)
    if request.match != MatchState():
        of += f":{encode_match_id(request.match)}"
    dice = "" if request.roll is None else f" with {format_roll(request.roll)}"
    end = f"truncated after {state.truncation} plies" if state.truncation else "played to the end"
    return [
        format_heading(request.position, replace(request.match, roll=request.roll)),
        f"{of}{dice}, {'cubeful' if request.is_cubeful else 'cubeless'}, {answer.plies}-ply by "
        f"{answer.evaluator_name}",
        f"{answer.trials:,} {'trial' if answer.trials == 1 else 'trials'}, {end}, "
        f"{'variance reduction' if state.variance_reduction else 'no variance reduction'}, "
        f"seed {state.seed}",
    ]


def _format_end(answer: RolloutResult, settings: RolloutSettings) -> str:
    """Say why the rollout ended."""
    number = f"{answer.trials:,} {'trial' if answer.trials == 1 else 'trials'}"
    reason = answer.rollout.reason
    if ending := describe_end(reason, settings, is_cube=isinstance(answer.results, CubeRollout)):
        return f"Ended after {number}: {ending}."
    if reason == CANCELLED:
        return f"Interrupted after {number}, of {settings.trials:,}."
    return "Ended: all trials are played."


def _format_chances(estimate: Evaluation, *, is_alone: bool, note: str) -> str:
    """Format the second line of an estimate: chances in percent, cubeless equity unless it stands above."""
    assert estimate.outcome is not None
    assert estimate.cubeless_equity is not None
    win, win_g, win_bg, lose_g, lose_bg = (100 * chance for chance in estimate.outcome)
    parts = [
        f"win {win:.1f} {win_g:.1f} {win_bg:.1f}",
        f"lose {100 - win:.1f} {lose_g:.1f} {lose_bg:.1f}",
    ]
    if not is_alone:
        parts.append(f"cubeless {_format_mean(estimate.cubeless_equity, estimate.cubeless_error, 3)}")
    return "    " + "  ".join([*parts, *filter(None, [note])])


def _format_chance(values: Mapping[str, ReplyValue]) -> str:
    """Format a match-winning chance in percent; empty in money play."""
    if "mwc" not in values:
        return ""
    return _format_mean(100 * float(values["mwc"]), 100 * float(values.get("mwc_se", math.nan)), 2, sign="")


def _format_difference(difference: MeanEquity | None, mwc_per_point: float | None) -> list[str]:
    if difference is None:
        return ["", ""]
    jsds = f"{abs(difference.jsds):.1f}" if math.isfinite(difference.jsds) else ""
    return [_format_points(difference.equity, difference.error, mwc_per_point), jsds]


def _format_points(equity: float, error: float | None, mwc_per_point: float | None) -> str:
    """Format an equity with its standard error; a sign where it is on no scale."""
    return _format_mean(equity, error, 4) if is_on_scale(equity, mwc_per_point) else UNSCALED_SIGN


def _format_mean(mean: float, error: float | None, decimals: int, sign: str = "+") -> str:
    """Format a mean with its standard error, as far as there is one."""
    text = f"{mean:{sign}.{decimals}f}"
    return f"{text} ±{error:.{decimals}f}" if error is not None and math.isfinite(error) else text
