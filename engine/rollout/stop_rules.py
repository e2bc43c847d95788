"""Stop rules of rollouts: by standard error, or by the distance between candidates."""

from __future__ import annotations

import enum
from collections.abc import Callable

from engine.rollout.results import EquityDifference, RolloutState
from engine.rollout.settings import RolloutSettings
from engine.rollout.trial_scoring import TrialScoring

CHECK_TRIALS = 108
"""The rules apply at multiples of this many trials."""

_CHECKS_IN_DOUBLING = 32
"""Checks from one power of two to the next. Each check reads all trials, so checks are further apart the more
trials there are: all checks of a long rollout take 64 times as long as the last one."""


class StopReason(enum.Enum):
    """Why a rollout ended."""

    TRIALS = "trials"
    ERROR = "error"
    JSD = "jsd"
    CANCELLED = "cancelled"


StopRule = Callable[
    [RolloutState, list[int], RolloutSettings, TrialScoring], tuple[list[int], StopReason | None]
]
"""Decides whether to stop, after each round of trials; see `apply_candidate_rule`."""


def has_stop_rules(settings: RolloutSettings, candidates: int) -> bool:
    """Return whether anything but the number of trials can end the rollout."""
    return settings.stop_error > 0 or (settings.stop_jsd > 0 and candidates > 1)


def apply_candidate_rule(
    state: RolloutState, active: list[int], settings: RolloutSettings, scoring: TrialScoring
) -> tuple[list[int], StopReason | None]:
    """Prune candidates that are far behind, and stop when one is left or all are accurate enough.

    Args:
        state: The rollout so far.
        active: The candidates that are not pruned, all with the same number of trials.
        settings: Settings of the rules.
        scoring: The scoring of the trials.

    Returns:
        The candidates that remain, and the reason to stop, if any.
    """
    if not is_check_trial(state.count_trials(active[0]), settings):
        return active, None
    if settings.stop_jsd > 0 and len(active) > 1:
        best = min(active, key=lambda one: state.estimate_equity(one, scoring).mean)
        active = [
            one for one in active if state.estimate_difference(best, one, scoring).jsds <= settings.stop_jsd
        ]
        if len(active) == 1:
            return active, StopReason.JSD
    return active, apply_error_rule(state, active, settings, scoring)


def apply_decision_rule(
    state: RolloutState, active: list[int], settings: RolloutSettings, scoring: TrialScoring
) -> tuple[list[int], StopReason | None]:
    """Stop when `apply_candidate_rule` would, but prune no candidate; arguments and result as there."""
    _, reason = apply_candidate_rule(state, active, settings, scoring)
    return active, reason


def apply_cube_rule(
    state: RolloutState, active: list[int], settings: RolloutSettings, scoring: TrialScoring
) -> tuple[list[int], StopReason | None]:
    """Stop when neither the double nor the response is in doubt, or both values are accurate enough.

    The first start is the position without the double, the second the one after a take. The double is in
    doubt while no double and the better response to a double, the take or the pass (1 point), are less than
    ``stop_jsd`` joint standard deviations apart; the response while the take and the pass are.

    Arguments and result as for `apply_candidate_rule`; no candidate is pruned.
    """
    if not is_check_trial(state.count_trials(), settings):
        return active, None
    if settings.stop_jsd > 0 and len(active) == 2:
        taken = state.estimate_equity(1, scoring)
        response = EquityDifference(state.count_trials(1), 1.0 - taken.mean, taken.error)
        if response.equity > 0:
            double = state.estimate_difference(0, 1, scoring)
        else:
            held = state.estimate_equity(0, scoring)
            double = EquityDifference(state.count_trials(0), 1.0 - held.mean, held.error)
        if not (_is_in_doubt(response, settings.stop_jsd) or _is_in_doubt(double, settings.stop_jsd)):
            return active, StopReason.JSD
    return active, apply_error_rule(state, active, settings, scoring)


def _is_in_doubt(difference: EquityDifference, jsds: float) -> bool:
    """Return whether more trials could change the sign of a difference."""
    return difference.error > 0 and abs(difference.jsds) <= jsds


def apply_error_rule(
    state: RolloutState, active: list[int], settings: RolloutSettings, scoring: TrialScoring
) -> StopReason | None:
    """Return why to stop if all candidates are accurate enough; arguments as `apply_candidate_rule`.

    Results of games, without variance reduction, may all be the same so far: what has not come up in n trials
    may be a point's difference in one of n.
    """
    if settings.stop_error == 0:
        return None
    unseen = 0.0 if state.variance_reduction else 1.0 / state.count_trials(active[0])
    errors = [max(unseen, state.estimate_equity(one, scoring).error) for one in active]
    return StopReason.ERROR if max(errors) <= settings.stop_error else None


def is_check_trial(trials: int, settings: RolloutSettings) -> bool:
    """Return whether the rules apply after a number of trials."""
    return trials >= settings.min_trials and trials % check_interval(trials) == 0


def next_check_trial(trials: int) -> int:
    """Return the number of trials of the next check, `RolloutSettings.min_trials` aside."""
    interval = check_interval(trials)
    return trials - trials % interval + interval


def check_interval(trials: int) -> int:
    """Return the number of trials between checks.

    It depends on the number of trials alone, so that results depend neither on threads nor on the size of
    blocks: `CHECK_TRIALS` below 6,912 trials, and twice as many from there and at each doubling after it.
    """
    interval = CHECK_TRIALS
    while trials >= 2 * _CHECKS_IN_DOUBLING * interval:
        interval *= 2
    return interval
