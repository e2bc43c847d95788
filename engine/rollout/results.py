"""The state of a rollout: the scores of every trial as plain data, and estimates from them.

A score is the outcome, and in a game with states of the cube its value beside it: in points for a cube of 1
in money play, times the trial's stake, and a match-winning chance in a match. In a game that ends with a
pass, the outcome is the evaluator's before the pass. Checker play is the policy's, whatever the cube.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.cubeful import CUBELESS_GAME, CubeGame
from gammond.engine.evaluation.results import Evaluation, MeanEquity
from gammond.engine.kernels.values import OUTCOME_COLUMNS
from gammond.engine.rules.outcome import Outcome, invert_outcomes
from gammond.engine.rules.position import Board
from gammond.engine.statistics import compute_standard_errors

VALUE_COLUMN = OUTCOME_COLUMNS
"""The column of the cubeful value, after those of the outcome, which a stake multiplies."""

Scores = NDArray[np.float64]
"""``float64[n, columns]``, for the side on roll at the start of the rollout."""


@dataclass(eq=False)
class TrialCubes:
    """The cube at each of many starts.

    Attributes:
        states: ``int8[n]``, the numbers of the game's states; 0 is the present one.
        stakes: ``float64[n]``, factors of the value.
    """

    states: NDArray[np.int8]
    stakes: NDArray[np.float64]

    @classmethod
    def make_initial(cls, rows: int) -> TrialCubes:
        """Return the present cube for each row, at a stake of 1."""
        return cls(np.zeros(rows, np.int8), np.ones(rows))

    @classmethod
    def make_decision(cls, game: CubeGame) -> TrialCubes:
        """Return the present cube, and the one after a double is taken where a double is possible."""
        taken = game.state_after_take
        if taken < 0:
            return cls.make_initial(1)
        return cls(np.array([0, taken], np.int8), np.array([1.0, game.arrays.stake_factor]))

    def __getitem__(self, rows: list[int]) -> TrialCubes:
        """Return a copy of some rows."""
        return TrialCubes(self.states[rows], self.stakes[rows])

    def equals(self, other: TrialCubes) -> bool:
        """Return whether all rows are equal."""
        return np.array_equal(self.states, other.states) and np.array_equal(self.stakes, other.stakes)


def count_score_columns(game: CubeGame) -> int:
    """Return the number of columns of scores."""
    return OUTCOME_COLUMNS + (1 if game.states else 0)


@dataclass(frozen=True, eq=False)
class RolloutState:
    """A rollout so far: plain data from which it can be continued.

    Attributes:
        starts: ``int8[c, 2, 26]``, the positions rolled out.
        cubes: The cube at each of them.
        seed: Seed of the dice.
        truncation: Plies; 0 for none.
        variance_reduction: Whether luck was subtracted.
        evaluators: Names of the evaluators.
        scoring: What was at stake: the name of the game.
        scores: For each start ``float64[trials, columns]``, for the player on roll there; trial i in row i.
    """

    starts: Board
    cubes: TrialCubes
    seed: int
    truncation: int
    variance_reduction: bool
    evaluators: tuple[str, ...]
    scoring: str
    scores: tuple[Scores, ...]

    def count_trials(self, start: int = 0) -> int:
        """Return the number of trials played of one of the starts."""
        return len(self.scores[start])

    def estimate(
        self, start: int = 0, game: CubeGame = CUBELESS_GAME, *, for_opponent: bool = False
    ) -> Evaluation:
        """Estimate one of the starts by the mean of its trials, with standard errors.

        With variance reduction a probability near 0 or 1 may lie outside by about its error. Standard errors
        are those of independent trials: the quasi-random first rolls make the true ones a little smaller.

        Args:
            start: Index of the start.
            game: The game of the rollout; cubeless equities without.
            for_opponent: Whether to estimate for the side that is not on roll: the one that has just played.
        """
        scores = self.scores[start]
        mean, cubeless = (
            self.estimate_equity(start, by, for_opponent=for_opponent) for by in (game, CUBELESS_GAME)
        )
        outcomes = scores[:, :OUTCOME_COLUMNS]
        if for_opponent:
            outcomes = invert_outcomes(outcomes)
        own = game.other if for_opponent else game
        even, stake = own.equity_scale
        return Evaluation(
            mean.equity,
            Outcome(*outcomes.mean(axis=0).tolist()),
            f"rollout of {self.truncation} plies" if self.truncation else "rollout",
            mean.error,
            mean.trials,
            cubeless.equity,
            None if own.is_money else even + mean.equity * stake,
            own.mwc_per_point,
            own.is_cubeful,
            outcome_errors=Outcome(*compute_standard_errors(outcomes).tolist()),
            cubeless_error=cubeless.error,
        )

    def estimate_equity(
        self, start: int = 0, game: CubeGame = CUBELESS_GAME, *, for_opponent: bool = False
    ) -> MeanEquity:
        """Estimate the equity of one of the starts; as `estimate`, and far faster."""
        equities = game.equities(self.scores[start])
        mean = float(-equities.mean() if for_opponent else equities.mean())
        return MeanEquity(len(equities), mean, float(compute_standard_errors(equities)))

    def estimate_difference(self, start: int, other: int, game: CubeGame = CUBELESS_GAME) -> MeanEquity:
        """Compare two starts for the side that is *not* on roll there.

        The difference is positive if ``start`` is better for that side.

        Args:
            start: Index of one start.
            other: Index of the other.
            game: The game of the rollout; cubeless equities without.
        """
        trials = min(self.count_trials(start), self.count_trials(other))
        mine, others = (game.equities(self.scores[which][:trials]) for which in (start, other))
        gains = others - mine
        return MeanEquity(trials, float(gains.mean()), float(compute_standard_errors(gains)))
