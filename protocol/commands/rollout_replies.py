"""A rollout as keys: estimates with their standard errors, what it comes to, and progress."""

from __future__ import annotations

import math

from gammond.engine.analysis.rollout_requests import POSITION, RolloutResult
from gammond.engine.evaluation.results import Evaluation, MeanEquity, RankedPlay, is_on_scale
from gammond.engine.rollout import CubeRollout
from gammond.engine.rules.notation import format_moves_plain, format_play
from gammond.protocol.commands.cube import decision_to_values
from gammond.protocol.commands.evaluation import UNSCALED
from gammond.protocol.core.replies import outcome_to_values
from gammond.protocol.core.requests import ReplyValue
from gammond.protocol.questions.rollouts import TrialsProgress


def estimate_to_values(estimate: Evaluation) -> dict[str, ReplyValue]:
    """Return an estimate as keys, each number with its standard error; those of one trial have none."""
    outcome, errors, equity = estimate.outcome, estimate.outcome_errors, estimate.cubeless_equity
    error, cubeless_error = estimate.error, estimate.cubeless_error
    assert outcome is not None
    assert errors is not None
    assert equity is not None
    assert error is not None
    assert cubeless_error is not None
    values: dict[str, ReplyValue] = {
        **outcome_to_values(outcome, equity),
        **{f"{name}_se": each for name, each in errors._asdict().items()},
        "se": cubeless_error,
    }
    if estimate.is_cubeful:
        scaled: dict[str, ReplyValue] = {"cubeful": estimate.equity, "cubeful_se": error}
        values |= scaled if estimate.is_scaled else {UNSCALED: True}
    if estimate.mwc is not None and estimate.mwc_per_point is not None:
        values |= {"mwc": estimate.mwc, "mwc_se": estimate.mwc_per_point * error}
    return _drop_non_finite(values)


def list_rollout_rows(answer: RolloutResult) -> list[dict[str, ReplyValue]]:
    """Return the plays, the position or the sides of the cube decision that were rolled out as keys."""
    rows = answer.results
    if isinstance(rows, CubeRollout):
        taken = [] if rows.take is None else [_estimate_to_row("take", rows.take)]
        return [_estimate_to_row("no_double", rows.no_double), *taken]
    if isinstance(rows, Evaluation):
        return [_estimate_to_row(POSITION, rows)]
    return [_candidate_to_row(rank, row) for rank, row in enumerate(rows, 1)]


def rollout_to_values(answer: RolloutResult) -> dict[str, ReplyValue]:
    """Return what a rollout comes to as keys, and how it ended."""
    state = answer.rollout.state
    values: dict[str, ReplyValue] = {"of": answer.request.kind}
    if isinstance(answer.results, CubeRollout):
        values |= decision_to_values(answer.results.decision)
        if answer.results.gain is not None:
            values |= difference_to_values("gain", answer.results.gain, answer.game.mwc_per_point)
    return values | {
        "trials": answer.trials,
        "reason": answer.rollout.reason,
        "seed": state.seed,
        "plies": answer.plies,
    }


def _candidate_to_row(rank: int, candidate: RankedPlay) -> dict[str, ReplyValue]:
    estimate, behind = candidate.evaluation, candidate.difference_to_best
    values: dict[str, ReplyValue] = {
        "rank": rank,
        "play": format_play(candidate.play),
        **estimate_to_values(estimate),
    }
    if behind is not None:
        behind = behind._replace(equity=-behind.equity)
        values |= difference_to_values("behind", behind, estimate.mwc_per_point)
    return values | {"trials": estimate.trials, "given_up": not candidate.survived}


def _estimate_to_row(name: str, estimate: Evaluation) -> dict[str, ReplyValue]:
    """Return an estimate as keys; it is called ``position``, or by the cube action that leads to it."""
    return {"of": name, **estimate_to_values(estimate), "trials": estimate.trials}


def difference_to_values(
    name: str, difference: MeanEquity, mwc_per_point: float | None
) -> dict[str, ReplyValue]:
    """Return a difference as keys, with its standard error and in joint standard deviations.

    Args:
        name: Its key.
        difference: It.
        mwc_per_point: The match-winning chance that a point is worth; None in money play. Where points have
            no scale, joint standard deviations alone are left.
    """
    values: dict[str, ReplyValue] = {"jsd": difference.jsds}
    if is_on_scale(difference.equity, mwc_per_point):
        values = {name: difference.equity, f"{name}_se": difference.error, **values}
    return _drop_non_finite(values)


def _drop_non_finite(values: dict[str, ReplyValue]) -> dict[str, ReplyValue]:
    """Leave out what has no value: errors of a single trial, differences without a spread in their units."""
    return {
        name: value for name, value in values.items() if not isinstance(value, float) or math.isfinite(value)
    }


def progress_to_values(progress: TrialsProgress) -> dict[str, ReplyValue]:
    """Return how far a rollout is as keys."""
    values: dict[str, ReplyValue] = {"trials": progress.trials, "of": progress.of}
    values["time_ms"] = int(1000 * progress.elapsed_s)
    if progress.equity is not None:
        values["equity"] = progress.equity.equity
        if progress.trials > 1:
            values["se"] = progress.equity.error
    return values if progress.play is None else values | {"pv": format_moves_plain(progress.play)}
