"""Stop rules of rollouts: each is a row of `StopSettings`, and every front end reads the rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from gammond.engine.cubeful import CubeGame
from gammond.engine.evaluation.results import MeanEquity
from gammond.engine.options import Bounds, Field
from gammond.engine.rollout.results import RolloutState

CHECK_TRIALS = 108
"""The rules apply at multiples of this many trials."""

_CHECKS_IN_DOUBLING = 32
"""Checks from one power of two to the next. Each check reads all trials, so checks are further apart the more
trials there are: all checks of a long rollout take 64 times as long as the last one."""

_PREFIX, _RULE = "stop_", "rule"

Tested = tuple[list[int], bool]
"""The candidates that remain, and whether the rollout ends."""

StopTest = Callable[[RolloutState, list[int], CubeGame, float], Tested]
"""Applies a rule to the candidates that are in play, by their trials and its limit alone.

``game.equities(state.scores[candidate])`` are its trials in points, for the side on roll at its start.
"""


@dataclass(frozen=True, kw_only=True)
class StopRule:
    """A rule that ends rollouts.

    Attributes:
        field: Its option: the name, ``stop_`` and the word for rollouts that it ended; the limits that the
            protocol takes (code and tools any of 0 or more); the default, 0 for never; what it does.
        tool_meaning: The last in the words of the tools' help.
        unit: The unit of the limit there.
        test: The rule itself.
        ending: Why it ended a rollout, as a sentence with ``{limit}`` and without a full stop; 50 characters,
            since it follows ``Ended after 100,000 trials:`` in 80 columns.
        summary: The same in a few words.
        cube_test: The rule for cube decisions, if it is another one.
        cube_ending: The sentence for these.
        compares: Whether it compares candidates. It takes two, and is applied before the rules that do not.
        aim: What notes say of its limit, with ``{limit}``; empty for nothing.
    """

    field: Field
    tool_meaning: str
    unit: str
    test: StopTest
    ending: str
    summary: str
    cube_test: StopTest | None = None
    cube_ending: str = ""
    compares: bool = False
    aim: str = ""

    @property
    def reason(self) -> str:
        """The word for rollouts that it ended."""
        return self.field.name.removeprefix(_PREFIX)


def _test_errors(state: RolloutState, active: list[int], game: CubeGame, limit: float) -> Tested:
    """End when all candidates are accurate enough.

    Results of games, without variance reduction, may all be the same so far: what has not come up in n trials
    may be a point's difference in one of n.
    """
    unseen = 0.0 if state.variance_reduction else 1.0 / state.count_trials(active[0])
    errors = [max(unseen, state.estimate_equity(one, game).error) for one in active]
    return active, max(errors) <= limit


def _prune_candidates(state: RolloutState, active: list[int], game: CubeGame, limit: float) -> Tested:
    """Prune candidates that are far behind, and end when one is left."""
    best = min(active, key=lambda one: state.estimate_equity(one, game).equity)
    active = [one for one in active if state.estimate_difference(best, one, game).jsds <= limit]
    return active, len(active) == 1


def _test_cube(state: RolloutState, active: list[int], game: CubeGame, limit: float) -> Tested:
    """End when neither the double nor the response is in doubt.

    The first start is the position without the double, the second the one after a take. The double is in
    doubt while no double and the better response to a double, the take or the pass (1 point), are less than
    ``limit`` joint standard deviations apart; the response while the take and the pass are.
    """
    taken = state.estimate_equity(1, game)
    response = MeanEquity(state.count_trials(1), 1.0 - taken.equity, taken.error)
    if response.equity > 0:
        double = state.estimate_difference(0, 1, game)
    else:
        held = state.estimate_equity(0, game)
        double = MeanEquity(state.count_trials(0), 1.0 - held.equity, held.error)
    return active, not (_is_in_doubt(response, limit) or _is_in_doubt(double, limit))


def _is_in_doubt(difference: MeanEquity, jsds: float) -> bool:
    """Return whether more trials could change the sign of a difference."""
    return difference.error > 0 and abs(difference.jsds) <= jsds


def _make_row(rule: StopRule) -> Any:  # noqa: ANN401  (a field of a dataclass)
    return dataclasses.field(default=rule.field.default, metadata={_RULE: rule})


@dataclass(frozen=True, kw_only=True)
class StopSettings:
    """What ends a rollout before all trials: the limits of the stop rules, each with its rule.

    Joint standard deviations (JSD) are standard errors of the difference with common dice.

    Attributes:
        min_trials: Trials before any rule applies, 2 or more.
    """

    min_trials: int = 324
    stop_error: float = _make_row(
        StopRule(
            field=Field(
                "stop_error",
                float,
                Bounds(0, 3),
                default=0.0,
                meaning="stop at this standard error of the equities, in points",
            ),
            tool_meaning="stop at this standard error of equities",
            unit="POINTS",
            test=_test_errors,
            ending="every standard error is at most {limit:g}",
            summary="accurate enough",
            aim="to a standard error of {limit:g}",
        )
    )
    stop_jsd: float = _make_row(
        StopRule(
            field=Field(
                "stop_jsd",
                float,
                Bounds(0, 100),
                default=3.0,
                meaning="prune candidates this many joint standard deviations behind the best",
            ),
            tool_meaning="prune plays this many joint standard deviations behind",
            unit="JSD",
            test=_prune_candidates,
            ending="decided, all others are over {limit:g} JSD behind",
            summary="the best is clear",
            cube_test=_test_cube,
            cube_ending="decided, by more than {limit:g} JSD",
            compares=True,
        )
    )


STOP_RULES: Mapping[str, StopRule] = MappingProxyType(
    {each.name: each.metadata[_RULE] for each in dataclasses.fields(StopSettings) if _RULE in each.metadata}
)
"""The rules by name, in the order of the rows."""

ALL_PLAYED, CANCELLED = "trials", "stopped"
"""The words for rollouts that no rule ended."""

REASONS: Mapping[str, str] = MappingProxyType(
    {
        ALL_PLAYED: "all trials played",
        **{rule.reason: rule.summary for rule in STOP_RULES.values()},
        CANCELLED: "stopped",
    }
)
"""The words for why rollouts end, each with a few more for people."""

EITHER = "either" if len(STOP_RULES) == 2 else "any"
"""How texts speak of one rule or another."""


def describe_end(reason: str, settings: StopSettings, *, is_cube: bool) -> str:
    """Return why a rollout, of a cube decision or anything else, has ended; empty if no rule ended it."""
    rule = STOP_RULES.get(f"{_PREFIX}{reason}")
    if rule is None:
        return ""
    ending = rule.cube_ending if is_cube and rule.cube_ending else rule.ending
    return ending.format(limit=getattr(settings, rule.field.name))


def describe_aims(settings: StopSettings) -> list[str]:
    """Return what notes say of the limits."""
    limits = ((rule.aim, getattr(settings, name)) for name, rule in STOP_RULES.items())
    return [aim.format(limit=limit) for aim, limit in limits if aim and limit]


def list_rules(settings: StopSettings, candidates: int) -> list[StopRule]:
    """List the rules that can end a rollout of so many candidates, in the order in which they apply."""
    rules = [rule for name, rule in STOP_RULES.items() if getattr(settings, name) > 0]
    return sorted(
        (rule for rule in rules if candidates > 1 or not rule.compares), key=lambda rule: not rule.compares
    )


def apply_rules(
    state: RolloutState,
    active: list[int],
    settings: StopSettings,
    game: CubeGame,
    *,
    is_cube: bool = False,
    prunes: bool = True,
) -> tuple[list[int], str | None]:
    """Apply the rules to the candidates in play, after each round of trials.

    Args:
        state: The rollout so far.
        active: The candidates that are not pruned, all with the same number of trials.
        settings: The limits.
        game: The game of the rollout.
        is_cube: Whether they are the two sides of a cube decision, whose rules say when neither the double
            nor the response is in doubt.
        prunes: Whether candidates may be pruned; else the rules stop as if they had been.

    Returns:
        The candidates that remain, and the reason to stop, if any.
    """
    remaining, reason = active, None
    if is_check_trial(state.count_trials(active[0]), settings):
        for rule in list_rules(settings, len(active)):
            test = rule.cube_test if is_cube and rule.cube_test else rule.test
            remaining, ends = test(state, remaining, game, getattr(settings, rule.field.name))
            if ends:
                reason = rule.reason
                break
    return remaining if prunes else active, reason


def is_check_trial(trials: int, settings: StopSettings) -> bool:
    """Return whether the rules apply after a number of trials."""
    return trials >= settings.min_trials and trials % check_interval(trials) == 0


def next_check_trial(trials: int) -> int:
    """Return the number of trials of the next check, `StopSettings.min_trials` aside."""
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
