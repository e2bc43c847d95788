"""Scoring of trials: the five outcomes, with columns for cubeful values beside them in a subclass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.kernels import rollout_scoring as kernel_scoring
from engine.kernels.rollout_scoring import ScoringTables
from engine.rules.outcome import LOSE_BG, LOSE_G, WIN, WIN_BG, WIN_G, Outcomes
from engine.rules.position import Board

OUTCOME_COLUMNS = kernel_scoring.OUTCOME_COLUMNS
"""Columns of the outcome, the first ones of all scores; a trial's stake multiplies the others."""

Scores = NDArray[np.float64]
"""``float64[n, columns]``, for the side on roll at the start of the rollout."""


@dataclass(eq=False)
class TrialCubes:
    """The cube in each of many trials, or at each start.

    Attributes:
        states: ``int8[n]``, states of the cube as the scoring numbers them; 0 is the present one.
        stakes: ``float64[n]``, factors of the columns after the outcome.
    """

    states: NDArray[np.int8]
    stakes: NDArray[np.float64]

    @classmethod
    def make_initial(cls, rows: int) -> TrialCubes:
        """Return the present cube for each row, at a stake of 1."""
        return cls(np.zeros(rows, np.int8), np.ones(rows))

    def __getitem__(self, rows: NDArray[np.bool_] | NDArray[np.int64] | list[int]) -> TrialCubes:
        """Return a copy of some rows."""
        return TrialCubes(self.states[rows], self.stakes[rows])

    def __setitem__(self, rows: NDArray[np.bool_] | NDArray[np.int64], cubes: TrialCubes) -> None:
        self.states[rows] = cubes.states
        self.stakes[rows] = cubes.stakes

    def equals(self, other: TrialCubes) -> bool:
        """Return whether all rows are equal."""
        return np.array_equal(self.states, other.states) and np.array_equal(self.stakes, other.stakes)


class TrialScoring:
    """Scores positions in trials of cubeless money games: the outcome alone. A subclass adds the cube.

    The side on roll at the start moves on even turns.
    """

    columns = OUTCOME_COLUMNS
    """Columns of the scores."""

    @property
    def name(self) -> str:
        """The kind of scores; a rollout can only be continued with the same kind."""
        return "cubeless"

    def score(
        self,
        outcomes: Outcomes,
        boards: Board,
        turn: int,
        states: NDArray[np.int8],
        equities: NDArray[np.float32] | None = None,
    ) -> Scores:
        """Score positions before the roll, at a stake of 1; from turn 1 on the side on roll may double.

        Args:
            outcomes: ``float32[n, 5]`` for the side on roll.
            boards: ``int8[n, 2, 26]``.
            turn: Number of turns played since the start, the same for all.
            states: ``int8[n]``, the cube of each.
            equities: ``float32[n, 3]``, exact money equities, as `CubefulEvaluator.cubeful_equities`, if
                known.
        """
        scores = outcomes.astype(np.float64)
        return self.swap_sides(scores) if turn % 2 else scores

    def can_settle(self, states: NDArray[np.int8], *, with_equities: bool) -> NDArray[np.bool_]:
        """Return in which states an exact outcome settles the value of a game: ``bool[n]``.

        Args:
            states: ``int8[n]``, the cube of each.
            with_equities: Whether the exact cubeful money equities are known too.
        """
        return np.ones(len(states), np.bool_)

    def may_double(self, turn: int, states: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Return in which states the side on roll may double to its benefit: ``bool[n]``."""
        return np.zeros(len(states), np.bool_)

    def act_on_cube(
        self, outcomes: Outcomes, boards: Board, turn: int, cubes: TrialCubes
    ) -> tuple[NDArray[np.bool_], Scores]:
        """Play the cube actions before the roll: correct doubles and the responses to them.

        Args:
            outcomes: ``float32[n, 5]`` for the side on roll.
            boards: ``int8[n, 2, 26]``, none of them over, all in states where the side on roll may double.
            turn: Number of turns played since the start.
            cubes: The cubes of these positions; changed in place where a double is taken.

        Returns:
            The games that end with a pass, ``bool[n]``, and the scores of those games at a stake of 1.
        """
        return np.zeros(len(boards), np.bool_), np.empty((0, self.columns))

    def equities(self, scores: Scores) -> NDArray[np.float64]:
        """Convert scores into equities in points for the same side, ``float64[n]``."""
        gains = 2 * scores[..., WIN] - 1 + scores[..., WIN_G] + scores[..., WIN_BG]
        equities: NDArray[np.float64] = gains - scores[..., LOSE_G] - scores[..., LOSE_BG]
        return equities

    def make_tables(self) -> ScoringTables:
        """Make the tables by which kernels score the same."""
        return ScoringTables(
            is_cubeful=False,
            is_money=True,
            may_double_at_start=False,
            jacoby=False,
            beavers=False,
            may_beaver=False,
            stake_factor=1.0,
            efficiencies=np.zeros((4, 1), np.float32),
            states=np.zeros((2, 1, 3), np.int8),
            owners=np.zeros((2, 1), np.int8),
            turns=np.zeros((2, 1, 2), np.bool_),
            worths=np.zeros((2, 1, 2, 3)),
            state_after_take=np.zeros((2, 1), np.int64),
            may_double=np.zeros((2, 1), np.bool_),
            pass_values=np.zeros((2, 1), np.float32),
            is_dead=np.ones(1, np.bool_),
            exact_columns=np.zeros((2, 1), np.int64),
        )

    def swap_sides(self, scores: Scores) -> Scores:
        """Return scores from the opponent's side."""
        turned: Scores = scores[..., [WIN, LOSE_G, LOSE_BG, WIN_G, WIN_BG]]
        turned[..., WIN] = 1.0 - turned[..., WIN]
        return turned
