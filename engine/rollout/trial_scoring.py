"""Scoring of trials: the five outcomes, and with the cube its value beside them.

`engine.kernels.rollout_scoring` computes the scores, by the rules that a scoring makes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.bearoff.tables import NO_TABLES
from engine.cubeful import CubeEfficiencies, CubeStateSpace
from engine.kernels import objectives as kernel_objectives
from engine.kernels.rollout_scoring import TrialRules
from engine.rollout.settings import RolloutSettings
from engine.rules.dice import ROLL_WEIGHTS, ROLLS
from engine.rules.outcome import LOSE_BG, LOSE_G, WIN, WIN_BG, WIN_G
from engine.search.objective import make_rules

OUTCOME_COLUMNS = VALUE_COLUMN = kernel_objectives.OUTCOME_COLUMNS
"""Columns of the outcome, and the column of the cubeful value after them, which a stake multiplies."""

Scores = NDArray[np.float64]
"""``float64[n, columns]``, for the side on roll at the start of the rollout."""

_ALL_ROLLS = np.array(ROLLS, np.int8)


@dataclass(eq=False)
class TrialCubes:
    """The cube at each of many starts.

    Attributes:
        states: ``int8[n]``, states of the cube as the scoring numbers them; 0 is the present one.
        stakes: ``float64[n]``, factors of the value.
    """

    states: NDArray[np.int8]
    stakes: NDArray[np.float64]

    @classmethod
    def make_initial(cls, rows: int) -> TrialCubes:
        """Return the present cube for each row, at a stake of 1."""
        return cls(np.zeros(rows, np.int8), np.ones(rows))

    def __getitem__(self, rows: list[int]) -> TrialCubes:
        """Return a copy of some rows."""
        return TrialCubes(self.states[rows], self.stakes[rows])

    def equals(self, other: TrialCubes) -> bool:
        """Return whether all rows are equal."""
        return np.array_equal(self.states, other.states) and np.array_equal(self.stakes, other.stakes)


class TrialScoring:
    """Scores trials of cubeless money games: by the outcome alone. A subclass adds the cube.

    The side on roll at the start moves on even turns.
    """

    columns = OUTCOME_COLUMNS
    """Columns of the scores."""

    @property
    def name(self) -> str:
        """The kind of scores; a rollout can only be continued with the same kind."""
        return "cubeless"

    def equities(self, scores: Scores) -> NDArray[np.float64]:
        """Convert scores into equities in points for the same side, ``float64[n]``."""
        gains = 2 * scores[..., WIN] - 1 + scores[..., WIN_G] + scores[..., WIN_BG]
        equities: NDArray[np.float64] = gains - scores[..., LOSE_G] - scores[..., LOSE_BG]
        return equities

    def swap_sides(self, scores: Scores) -> Scores:
        """Return scores from the opponent's side."""
        values = range(OUTCOME_COLUMNS, self.columns)
        swapped: Scores = scores[..., [WIN, LOSE_G, LOSE_BG, WIN_G, WIN_BG, *values]]
        swapped[..., WIN] = 1.0 - swapped[..., WIN]
        return swapped

    def make_rules(self, settings: RolloutSettings) -> TrialRules:
        """Make the rules of trials for kernels; truncation and variance reduction come from the settings."""
        rules = make_rules(kernel_objectives.OUTCOMES_ONLY, None)
        return TrialRules(
            own=rules,
            other=rules,
            is_dead=np.ones(1, np.bool_),
            may_double_at_start=False,
            may_beaver=False,
            truncation=settings.truncation,
            variance_reduction=settings.variance_reduction,
            dice=_ALL_ROLLS,
            weights=ROLL_WEIGHTS,
            no_tables=NO_TABLES,
        )


class CubefulScoring(TrialScoring):
    """Scores games with the cube: by the cubeless outcome, and the cubeful value.

    The sixth column is in points for a cube of 1 in money play, times the trial's stake, and a match-winning
    chance in a match. In a game that ends with a pass, the outcome is the evaluator's before the pass.
    Checker play is the policy's, whatever the cube.

    Args:
        space: The states of the cube, seen by the side on roll at the start.
        may_double_at_start: Whether the side on roll at the start may double before its first roll: yes for
            positions after plays, no for a position without the double, or after it.
        efficiencies: Cube efficiencies; the usual ones if None.
    """

    columns = OUTCOME_COLUMNS + 1

    def __init__(
        self,
        space: CubeStateSpace,
        *,
        may_double_at_start: bool = False,
        efficiencies: CubeEfficiencies | None = None,
    ) -> None:
        self.game = space
        self._may_double_at_start = may_double_at_start
        self._efficiencies = efficiencies

    @property
    def name(self) -> str:
        """The match state, the match equity table and the side that may double first."""
        first = "doubling" if self._may_double_at_start else "rolling"
        states = " ".join(f"{state.value}:{state.owner}" for state in self.game.states)
        name = f"cubeful, seat {self.game.seat} {first}, {self.game.match}, {self.game.table.name}, {states}"
        return name if self._efficiencies is None else f"{name}, {self._efficiencies}"

    def equities(self, scores: Scores) -> NDArray[np.float64]:
        """Return cubeful equities, ``float64[n]``: 1 is a game won singly at the present cube."""
        even, stake = self.game.equity_scale
        equities: NDArray[np.float64] = (scores[..., VALUE_COLUMN] - even) / stake
        return equities

    def swap_sides(self, scores: Scores) -> Scores:
        """Return scores from the opponent's side, as `TrialScoring.swap_sides`."""
        swapped = super().swap_sides(scores)
        swapped[..., VALUE_COLUMN] = (0.0 if self.game.is_money else 1.0) - swapped[..., VALUE_COLUMN]
        return swapped

    def make_rules(self, settings: RolloutSettings) -> TrialRules:
        """Make the rules of trials, as `TrialScoring.make_rules`."""
        game = self.game
        kind = kernel_objectives.MONEY if game.is_money else kernel_objectives.MATCH
        own, other = (make_rules(kind, view) for view in (game, game.opponent_view))
        if self._efficiencies is not None:
            own, other = (each._replace(efficiencies=self._efficiencies.tables) for each in (own, other))
        rules = super().make_rules(settings)
        return rules._replace(
            own=own,
            other=other,
            is_dead=game.is_dead,
            may_double_at_start=self._may_double_at_start,
            may_beaver=game.match.may_beaver,
        )
