"""Objectives with the cube or a match score: the outcome, and a value for each state of the cube."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.cubeful import (
    CubeStateSpace,
    build_cube_state_space,
    compute_dead_cube_values,
    compute_leaf_values,
    cube_efficiencies,
    decide_from_values,
    select_exact_values,
    to_equities,
    with_doubling_option,
)
from engine.cubeful.match_equity import MatchEquityTable
from engine.evaluation.evaluator import Evaluator, ExactEvaluator
from engine.kernels import objectives as kernel_objectives
from engine.kernels.objectives import ObjectiveRules
from engine.rules.match import MatchState
from engine.rules.position import Board, find_finished
from engine.search.objective import (
    OUTCOME_BACKUP,
    BackupRule,
    CubelessObjective,
    RootReading,
    Values,
    evaluate_outcomes,
    find_settled,
    make_rules,
)

OUTCOME_COLUMNS = len(OUTCOME_BACKUP.score_of)
"""Columns of the outcome, the first ones; a column for each state of the cube follows."""


class CubefulEvaluator(ExactEvaluator, Protocol):
    """Knows some positions exactly, with the cube too, such as a two-sided bearoff database."""

    def cubeful_equities(self, boards: Board) -> NDArray[np.float32]:
        """Evaluate positions in money play, before the roll, without a double on this roll.

        Args:
            boards: ``int8[n, 2, 26]``, all covered.

        Returns:
            ``float32[n, 3]`` in points for a cube of 1: in the middle, owned by the side on roll, owned by
            the opponent.
        """
        ...


@dataclass(frozen=True)
class CubefulObjective:
    """Outcomes, and values in all states of the cube; the value in each state chooses its plays.

    Attributes:
        evaluator: Evaluates the leaves.
        space: The states of the cube, seen by the side on roll.
        exact: Evaluators from whose positions nothing is looked ahead in money play.
    """

    evaluator: Evaluator
    space: CubeStateSpace
    exact: tuple[CubefulEvaluator, ...] = ()

    is_cubeful: ClassVar[bool] = True

    @cached_property
    def columns(self) -> int:
        """Five for the outcome, and one for each state of the cube."""
        return OUTCOME_COLUMNS + len(self.space.states)

    @cached_property
    def backup_rule(self) -> BackupRule:
        """Each state has its own best reply; the outcome is that of the present state's."""
        return _make_state_backup(len(self.space.states), self.space.is_money)

    @cached_property
    def other(self) -> CubefulObjective:
        """The same game from the opponent's side."""
        return CubefulObjective(self.evaluator, self.space.opponent_view, self.exact)

    def is_settled(self, boards: Board) -> NDArray[np.bool_]:
        """Return finished and, in money play, exactly known positions, ``bool[n]``."""
        return find_settled(self.exact if self.space.is_money else (), boards)

    def evaluate(self, boards: Board) -> Values:
        """Evaluate positions, as `Objective.evaluate`."""
        outcomes = evaluate_outcomes(self.evaluator, boards)
        values = compute_leaf_values(outcomes, cube_efficiencies(boards), self.space)
        if self.space.is_money:
            self._overwrite_exact(boards, values)
        return np.concatenate([outcomes, values], axis=1)

    def apply_double_option(self, values: Values) -> Values:
        """Add the option to double, as `engine.cubeful.with_doubling_option`."""
        return with_doubling_option(values, self.space, OUTCOME_COLUMNS)

    def equities(self, values: Values) -> NDArray[np.float64]:
        """Return equities in the present state of the cube: 1 is a game won singly, ``float64[n]``."""
        return to_equities(values[:, OUTCOME_COLUMNS], self.space)

    def match_winning_chances(self, values: Values) -> NDArray[np.float64] | None:
        """Return match-winning chances with the present cube, ``float64[n]``; None in money play."""
        return None if self.space.is_money else values[:, OUTCOME_COLUMNS].astype(np.float64)

    def read_root(self, values: Values, *, is_over: bool) -> RootReading:
        """Read values, as `Objective.read_root`."""
        decision = decide_from_values(values[OUTCOME_COLUMNS:], self.space)
        if is_over:
            return RootReading(decision.no_double.equity_points, decision.no_double.mwc)
        return RootReading(decision.best.equity_points, decision.best.mwc, decision)

    def make_rules(self) -> ObjectiveRules:
        """Return the objective for compiled searches."""
        if self.space.is_money:
            return make_rules(kernel_objectives.MONEY, self.backup_rule, self.space)
        return make_rules(kernel_objectives.MATCH, self.backup_rule, self.space)

    def _overwrite_exact(self, boards: Board, values: Values) -> None:
        """Overwrite the values of positions that are known exactly."""
        for evaluator in self.exact:
            covered = np.flatnonzero(evaluator.covers(boards))
            if covered.size:
                covered = covered[~find_finished(boards[covered])]
                equities = evaluator.cubeful_equities(boards[covered])
                values[covered] = select_exact_values(equities, self.space)


@dataclass(frozen=True)
class MatchObjective:
    """Outcomes, and match-winning chances with a dead cube.

    Attributes:
        evaluator: Evaluates the leaves.
        space: The dead cube, from `make_dead_cube_game`.
        exact: Evaluators from whose positions nothing is looked ahead.
    """

    evaluator: Evaluator
    space: CubeStateSpace
    exact: tuple[ExactEvaluator, ...] = ()

    is_cubeful: ClassVar[bool] = False

    @property
    def columns(self) -> int:
        """Six: the outcome, and the match-winning chance."""
        return OUTCOME_COLUMNS + 1

    @cached_property
    def backup_rule(self) -> BackupRule:
        """The reply with the best match-winning chance; all columns come from it."""
        return _make_state_backup(1, is_money=False)

    @cached_property
    def other(self) -> MatchObjective:
        """The same game from the opponent's side."""
        return MatchObjective(self.evaluator, self.space.opponent_view, self.exact)

    def is_settled(self, boards: Board) -> NDArray[np.bool_]:
        """Return finished and exactly known positions, ``bool[n]``."""
        return find_settled(self.exact, boards)

    def evaluate(self, boards: Board) -> Values:
        """Evaluate positions, as `Objective.evaluate`."""
        outcomes = evaluate_outcomes(self.evaluator, boards)
        return np.concatenate([outcomes, compute_dead_cube_values(outcomes, self.space)[:, None]], axis=1)

    def apply_double_option(self, values: Values) -> Values:
        """Return the values: nobody doubles."""
        return values

    def equities(self, values: Values) -> NDArray[np.float64]:
        """Return equities: 1 is a game won singly at the present cube, ``float64[n]``."""
        return to_equities(values[:, OUTCOME_COLUMNS], self.space)

    def match_winning_chances(self, values: Values) -> NDArray[np.float64]:
        """Return match-winning chances, ``float64[n]``."""
        return values[:, OUTCOME_COLUMNS].astype(np.float64)

    def read_root(self, values: Values, *, is_over: bool) -> RootReading:
        """Read values, as `Objective.read_root`; there is no cube decision."""
        return RootReading(mwc=float(values[OUTCOME_COLUMNS]))

    def make_rules(self) -> ObjectiveRules:
        """Return the objective for compiled searches."""
        return make_rules(kernel_objectives.DEAD_CUBE, self.backup_rule, self.space)


def make_cubeless_objective(
    evaluator: Evaluator,
    match: MatchState,
    table: MatchEquityTable | None,
    exact: tuple[CubefulEvaluator, ...] = (),
) -> CubelessObjective | MatchObjective:
    """Make the objective of play without the cube: money equity, or match-winning chance.

    Args:
        evaluator: Evaluates the leaves.
        match: The match state.
        table: The match equity table; the shipped one if None.
        exact: Evaluators that know their positions under best play.
    """
    if match.is_money:
        return CubelessObjective(evaluator, exact)
    return MatchObjective(evaluator, make_dead_cube_game(match, table), exact)


def make_dead_cube_game(match: MatchState, table: MatchEquityTable | None = None) -> CubeStateSpace:
    """Make the cube states of a game whose cube is dead, whoever owns it.

    Args:
        match: The match state.
        table: The match equity table; the shipped one if None.
    """
    owner = None if match.cube == 1 else match.on_roll
    return build_cube_state_space(replace(match, cube_owner=owner), table, max_cube_turns=0)


def _make_state_backup(states: int, is_money: bool) -> BackupRule:
    """Back up each state of the cube from its own best reply."""
    scores = np.zeros((states, OUTCOME_COLUMNS + states))
    scores[:, OUTCOME_COLUMNS:] = np.eye(states)
    own = np.arange(states)
    return BackupRule(
        scores=scores,
        score_of=np.concatenate([np.zeros(OUTCOME_COLUMNS, np.int64), own]),
        opponent_column=np.concatenate([OUTCOME_BACKUP.opponent_column, OUTCOME_COLUMNS + own]),
        factors=np.concatenate([OUTCOME_BACKUP.factors, np.full(states, -1.0)]),
        shifts=np.concatenate([OUTCOME_BACKUP.shifts, np.full(states, 0.0 if is_money else 1.0)]),
    )
