"""Scores with the cube: both sides double, take and pass during the trials."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.cubeful import (
    CubeEfficiencies,
    CubeGame,
    cube_efficiencies,
    exact_values,
    leaf_values,
    with_option,
)
from engine.kernels.cubeful import OWN
from engine.outcome import LOSE_BG, LOSE_G, WIN, WIN_BG, WIN_G, Outcomes
from engine.position import Board
from engine.rollout.scoring import OUTCOMES, Cubes, Scores

TIE = 1e-5
"""Values closer than this count as equal: rounding of 32-bit numbers."""

VALUE = OUTCOMES
"""The column of the value with the cube."""


class Cubeful:
    """Scores games with the cube: the cubeless outcome, and the value with the cube.

    The sixth column is in points per cube of 1 for money, times the trial's stake, and in chances to win
    the match otherwise. In a game that ends with a pass the outcome is the judge's at that moment. Checker
    play is the policy's, whatever the cube.

    Args:
        game: The states of the cube, seen by the side on roll at the start.
        doubles_at_once: Whether the side on roll at the start may double before its first roll: yes for the
            positions after plays; no to value a position without the double, or after it.
        efficiencies: What doubles, takes and values rest on; the usual ones if None.
    """

    columns = OUTCOMES + 1

    def __init__(
        self, game: CubeGame, *, doubles_at_once: bool = False, efficiencies: CubeEfficiencies | None = None
    ) -> None:
        self.game = game
        self._games = (game, game.other)
        self._doubles_at_once = doubles_at_once
        self._efficiencies = efficiencies

    @property
    def name(self) -> str:
        """The match state, the table of match equities and who may double first."""
        first = "doubling" if self._doubles_at_once else "rolling"
        states = " ".join(f"{state.value}:{state.owner}" for state in self.game.states)
        name = f"cubeful, seat {self.game.seat} {first}, {self.game.match}, {self.game.table.name}, {states}"
        return name if self._efficiencies is None else f"{name}, {self._efficiencies}"

    def scores(
        self,
        outcomes: Outcomes,
        boards: Board,
        turn: int,
        states: NDArray[np.int8],
        equities: NDArray[np.float32] | None = None,
    ) -> Scores:
        """Score positions, as `Scoring.scores`."""
        game = self._games[turn % 2]
        if equities is not None and game.is_money:
            values = exact_values(equities, game)
        else:
            values = leaf_values(outcomes, self._efficiencies_of(boards), game)
        if turn or self._doubles_at_once:
            values = with_option(values, game)
        scores = np.empty((len(boards), self.columns))
        scores[:, :OUTCOMES] = outcomes
        scores[:, VALUE] = values[np.arange(len(boards)), states]
        return self.turned(scores) if turn % 2 else scores

    def is_known(self, states: NDArray[np.int8], *, with_equities: bool) -> NDArray[np.bool_]:
        """Where the cube is dead, and in money play where its equities are known, as `Scoring.is_known`."""
        if self.game.is_money and with_equities:
            return np.ones(len(states), np.bool_)
        is_known: NDArray[np.bool_] = self.game.is_dead[states]
        return is_known

    def may_double(self, turn: int, states: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Say where the side on roll has a use for doubling, as `Scoring.may_double`."""
        if not turn and not self._doubles_at_once:
            return np.zeros(len(states), np.bool_)
        may_double: NDArray[np.bool_] = self._games[turn % 2].may_double[states]
        return may_double

    def act(
        self, outcomes: Outcomes, boards: Board, turn: int, cubes: Cubes
    ) -> tuple[NDArray[np.bool_], Scores]:
        """Let the sides on roll double, as `Scoring.act`; where doubling costs nothing they do."""
        game = self._games[turn % 2]
        rows, states = np.arange(len(boards)), cubes.states.astype(np.int64)
        values = leaf_values(outcomes, self._efficiencies_of(boards), game)
        after = game.taken[states]
        held, passed = values[rows, states], game.passed[states]
        taken = np.float32(game.stake_factor) * values[rows, after]
        factors = np.full(len(rows), game.stake_factor)
        if game.match.may_beaver:
            factors[taken < -TIE] *= 2
            taken = np.where(taken < -TIE, 2 * taken, taken)
        doubled = np.minimum(taken, passed)
        costs_nothing = game.kernel_states[states, 2] == OWN
        doubles = (doubled > held + TIE) | (costs_nothing & (doubled > held - TIE))
        passes = doubles & (taken > passed + TIE)
        takes = doubles & ~passes
        cubes.states[takes] = after[takes]
        cubes.stakes[takes] *= factors[takes]
        scores = np.concatenate([outcomes[passes], passed[passes, None]], axis=1).astype(np.float64)
        return passes, self.turned(scores) if turn % 2 else scores

    def equities(self, scores: Scores) -> NDArray[np.float64]:
        """Equities with the cube, ``float64[n]``: 1 is a game won singly at the present cube."""
        lost, won = self.game.result_worth(-1), self.game.result_worth(1)
        equities: NDArray[np.float64] = (scores[..., VALUE] - 0.5 * (won + lost)) / (0.5 * (won - lost))
        return equities

    def turned(self, scores: Scores) -> Scores:
        """See scores from the other side, as `Scoring.turned`."""
        turned: Scores = scores[..., [WIN, LOSE_G, LOSE_BG, WIN_G, WIN_BG, VALUE]]
        turned[..., WIN] = 1.0 - turned[..., WIN]
        turned[..., VALUE] = (0.0 if self.game.is_money else 1.0) - scores[..., VALUE]
        return turned

    def _efficiencies_of(self, boards: Board) -> NDArray[np.float32]:
        """Cube efficiencies of ``int8[n, 2, 26]`` positions, ``float32[n]``."""
        return cube_efficiencies(boards) if self._efficiencies is None else self._efficiencies.of(boards)
