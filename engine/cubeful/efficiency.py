"""Cube efficiencies: where the cube of a position is between dead (0) and live (1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.kernels import as_kernel_array
from engine.kernels import cubeful as kernel_cubeful
from engine.rules.position import BAR, CHECKERS, Board

RACE_PIPS = (40, 120)
"""Pips of the side on roll at which efficiencies of races are given; linear between, constant beyond."""

BEAROFF_PIPS = (4, 8, 16, 32, 64)
"""The same for races with all checkers of both sides home."""


@dataclass(frozen=True)
class CubeEfficiencies:
    """Cube efficiencies by phase, 0 (dead) to 1 (live).

    *Source:* the defaults are from GNU Backgammon's manual ("The cube efficiency"), within the 0.6 to 0.7
    that Janowski suggests.

    Attributes:
        contact: In contact positions, neither side crashed.
        crashed: In contact positions with a crashed side.
        race: In races, at each of `RACE_PIPS`.
        bearoff: In races with all checkers home, at each of `BEAROFF_PIPS`: low at the end, where market
            losers are large.
    """

    contact: float = 0.68
    crashed: float = 0.68
    race: tuple[float, ...] = (0.6, 0.7)
    bearoff: tuple[float, ...] = (0.6, 0.6, 0.6, 0.6, 0.6)

    def for_boards(self, boards: Board) -> NDArray[np.float32]:
        """Return the efficiencies of positions.

        Args:
            boards: ``int8[n, 2, 26]``.

        Returns:
            ``float32[n]``.
        """
        boards = as_kernel_array(boards, np.int8)
        result = np.empty(len(boards), np.float32)
        kernel_cubeful.look_up_efficiencies(boards, self.table, result)
        return result

    @cached_property
    def table(self) -> NDArray[np.float32]:
        """Efficiencies of each class of positions by pips of the side on roll, for kernels."""
        pips = np.arange(CHECKERS * BAR + 1)
        return np.stack(
            [
                np.full(len(pips), self.contact),
                np.full(len(pips), self.crashed),
                np.interp(pips, RACE_PIPS, self.race),
                np.interp(pips, BEAROFF_PIPS, self.bearoff),
            ]
        ).astype(np.float32)


DEFAULT_EFFICIENCIES = CubeEfficiencies(race=(0.63, 0.81), bearoff=(0.04, 0.27, 0.47, 0.64, 0.69))
"""The default efficiencies: published ones for contact, measured ones for races (``gammond measure cube``,
fitted to choices)."""


def cube_efficiencies(boards: Board) -> NDArray[np.float32]:
    """Return the default cube efficiencies of positions.

    Args:
        boards: ``int8[n, 2, 26]``.

    Returns:
        ``float32[n]``, 0 (dead) to 1 (live).
    """
    return DEFAULT_EFFICIENCIES.for_boards(boards)


def are_all_home(boards: Board) -> NDArray[np.bool_]:
    """Return where all checkers of both sides are home or off, ``bool[n]`` for ``int8[n, 2, 26]``."""
    is_home: NDArray[np.bool_] = (boards[:, :, 7:] == 0).all(axis=(1, 2))
    return is_home
