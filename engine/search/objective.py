"""The objective of a search: the values that it carries from its leaves to its root.

The first five columns of values are the outcome. Where more than cubeless equity counts, a column for each
state of the cube follows, and each has its own best plays. `engine.kernels.objectives` backs the values up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from engine.cubeful import (
    DEFAULT_EFFICIENCIES,
    CubeDecision,
    CubeStateSpace,
    compute_dead_cube_values,
    compute_leaf_values,
    cube_efficiencies,
    decide_from_many_values,
    decide_from_values,
    list_exact_columns,
    select_exact_values,
    to_equities,
    with_doubling_option,
)
from engine.evaluation.evaluator import CubefulEvaluator, Evaluator, ExactEvaluator
from engine.kernels import as_kernel_array
from engine.kernels import phases as kernel_phases
from engine.kernels.cubeful import DoubleOption
from engine.kernels.objectives import (
    DEAD_CUBE,
    MATCH,
    MONEY,
    OUTCOME_COLUMNS,
    OUTCOMES_ONLY,
    ObjectiveRules,
)
from engine.rules.outcome import Outcomes, evaluate_finished
from engine.rules.position import Board, find_finished

Values = NDArray[np.float32]
"""``float32[n, k]``; the first five columns are the outcome."""

_CUBELESS_WEIGHTS = np.array([2.0, 1.0, 1.0, -1.0, -1.0])
_NO_DOUBLES = DoubleOption(
    np.empty(0, np.bool_), np.empty(0, np.int64), np.empty(0, np.float32), stake_factor=1.0, beavers=False
)


class RootReading(NamedTuple):
    """The values of the root of a search, beyond the outcome.

    Attributes:
        cubeful: Cubeful equity under best cube action; None without the cube.
        mwc: Match-winning chance under best cube action; None in money play.
        decision: The cube decision; None without the cube, and once the game is over.
    """

    cubeful: float | None = None
    mwc: float | None = None
    decision: CubeDecision | None = None


@dataclass(frozen=True)
class Objective:
    """Evaluates positions for the side on roll; safe to use from several threads.

    Equal objectives give bitwise equal values: a cache takes one for the other.

    Attributes:
        evaluator: Evaluates the leaves.
        space: The states of the cube, seen by the side on roll: one in a match with a dead cube
            (`make_dead_cube_game`); None where cubeless money equity chooses the plays.
        exact: Evaluators from whose positions nothing is looked ahead, unless the cube counts in a match;
            each a `CubefulEvaluator` where the cube counts.
    """

    evaluator: Evaluator
    space: CubeStateSpace | None = None
    exact: tuple[ExactEvaluator, ...] = ()

    @cached_property
    def kind(self) -> int:
        """What stands in the columns after the outcome, a kind of `engine.kernels.objectives`."""
        if self.space is None:
            return OUTCOMES_ONLY
        return DEAD_CUBE if self.space.is_cube_frozen else MONEY if self.space.is_money else MATCH

    @cached_property
    def is_cubeful(self) -> bool:
        """Whether the cube counts in `equities`."""
        return self.kind in (MONEY, MATCH)

    @cached_property
    def columns(self) -> int:
        """Columns of the values: five for the outcome, and one for each state of the cube."""
        return OUTCOME_COLUMNS + (len(self.space.states) if self.space else 0)

    @cached_property
    def other(self) -> Objective:
        """The objective of the same game with the opponent on roll."""
        return Objective(self.evaluator, self.space.opponent_view, self.exact) if self.space else self

    def is_settled(self, boards: Board) -> NDArray[np.bool_]:
        """Return which positions look-ahead cannot change, finished ones included: ``bool[n]``."""
        return find_settled(() if self.kind == MATCH else self.exact, boards)

    def evaluate(self, boards: Board) -> Values:
        """Evaluate positions at 0-ply, before the roll and before a double.

        Args:
            boards: ``int8[n, 2, 26]``; finished positions allowed, and evaluated exactly.

        Returns:
            ``float32[n, columns]``; each row depends on its own board alone.
        """
        outcomes = evaluate_outcomes(self.evaluator, boards)
        if self.space is None:
            return outcomes
        if self.kind == DEAD_CUBE:
            return np.concatenate([outcomes, compute_dead_cube_values(outcomes, self.space)[:, None]], axis=1)
        values = compute_leaf_values(outcomes, cube_efficiencies(boards, outcomes), self.space)
        for evaluator in self.exact if self.kind == MONEY else ():
            covered = np.flatnonzero(evaluator.covers(boards))
            if covered.size:
                covered = covered[~find_finished(boards[covered])]
                equities = cast("CubefulEvaluator", evaluator).cubeful_equities(boards[covered])
                values[covered] = select_exact_values(equities, self.space)
        return np.concatenate([outcomes, values], axis=1)

    def add_double_option(self, values: Values) -> Values:
        """Add the option of the side on roll to double, as the opponent's choice of a reply counts it.

        The values of the root of a search are read without it.

        Args:
            values: ``float32[n, columns]``, from `evaluate` or backed up.

        Returns:
            ``float32[n, columns]``, which may be the same array.
        """
        if self.space is None or not self.is_cubeful:
            return values
        return with_doubling_option(values, self.space, OUTCOME_COLUMNS)

    def equities(self, values: Values) -> NDArray[np.float64]:
        """Return the equities that rank candidates, in points for the side on roll: ``float64[n]``.

        Money equity without the cube; else in the present state of the cube: 1 is a game won singly.
        """
        if self.space is not None:
            return to_equities(values[:, OUTCOME_COLUMNS], self.space)
        equities: NDArray[np.float64] = values.astype(np.float64) @ _CUBELESS_WEIGHTS - 1.0
        return equities

    def match_winning_chances(self, values: Values) -> NDArray[np.float64] | None:
        """Return the match-winning chances of the side on roll, ``float64[n]``; None in money play."""
        if self.kind in (OUTCOMES_ONLY, MONEY):
            return None
        return values[:, OUTCOME_COLUMNS].astype(np.float64)

    def read_root(self, values: Values, *, is_over: bool) -> RootReading:
        """Read the values of one position, without the double option.

        Args:
            values: ``float32[columns]``.
            is_over: Whether the game is over.
        """
        if self.space is None:
            return RootReading()
        if not self.is_cubeful:
            return RootReading(mwc=float(values[OUTCOME_COLUMNS]))
        decision = decide_from_values(values[OUTCOME_COLUMNS:], self.space)
        if is_over:
            return RootReading(decision.no_double.equity_points, decision.no_double.mwc)
        return RootReading(decision.best.equity_points, decision.best.mwc, decision)

    def decide(self, values: Values, boards: Board) -> list[CubeDecision | None]:
        """Return the cube decisions of positions; None for those that are over.

        Args:
            values: ``float32[n, columns]``, cubeful and without the double option.
            boards: ``int8[n, 2, 26]``.
        """
        assert self.space is not None
        decisions = decide_from_many_values(values[:, OUTCOME_COLUMNS:], self.space)
        over = find_finished(boards).tolist()
        return [None if is_over else each for each, is_over in zip(decisions, over, strict=True)]

    def make_rules(self) -> ObjectiveRules:
        """Return the objective for compiled searches."""
        return make_rules(self.kind, self.space)


@lru_cache(maxsize=256)
def make_rules(kind: int, space: CubeStateSpace | None) -> ObjectiveRules:
    """Return how kernels make values of outcomes.

    Args:
        kind: A kind of `engine.kernels.objectives`.
        space: The states of the cube, seen by the side on roll; None if the values are outcomes alone.
    """
    states = space.kernel_states if space else np.empty((0, 3), np.int8)
    return ObjectiveRules(
        kind,
        DEFAULT_EFFICIENCIES.tables,
        as_kernel_array(states[:, 1], np.int8),
        space is not None and space.is_money and space.match.jacoby,
        as_kernel_array(list_exact_columns(space) if space else np.empty(0), np.int64),
        as_kernel_array(space.result_values if space else np.empty((0, 2, 3)), np.float64),
        as_kernel_array(space.turns_cube if space else np.empty((0, 2)), np.bool_),
        as_kernel_array(states, np.int8),
        space.double_option if space else _NO_DOUBLES,
    )


def find_settled(exact: Sequence[ExactEvaluator], boards: Board) -> NDArray[np.bool_]:
    """Return which positions are over or known exactly.

    Args:
        exact: Evaluators that know positions.
        boards: ``int8[n, 2, 26]``.

    Returns:
        ``bool[n]``.
    """
    settled = find_finished(boards)
    for evaluator in exact:
        settled |= evaluator.covers(boards)
    return settled


def evaluate_outcomes(evaluator: Evaluator, boards: Board) -> Outcomes:
    """Evaluate positions; finished ones exactly.

    Args:
        evaluator: The evaluator.
        boards: ``int8[n, 2, 26]``.

    Returns:
        ``float32[n, 5]``.
    """
    outcomes = evaluator.evaluate(boards)
    if kernel_phases.is_any_over(as_kernel_array(boards, np.int8)):
        over = find_finished(boards)
        outcomes = outcomes.copy()
        outcomes[over] = evaluate_finished(boards[over])
    return outcomes
