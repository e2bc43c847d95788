"""What a trial is scored in: the five outcomes, and the seam for values of the cube beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.rules.outcome import LOSE_BG, LOSE_G, WIN, WIN_BG, WIN_G, Outcomes
from engine.rules.position import Board

OUTCOME_COLUMNS = 5
"""The first columns of all scores are the outcome; a trial's stake multiplies the columns after them."""

Scores = NDArray[np.float64]
"""``float64[n, columns]``, for the side on roll at the start of the rollout."""


@dataclass(eq=False)
class TrialCubes:
    """The cube in each of many trials, or at each start.

    Attributes:
        states: ``int8[n]``, numbers that only the scoring understands; 0 is the present state.
        stakes: ``float64[n]``, by what each trial's columns after the outcome count.
    """

    states: NDArray[np.int8]
    stakes: NDArray[np.float64]

    @classmethod
    def make_initial(cls, rows: int) -> TrialCubes:
        """The present cube, so many times, at a stake of 1."""
        return cls(np.zeros(rows, np.int8), np.ones(rows))

    def __getitem__(self, rows: NDArray[np.bool_] | NDArray[np.int64] | list[int]) -> TrialCubes:
        """A copy of some rows."""
        return TrialCubes(self.states[rows], self.stakes[rows])

    def __setitem__(self, rows: NDArray[np.bool_] | NDArray[np.int64], cubes: TrialCubes) -> None:
        self.states[rows] = cubes.states
        self.stakes[rows] = cubes.stakes

    def equals(self, other: TrialCubes) -> bool:
        """Whether all rows are equal."""
        return np.array_equal(self.states, other.states) and np.array_equal(self.stakes, other.stakes)


class TrialScoring(Protocol):
    """How positions in trials are scored. The side of even turns is the one on roll at the start."""

    @property
    def name(self) -> str:
        """What it scores in; rollouts scored otherwise cannot be continued with this."""
        ...

    @property
    def columns(self) -> int:
        """Columns of the scores, 5 or more."""
        ...

    def score(
        self,
        outcomes: Outcomes,
        boards: Board,
        turn: int,
        states: NDArray[np.int8],
        equities: NDArray[np.float32] | None = None,
    ) -> Scores:
        """Score positions before the roll, at a stake of 1; after turn 0 the side on roll may still double.

        Args:
            outcomes: ``float32[n, 5]`` for the side on roll.
            boards: ``int8[n, 2, 26]``.
            turn: Turns played since the start, the same for all.
            states: ``int8[n]``, the cube of each.
            equities: ``float32[n, 3]``, exact money equities, as `CubefulEvaluator.cubeful_equities`, if
                known.
        """
        ...

    def can_settle(self, states: NDArray[np.int8], *, with_equities: bool) -> NDArray[np.bool_]:
        """Say in which states an exact outcome says all that a game is worth: ``bool[n]``.

        Args:
            states: ``int8[n]``, the cube of each.
            with_equities: Whether the exact money equities with the cube are known too.
        """
        ...

    def may_double(self, turn: int, states: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Say in which states the side on roll has a use for doubling: ``bool[n]``."""
        ...

    def act_on_cube(
        self, outcomes: Outcomes, boards: Board, turn: int, cubes: TrialCubes
    ) -> tuple[NDArray[np.bool_], Scores]:
        """Let the sides on roll double where it is right, and the others answer, before the roll.

        Args:
            outcomes: ``float32[n, 5]`` for the side on roll.
            boards: ``int8[n, 2, 26]``, none of them over, all in states where the side on roll may double.
            turn: Turns played since the start.
            cubes: Of these positions; changed in place where a double is taken.

        Returns:
            Which games end with a pass, ``bool[n]``, and the scores of those games at a stake of 1.
        """
        ...

    def equities(self, scores: Scores) -> NDArray[np.float64]:
        """Turn scores into equities in points for the same side, ``float64[n]``."""
        ...

    def swap_sides(self, scores: Scores) -> Scores:
        """See scores from the other side."""
        ...


class CubelessScoring:
    """Scores money games without a cube: the outcome alone."""

    name = "cubeless"
    columns = OUTCOME_COLUMNS

    def score(
        self,
        outcomes: Outcomes,
        boards: Board,
        turn: int,
        states: NDArray[np.int8],
        equities: NDArray[np.float32] | None = None,
    ) -> Scores:
        """Score positions, as `TrialScoring.score`."""
        scores = outcomes.astype(np.float64)
        return self.swap_sides(scores) if turn % 2 else scores

    def can_settle(self, states: NDArray[np.int8], *, with_equities: bool) -> NDArray[np.bool_]:
        """Everywhere: the outcome is all that counts."""
        return np.ones(len(states), np.bool_)

    def may_double(self, turn: int, states: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Nowhere: there is no cube."""
        return np.zeros(len(states), np.bool_)

    def act_on_cube(
        self, outcomes: Outcomes, boards: Board, turn: int, cubes: TrialCubes
    ) -> tuple[NDArray[np.bool_], Scores]:
        """Do nothing: there is no cube."""
        return np.zeros(len(boards), np.bool_), np.empty((0, self.columns))

    def equities(self, scores: Scores) -> NDArray[np.float64]:
        """Cubeless money equities in points, ``float64[n]``."""
        gains = 2 * scores[..., WIN] - 1 + scores[..., WIN_G] + scores[..., WIN_BG]
        equities: NDArray[np.float64] = gains - scores[..., LOSE_G] - scores[..., LOSE_BG]
        return equities

    def swap_sides(self, scores: Scores) -> Scores:
        """See outcomes from the other side, as `TrialScoring.swap_sides`."""
        turned: Scores = scores[..., [WIN, LOSE_G, LOSE_BG, WIN_G, WIN_BG]]
        turned[..., WIN] = 1.0 - turned[..., WIN]
        return turned
