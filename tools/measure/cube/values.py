"""Values of positions in each cube state: exact from a bearoff table, or rolled out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.cubeful import (
    CUBELESS_GAME,
    DEFAULT_EFFICIENCIES,
    CubeEfficiencies,
    CubeGame,
    make_cube_game,
    select_exact_values,
)
from gammond.engine.errors import CancelledWork
from gammond.engine.kernels.values import OUTCOME_COLUMNS
from gammond.engine.rollout import RolloutEvaluators, RolloutSettings, TrialCubes
from gammond.engine.rollout.trials import TrialBlock
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcomes
from gammond.engine.rules.position import Board
from gammond.engine.runtime.threads import hold_turn

CUBE_STATES = 3
"""Columns of values: the cube centred, held by the side on roll, held by the opponent."""


def make_money_game(efficiencies: CubeEfficiencies = DEFAULT_EFFICIENCIES) -> CubeGame:
    """Make money play without Jacoby and beavers; the states of the cube are centred, own, the opponent's."""
    return make_cube_game(MatchState(beavers=False), efficiencies=efficiencies)


@dataclass(frozen=True, eq=False)
class CubeValues:
    """Positions and their values for the side on roll, which does not double on this roll.

    Attributes:
        boards: ``int8[n, 2, 26]``.
        net_outcomes: ``float32[n, 5]``, the net's outcomes.
        is_exact: ``bool[n]``, whether the values come from a bearoff table.
        outcomes: ``float64[n, 5]``, cubeless.
        values: ``float64[n, 3]``, points at a cube of 1: centred, held by the side on roll, held by the
            opponent.
    """

    boards: Board
    net_outcomes: Outcomes
    is_exact: NDArray[np.bool_]
    outcomes: NDArray[np.float64]
    values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.boards)

    def __getitem__(self, rows: NDArray[np.bool_]) -> CubeValues:
        """Return some of the positions."""
        return CubeValues(
            self.boards[rows],
            self.net_outcomes[rows],
            self.is_exact[rows],
            self.outcomes[rows],
            self.values[rows],
        )


class CubeValueEvaluator:
    """Computes values of positions in each cube state.

    Args:
        evaluators: For plays and cube decisions.
        game: As `make_money_game`, with the efficiencies for cube decisions in the rollouts.
        trials: Of each cube state, and without a cube.
        seed: Of the dice, 0 or more.
        cancelled: Called some fifty times a second; returns whether to stop.
    """

    def __init__(
        self,
        evaluators: RolloutEvaluators,
        game: CubeGame,
        trials: int,
        seed: int,
        cancelled: Callable[[], bool],
    ) -> None:
        self._evaluators = evaluators
        self._game = game
        self._trials = trials
        self._seed = seed
        self._cancelled = cancelled

    def evaluate(
        self, boards: Board, threads: int = 1, progress: Callable[[int], None] | None = None
    ) -> CubeValues:
        """Compute the values of positions; each depends on the position and its place alone.

        Args:
            boards: ``int8[n, 2, 26]``.
            threads: How many positions are rolled out at the same time.
            progress: Called with the number of positions done.

        Returns:
            All positions, or after a cancellation those done by then.
        """
        net_outcomes = self._evaluators.cube_evaluator.evaluate(boards)
        outcomes = np.empty((len(boards), OUTCOME_COLUMNS))
        values = np.empty((len(boards), CUBE_STATES))
        is_exact = self._fill_exact(boards, outcomes, values)
        is_done = is_exact.copy()
        with suppress(CancelledWork):
            for place, (outcome, value) in self._roll_out_all(boards, np.flatnonzero(~is_exact), threads):
                outcomes[place], values[place] = outcome, value
                is_done[place] = True
                if progress is not None:
                    progress(int(is_done.sum()))
        return CubeValues(boards, net_outcomes, is_exact, outcomes, values)[is_done]

    def _fill_exact(
        self, boards: Board, outcomes: NDArray[np.float64], values: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Fill in values from bearoff tables, and return which positions they cover."""
        is_exact = np.zeros(len(boards), np.bool_)
        for table in self._evaluators.exact_cubeful:
            covered = table.covers(boards) & ~is_exact
            outcomes[covered] = table.evaluate(boards[covered])
            values[covered] = select_exact_values(table.cubeful_equities(boards[covered]), self._game.arrays)
            is_exact |= covered
        return is_exact

    def _roll_out_all(
        self, boards: Board, places: NDArray[np.int64], threads: int
    ) -> Iterator[tuple[int, tuple[NDArray[np.float64], NDArray[np.float64]]]]:
        """Roll out positions; yield them in the order in which they finish."""
        waiting: dict[Future[tuple[NDArray[np.float64], NDArray[np.float64]]], int] = {}
        left = iter(places.tolist())
        with ThreadPoolExecutor(threads, thread_name_prefix="rollout") as pool:
            while True:
                for place in left:
                    waiting[pool.submit(self._roll_out_position, boards[place], place)] = place
                    if len(waiting) >= 2 * threads:
                        break
                if not waiting:
                    return
                finished = wait(waiting, return_when=FIRST_COMPLETED).done
                for done in sorted(finished, key=lambda work: work.exception() is not None):
                    yield waiting.pop(done), done.result()

    def _roll_out_position(self, board: Board, place: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the outcome and the values of a position."""
        settings = RolloutSettings(trials=self._trials, seed=(self._seed << 32) + place)
        trials = range(self._trials)
        starts = np.repeat(board[None], CUBE_STATES, axis=0)
        cubes = TrialCubes(np.arange(CUBE_STATES, dtype=np.int8), np.ones(CUBE_STATES))
        with hold_turn():
            cubeful, cubeless = (
                block.play(self._evaluators, self._cancelled)[0]
                for block in (
                    TrialBlock(starts, trials, settings, self._game, cubes),
                    TrialBlock(starts[:1], trials, settings, CUBELESS_GAME),
                )
            )
        return cubeless[0].mean(axis=0), cubeful[:, :, OUTCOME_COLUMNS].mean(axis=1)
