"""Objectives: the values that a search carries from its leaves to its root, and how it backs them up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from engine.cubeful import CubeDecision, CubeStateSpace
from engine.cubeful.efficiency import DEFAULT_EFFICIENCIES
from engine.cubeful.values import list_exact_columns
from engine.evaluation.evaluator import Evaluator, ExactEvaluator
from engine.kernels import as_kernel_array
from engine.kernels import objectives as kernel_objectives
from engine.kernels import phases as kernel_phases
from engine.kernels.objectives import ObjectiveRules
from engine.rules.outcome import LOSE_BG, LOSE_G, WIN, WIN_BG, WIN_G, Outcomes, evaluate_finished
from engine.rules.position import Board, find_finished

Values = NDArray[np.float32]
"""``float32[n, k]``; the first five columns are the outcome."""


@dataclass(frozen=True, eq=False)
class BackupRule:
    """How the values of replies become the value of the position before the roll: k columns, g scores.

    Attributes:
        scores: ``float64[g, k]``: scores of a reply as weights of its columns, seen by the next mover, so
            the mover chooses the least. The first score ranks the replies if only some are followed deeper.
        score_of: ``int64[k]``: the score that chooses the reply which a column comes from.
        opponent_column: ``int64[k]``: the opponent's column that a column comes from.
        factors: ``float64[k]``: 1 or -1.
        shifts: ``float64[k]``: a column is ``shift + factor * opponent's column``.
    """

    scores: NDArray[np.float64]
    score_of: NDArray[np.int64]
    opponent_column: NDArray[np.int64]
    factors: NDArray[np.float64]
    shifts: NDArray[np.float64]


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


class Objective(Protocol):
    """Evaluates positions for the side on roll, and defines how a search backs the values up.

    Equal objectives give bitwise equal values: a cache takes one for the other. Implementations are hashable
    and safe to use from several threads.
    """

    @property
    def evaluator(self) -> Evaluator:
        """Evaluates the leaves."""
        ...

    @property
    def exact(self) -> tuple[ExactEvaluator, ...]:
        """Evaluators from whose positions nothing is looked ahead."""
        ...

    @property
    def columns(self) -> int:
        """Columns of the values, 5 or more."""
        ...

    @property
    def is_cubeful(self) -> bool:
        """Whether the cube counts in `equities`."""
        ...

    @property
    def backup_rule(self) -> BackupRule:
        """How values of replies by `other` become a value by this objective."""
        ...

    @property
    def other(self) -> Objective:
        """The objective of the same game with the opponent on roll."""
        ...

    def is_settled(self, boards: Board) -> NDArray[np.bool_]:
        """Return which positions look-ahead cannot change, finished ones included: ``bool[n]``."""
        ...

    def evaluate(self, boards: Board) -> Values:
        """Evaluate positions at 0-ply, before the roll and before a double.

        Args:
            boards: ``int8[n, 2, 26]``; finished positions allowed, and evaluated exactly.

        Returns:
            ``float32[n, columns]``; each row depends on its own board alone.
        """
        ...

    def apply_double_option(self, values: Values) -> Values:
        """Add the option of the side on roll to double, as the opponent's choice of a reply counts it.

        The values of the root of a search are read without it.

        Args:
            values: ``float32[n, columns]``, from `evaluate` or backed up.

        Returns:
            ``float32[n, columns]``, which may be the same array.
        """
        ...

    def equities(self, values: Values) -> NDArray[np.float64]:
        """Return the equities that rank candidates, in points for the side on roll: ``float64[n]``."""
        ...

    def match_winning_chances(self, values: Values) -> NDArray[np.float64] | None:
        """Return the match-winning chances of the side on roll, ``float64[n]``; None in money play."""
        ...

    def read_root(self, values: Values, *, is_over: bool) -> RootReading:
        """Read the values of one position, without the double option.

        Args:
            values: ``float32[columns]``.
            is_over: Whether the game is over.
        """
        ...

    def make_rules(self) -> ObjectiveRules:
        """Return the objective for compiled searches, without tags."""
        ...


_CUBELESS_WEIGHTS = np.array([[2.0, 1.0, 1.0, -1.0, -1.0]])

OUTCOME_BACKUP = BackupRule(
    scores=_CUBELESS_WEIGHTS,
    score_of=np.zeros(5, np.int64),
    opponent_column=np.array([WIN, LOSE_G, LOSE_BG, WIN_G, WIN_BG]),
    factors=np.array([-1.0, 1.0, 1.0, 1.0, 1.0]),
    shifts=np.array([1.0, 0.0, 0.0, 0.0, 0.0]),
)
"""Replies are chosen by cubeless money equity; all five columns come from the same reply."""


@dataclass(frozen=True)
class CubelessObjective:
    """Outcomes by an evaluator; cubeless money equity chooses the plays.

    Attributes:
        evaluator: Evaluates the leaves.
        exact: Evaluators of positions under best play, from which nothing is looked ahead.
    """

    evaluator: Evaluator
    exact: tuple[ExactEvaluator, ...] = ()

    is_cubeful: ClassVar[bool] = False

    @property
    def columns(self) -> int:
        """Five: the outcome."""
        return len(OUTCOME_BACKUP.score_of)

    @property
    def backup_rule(self) -> BackupRule:
        """`OUTCOME_BACKUP`."""
        return OUTCOME_BACKUP

    @property
    def other(self) -> Self:
        """Itself: both sides share it."""
        return self

    def is_settled(self, boards: Board) -> NDArray[np.bool_]:
        """Return finished and exactly known positions, ``bool[n]``."""
        return find_settled(self.exact, boards)

    def evaluate(self, boards: Board) -> Values:
        """Evaluate positions, as `Objective.evaluate`."""
        return evaluate_outcomes(self.evaluator, boards)

    def apply_double_option(self, values: Values) -> Values:
        """Return the values: nothing is done before the roll."""
        return values

    def equities(self, values: Values) -> NDArray[np.float64]:
        """Return cubeless money equities, ``float64[n]``."""
        equities: NDArray[np.float64] = values.astype(np.float64) @ _CUBELESS_WEIGHTS[0] - 1.0
        return equities

    def match_winning_chances(self, values: Values) -> None:
        """Return None: cubeless equity is for money play."""

    def read_root(self, values: Values, *, is_over: bool) -> RootReading:
        """Return an empty reading: there is only the outcome."""
        return RootReading()

    def make_rules(self) -> ObjectiveRules:
        """Return the objective for compiled searches."""
        return make_rules(kernel_objectives.OUTCOMES_ONLY, OUTCOME_BACKUP)


def make_rules(kind: int, backup_rule: BackupRule, space: CubeStateSpace | None = None) -> ObjectiveRules:
    """Return an objective for compiled searches, without tags.

    Args:
        kind: A kind of `engine.kernels.objectives`.
        backup_rule: How values are backed up.
        space: The states of the cube, seen by the side on roll; None without them.
    """
    states = space.kernel_states if space else np.empty((0, 3), np.int8)
    return ObjectiveRules(
        kind,
        as_kernel_array(backup_rule.scores, np.float64),
        as_kernel_array(backup_rule.score_of, np.int64),
        as_kernel_array(backup_rule.opponent_column, np.int64),
        as_kernel_array(backup_rule.factors, np.float64),
        as_kernel_array(backup_rule.shifts, np.float64),
        DEFAULT_EFFICIENCIES.table,
        as_kernel_array(states[:, 1], np.int8),
        space is not None and space.is_money and space.match.jacoby,
        as_kernel_array(list_exact_columns(space) if space else np.empty(0), np.int64),
        as_kernel_array(space.result_values if space else np.empty((0, 2, 3)), np.float64),
        as_kernel_array(space.turns_cube if space else np.empty((0, 2)), np.bool_),
        as_kernel_array(states, np.int8),
        as_kernel_array(space.may_double if space else np.empty(0), np.bool_),
        as_kernel_array(space.state_after_take if space else np.empty(0), np.int64),
        as_kernel_array(space.pass_values if space else np.empty(0), np.float32),
        space.stake_factor if space else 1.0,
        space is not None and space.is_money and space.match.beavers,
        np.empty(0, np.int64),
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
