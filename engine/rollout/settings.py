"""Settings and evaluators of a rollout."""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.errors import ValueRangeError
from engine.evaluation.evaluator import CubefulEvaluator, Evaluator, ExactEvaluator
from engine.evaluation.pruning import PlayPruner
from engine.rules.dice import MAX_SEED
from engine.runtime.cores import MAX_THREADS

MAX_TRIALS = 1_000_000
"""The scores of this many trials of one position take 40 MB."""

MAX_TRUNCATION = 1000

MAX_TURNS = 10_000
"""A longer trial is not played by the rules."""


@dataclass(frozen=True)
class RolloutSettings:
    """Settings of a rollout.

    Attributes:
        trials: Number of trials of each position, 1 to `MAX_TRIALS`.
        seed: Seed of the dice, 0 or more.
        truncation: Plies after which a trial ends with the leaf evaluator's value; 0 plays all games out.
        variance_reduction: Whether to subtract the luck of each roll.
        stop_error: Stop when the standard error of every equity is at most this many points; 0 for never.
        stop_jsd: Prune a candidate that is more than this many joint standard deviations (standard errors of
            the difference with common dice) behind the best one, and stop when one is left; 0 for never.
        min_trials: Trials before either stop rule applies, 2 or more.
        threads: Number of threads; it changes no result.
    """

    trials: int = 1296
    seed: int = 0
    truncation: int = 0
    variance_reduction: bool = True
    stop_error: float = 0.0
    stop_jsd: float = 3.0
    min_trials: int = 324
    threads: int = 1

    def __post_init__(self) -> None:
        """Check every setting.

        Raises:
            ValueRangeError: A setting is out of range; it is named.
        """
        _check_integer("trials", self.trials, 1, MAX_TRIALS)
        _check_integer("seed", self.seed, 0, MAX_SEED)
        _check_integer("truncation", self.truncation, 0, MAX_TRUNCATION)
        _check_integer("min_trials", self.min_trials, 2, MAX_TRIALS)
        _check_integer("threads", self.threads, 1, MAX_THREADS)
        for name, value in (("stop_error", self.stop_error), ("stop_jsd", self.stop_jsd)):
            if not (math.isfinite(value) and value >= 0):
                raise ValueRangeError(f"expected a number of 0 or more for {name}, got {value}", field=name)


@dataclass(frozen=True)
class RolloutEvaluators:
    """The evaluators of a rollout. All are used from several threads.

    Attributes:
        policy: Plays both sides: the best reply that it keeps.
        leaf: Evaluates positions at the truncation; unused without truncation.
        luck: Evaluates the replies that luck is measured by; a cheap evaluator. ``leaf`` if None.
        luck_policy: Chooses those replies. ``policy`` if None, which then chooses the plays at the same time.
        cube: Evaluates cube decisions, in cubeful rollouts. ``leaf`` if None.
        exact: Trials end at positions that one of these covers. One-sided bearoff tables may be among them
            where their small errors do not matter.
        exact_cubeful: The same; cubeful money trials end with the exact cubeful value.
    """

    policy: PlayPruner
    leaf: Evaluator
    luck: Evaluator | None = None
    luck_policy: PlayPruner | None = None
    cube: Evaluator | None = None
    exact: tuple[ExactEvaluator, ...] = ()
    exact_cubeful: tuple[CubefulEvaluator, ...] = ()

    @property
    def luck_evaluator(self) -> Evaluator:
        """The evaluator of luck."""
        return self.luck or self.leaf

    @property
    def effective_luck_policy(self) -> PlayPruner:
        """The policy of the replies that luck is measured by."""
        return self.luck_policy or self.policy

    @property
    def cube_evaluator(self) -> Evaluator:
        """The evaluator of cube decisions."""
        return self.cube or self.leaf

    @property
    def names(self) -> tuple[str, ...]:
        """Their names; a rollout can only be continued with the same ones."""
        return (
            self.policy.name,
            self.effective_luck_policy.name,
            *(
                f"{each.name} {each.plies}-ply"
                for each in (self.leaf, self.luck_evaluator, self.cube_evaluator)
            ),
            *(each.name for each in (*self.exact, *self.exact_cubeful)),
        )


def _check_integer(name: str, value: int, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueRangeError(f"expected a whole number {least}..{most} for {name}, got {value}", field=name)
