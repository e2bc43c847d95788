"""The replies of a rollout: estimates with their standard errors, and progress."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.analysis.rollout_requests import POSITION, RolloutResult
from engine.cubeful import CubeStateSpace
from engine.rollout import (
    CubeRollout,
    EquityDifference,
    PlayRollout,
    RolloutEstimate,
    RolloutState,
    StopReason,
    TrialScoring,
)
from engine.rules.notation import format_play
from protocol.commands.cube import decision_to_values
from protocol.core.replies import DECIMALS, outcome_to_values
from protocol.core.requests import Reply, ReplyValue, WorkControl

PROGRESS_INTERVAL_S = 0.5

_REASON_NAMES = {
    StopReason.TRIALS: "trials",
    StopReason.ERROR: "error",
    StopReason.JSD: "jsd",
    StopReason.CANCELLED: "stopped",
}


def format_reason(reason: StopReason) -> str:
    """Return the word for why a rollout ended."""
    return _REASON_NAMES[reason]


@dataclass(frozen=True)
class EstimateFormat:
    """The form of estimates in replies.

    Attributes:
        space: The cube, as the side sees it whose numbers these are; None for money play without one.
        is_cubeful: Whether the cube was live in the trials.
    """

    space: CubeStateSpace | None
    is_cubeful: bool

    def to_values(self, estimate: RolloutEstimate) -> dict[str, ReplyValue]:
        """Return an estimate as keys, each number with its standard error; those of one trial have none."""
        outcome = outcome_to_values(estimate.outcome, estimate.cubeless_equity)
        errors = {f"{name}_se": error for name, error in estimate.errors._asdict().items()}
        values: dict[str, ReplyValue] = {**outcome, **errors, "se": estimate.cubeless_error}
        if self.is_cubeful:
            values |= {"cubeful": estimate.equity, "cubeful_se": estimate.equity_error}
        if self.space is not None and not self.space.is_money:
            values |= self._to_match_values(self.space, estimate)
        return _drop_non_finite(values)

    def _to_match_values(self, space: CubeStateSpace, estimate: RolloutEstimate) -> dict[str, ReplyValue]:
        even, stake = space.equity_scale
        return {"mwc": even + estimate.equity * stake, "mwc_se": stake * estimate.equity_error}


def choose_estimate_format(answer: RolloutResult) -> EstimateFormat:
    """Return the form of the estimates of an answer."""
    return EstimateFormat(answer.space, answer.request.is_cubeful)


def make_result_replies(answer: RolloutResult) -> list[Reply]:
    """Return the lines before the last one: of the plays, the position or the cube decision."""
    view, rows = choose_estimate_format(answer), answer.results
    if isinstance(rows, CubeRollout):
        taken = [] if rows.take is None else [make_estimate_reply("take", rows.take, view)]
        return [make_estimate_reply("no_double", rows.no_double, view), *taken]
    if isinstance(rows, RolloutEstimate):
        return [make_estimate_reply(POSITION, rows, view)]
    return [make_candidate_reply(rank, row, view) for rank, row in enumerate(rows, 1)]


def make_final_reply(answer: RolloutResult, elapsed_ms: int) -> Reply:
    """Return the last line: what the rollout comes to, and how it ended."""
    state = answer.rollout.state
    values: dict[str, ReplyValue] = {"of": answer.request.kind}
    if isinstance(answer.results, CubeRollout):
        values |= decision_to_values(answer.results.decision)
        if answer.results.gain is not None:
            values |= difference_to_values("gain", answer.results.gain)
    values |= {
        "trials": answer.trials,
        "reason": format_reason(answer.rollout.reason),
        "seed": state.seed,
        "plies": answer.plies,
        "elapsed_ms": elapsed_ms,
        "net": answer.evaluator_name,
    }
    return Reply("rollout", values=values)


def make_candidate_reply(rank: int, candidate: PlayRollout, estimate_format: EstimateFormat) -> Reply:
    """Return the line of a play that was rolled out."""
    values: dict[str, ReplyValue] = {
        "rank": rank,
        "play": format_play(candidate.play),
        **estimate_format.to_values(candidate.estimate),
    }
    if candidate.difference_to_best is not None:
        behind = EquityDifference(
            candidate.difference_to_best.trials,
            -candidate.difference_to_best.equity,
            candidate.difference_to_best.error,
        )
        values |= difference_to_values("behind", behind)
    values |= {"trials": candidate.estimate.trials, "given_up": candidate.is_pruned}
    return Reply("candidate", values=values, is_final=False)


def make_estimate_reply(name: str, estimate: RolloutEstimate, estimate_format: EstimateFormat) -> Reply:
    """Return the line of a position that was rolled out.

    Args:
        name: ``position``, or the cube action that leads to it.
        estimate: What was found.
        estimate_format: Whose numbers they are.
    """
    values: dict[str, ReplyValue] = {
        "of": name,
        **estimate_format.to_values(estimate),
        "trials": estimate.trials,
    }
    return Reply("estimate", values=values, is_final=False)


def difference_to_values(name: str, difference: EquityDifference) -> dict[str, ReplyValue]:
    """Return a difference as keys, with its standard error and in joint standard deviations."""
    values: dict[str, ReplyValue] = {
        name: difference.equity,
        f"{name}_se": difference.error,
        "jsd": difference.jsds,
    }
    return _drop_non_finite(values)


def _drop_non_finite(values: dict[str, ReplyValue]) -> dict[str, ReplyValue]:
    """Leave out what has no value: errors of a single trial, differences without a spread in their units."""
    return {
        name: value for name, value in values.items() if not isinstance(value, float) or math.isfinite(value)
    }


class RolloutReporter:
    """Reports the progress of a rollout to a client, about twice a second.

    Args:
        control: Takes the lines.
        trials: How many each candidate is to have.
        scoring: What the scores are.
        play_names: The plays that led to the starts, in their order; none where no plays are rolled out.
        clock: Seconds.
    """

    def __init__(
        self,
        control: WorkControl,
        trials: int,
        scoring: TrialScoring,
        play_names: Sequence[str] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._control = control
        self._trials = trials
        self._scoring = scoring
        self._play_names = play_names
        self._clock = clock
        self._started_s = self._reported_s = clock()

    @property
    def elapsed_ms(self) -> int:
        """Since the start."""
        return int(1000 * (self._clock() - self._started_s))

    def __call__(self, state: RolloutState) -> None:
        """Report progress, unless a report was made a moment ago."""
        if self._clock() - self._reported_s >= PROGRESS_INTERVAL_S:
            self._reported_s = self._clock()
            self._control.report(Reply("info", self._format_progress(state), is_final=False))

    def _format_progress(self, state: RolloutState) -> str:
        done = max(map(len, state.scores))
        text = f"trials {done} of {self._trials} time_ms {self.elapsed_ms}"
        if not done:
            return text
        # Positions after plays are seen by the other side, so the best play is the one with the least equity.
        turned = bool(self._play_names)
        known = [one for one in range(len(state.starts)) if state.count_trials(one) == done]
        equities = {one: state.estimate_equity(one, self._scoring, for_opponent=turned) for one in known}
        best = max(known, key=lambda one: equities[one].mean) if turned else 0
        text += f" equity {equities[best].mean:.{DECIMALS}f}"
        if done > 1:
            text += f" se {equities[best].error:.{DECIMALS}f}"
        return f"{text} pv {self._play_names[best]}" if turned else text
