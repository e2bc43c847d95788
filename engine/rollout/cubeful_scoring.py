"""Cubeful scoring: both sides double, take and pass during the trials."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.cubeful import (
    DEFAULT_EFFICIENCIES,
    CubeEfficiencies,
    CubeStateSpace,
    compute_leaf_values,
    cube_efficiencies,
    list_exact_columns,
    select_exact_values,
    with_doubling_option,
)
from engine.kernels.cubeful import OWN
from engine.kernels.rollout_scoring import TIE_TOLERANCE, ScoringTables
from engine.rollout.trial_scoring import OUTCOME_COLUMNS, Scores, TrialCubes, TrialScoring
from engine.rules.outcome import LOSE_BG, LOSE_G, WIN, WIN_BG, WIN_G, Outcomes
from engine.rules.position import Board

VALUE_COLUMN = OUTCOME_COLUMNS
"""The column of the cubeful value."""


class CubefulScoring(TrialScoring):
    """Scores games with the cube: the cubeless outcome, and the cubeful value.

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
        self._games = (space, space.opponent_view)
        self._may_double_at_start = may_double_at_start
        self._efficiencies = efficiencies

    @property
    def name(self) -> str:
        """The match state, the match equity table and the side that may double first."""
        first = "doubling" if self._may_double_at_start else "rolling"
        states = " ".join(f"{state.value}:{state.owner}" for state in self.game.states)
        name = f"cubeful, seat {self.game.seat} {first}, {self.game.match}, {self.game.table.name}, {states}"
        return name if self._efficiencies is None else f"{name}, {self._efficiencies}"

    def score(
        self,
        outcomes: Outcomes,
        boards: Board,
        turn: int,
        states: NDArray[np.int8],
        equities: NDArray[np.float32] | None = None,
    ) -> Scores:
        """Score positions, as `TrialScoring.score`."""
        game = self._games[turn % 2]
        if equities is not None and game.is_money:
            values = select_exact_values(equities, game)
        else:
            values = compute_leaf_values(outcomes, self._compute_efficiencies(boards), game)
        if turn or self._may_double_at_start:
            values = with_doubling_option(values, game)
        scores = np.empty((len(boards), self.columns))
        scores[:, :OUTCOME_COLUMNS] = outcomes
        scores[:, VALUE_COLUMN] = values[np.arange(len(boards)), states]
        return self.swap_sides(scores) if turn % 2 else scores

    def can_settle(self, states: NDArray[np.int8], *, with_equities: bool) -> NDArray[np.bool_]:
        """Return where the cube is dead or exact money equities are known, as `TrialScoring.can_settle`."""
        if self.game.is_money and with_equities:
            return np.ones(len(states), np.bool_)
        is_known: NDArray[np.bool_] = self.game.is_dead[states]
        return is_known

    def may_double(self, turn: int, states: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Return where the side on roll may double to its benefit, as `TrialScoring.may_double`."""
        if not turn and not self._may_double_at_start:
            return np.zeros(len(states), np.bool_)
        may_double: NDArray[np.bool_] = self._games[turn % 2].may_double[states]
        return may_double

    def act_on_cube(
        self, outcomes: Outcomes, boards: Board, turn: int, cubes: TrialCubes
    ) -> tuple[NDArray[np.bool_], Scores]:
        """Play the cube actions, as `TrialScoring.act_on_cube`; a double that costs nothing is made."""
        game = self._games[turn % 2]
        rows, states = np.arange(len(boards)), cubes.states.astype(np.int64)
        values = compute_leaf_values(outcomes, self._compute_efficiencies(boards), game)
        after = game.state_after_take[states]
        held, passed = values[rows, states], game.pass_values[states]
        taken = np.float32(game.stake_factor) * values[rows, after]
        factors = np.full(len(rows), game.stake_factor)
        if game.match.may_beaver:
            factors[taken < -TIE_TOLERANCE] *= 2
            taken = np.where(taken < -TIE_TOLERANCE, 2 * taken, taken)
        doubled = np.minimum(taken, passed)
        costs_nothing = game.kernel_states[states, 2] == OWN
        doubles = (doubled > held + TIE_TOLERANCE) | (costs_nothing & (doubled > held - TIE_TOLERANCE))
        passes = doubles & (taken > passed + TIE_TOLERANCE)
        takes = doubles & ~passes
        cubes.states[takes] = after[takes]
        cubes.stakes[takes] *= factors[takes]
        scores = np.concatenate([outcomes[passes], passed[passes, None]], axis=1).astype(np.float64)
        return passes, self.swap_sides(scores) if turn % 2 else scores

    def equities(self, scores: Scores) -> NDArray[np.float64]:
        """Return cubeful equities, ``float64[n]``: 1 is a game won singly at the present cube."""
        even, stake = self.game.equity_scale
        equities: NDArray[np.float64] = (scores[..., VALUE_COLUMN] - even) / stake
        return equities

    def make_tables(self) -> ScoringTables:
        """Make the tables by which kernels score the same, as `TrialScoring.make_tables`."""
        game, views = self.game, self._games
        return ScoringTables(
            is_cubeful=True,
            is_money=game.is_money,
            may_double_at_start=self._may_double_at_start,
            jacoby=game.match.jacoby,
            beavers=game.is_money and game.match.beavers,
            may_beaver=game.match.may_beaver,
            stake_factor=game.stake_factor,
            efficiencies=(self._efficiencies or DEFAULT_EFFICIENCIES).table,
            states=np.stack([view.kernel_states for view in views]),
            owners=np.stack([view.kernel_states[:, 1] for view in views]),
            turns=np.stack([view.turns_cube for view in views]),
            worths=np.stack([view.result_values for view in views]),
            state_after_take=np.stack([view.state_after_take for view in views]),
            may_double=np.stack([view.may_double for view in views]),
            pass_values=np.stack([view.pass_values for view in views]),
            is_dead=game.is_dead,
            exact_columns=np.stack([list_exact_columns(view) for view in views]),
        )

    def swap_sides(self, scores: Scores) -> Scores:
        """Return scores from the opponent's side, as `TrialScoring.swap_sides`."""
        turned: Scores = scores[..., [WIN, LOSE_G, LOSE_BG, WIN_G, WIN_BG, VALUE_COLUMN]]
        turned[..., WIN] = 1.0 - turned[..., WIN]
        turned[..., VALUE_COLUMN] = (0.0 if self.game.is_money else 1.0) - scores[..., VALUE_COLUMN]
        return turned

    def _compute_efficiencies(self, boards: Board) -> NDArray[np.float32]:
        """Return cube efficiencies of ``int8[n, 2, 26]`` positions, ``float32[n]``."""
        return (
            cube_efficiencies(boards) if self._efficiencies is None else self._efficiencies.for_boards(boards)
        )
