"""Settings and evaluators of a rollout."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from gammond.engine.errors import ValueRangeError
from gammond.engine.evaluation.evaluator import CubefulEvaluator, Evaluator, ExactEvaluator
from gammond.engine.evaluation.pruning import PlayPruner
from gammond.engine.rollout.stop_rules import STOP_RULES, StopSettings
from gammond.engine.rules.dice import MAX_SEED
from gammond.engine.runtime.machine import MAX_THREADS

MAX_TRIALS = 1_000_000
"""The scores of this many trials of one position take 40 MB."""

MAX_TRUNCATION = 1000

MAX_TURNS = 10_000
"""A longer trial is not played by the rules."""


_OPTION_NAMES = {"truncation": "truncate", "variance_reduction": "vr"}


@dataclass(frozen=True)
class RolloutSettings(StopSettings):
    """Settings of a rollout; its stop rules are those of `StopSettings`.

    Attributes:
        trials: Number of trials of each position, 1 to `MAX_TRIALS`.
        seed: Seed of the dice, 0 or more.
        truncation: Plies after which a trial ends with the leaf evaluator's value; 0 plays all games out.
        variance_reduction: Whether to subtract the luck of each roll.
        threads: Number of threads; it changes no result.
    """

    trials: int = 1296
    seed: int = 0
    truncation: int = 0
    variance_reduction: bool = True
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
        for name in STOP_RULES:
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise ValueRangeError(f"expected a number of 0 or more for {name}, got {value}", field=name)

    def with_options(self, values: Mapping[str, Any]) -> Self:
        """Return them with the options that have a value, by the names that clients and tools use.

        Raises:
            ValueRangeError: As for the class.
        """
        options = {_OPTION_NAMES.get(each.name, each.name): each.name for each in fields(self)}
        given = {options[name]: value for name, value in values.items() if name in options}
        return replace(self, **{name: value for name, value in given.items() if value is not None})


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
