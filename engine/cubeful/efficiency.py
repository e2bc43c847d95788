"""Cube efficiencies: where the cube of a position is between dead (0) and live (1)."""

from __future__ import annotations

from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import as_kernel_array
from gammond.engine.kernels import cubeful as kernel_cubeful
from gammond.engine.kernels.cubeful import EfficiencyTables
from gammond.engine.rules.outcome import Outcomes
from gammond.engine.rules.position import BAR, CHECKERS, Board

RACE_PIPS = (40, 120)
"""Pips of the side on roll at which efficiencies of races are given; linear between, constant beyond."""

BEAROFF_PIPS = (4, 8, 16, 32, 64)
"""The same for races with all checkers of both sides home."""

SLOPES = ("win", "gammons_won", "gammons_lost", "own_pips", "other_pips")
"""The fields of an `EfficiencyFormula` that are added to its number by phase, in the order of
`EfficiencyTables`."""


class EfficiencyFormula(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Cube efficiency in one state of the cube: a number by phase and pips, and what is added to it.

    The sum is cut to 0 (dead) to 1 (live).

    *Source:* the defaults are from GNU Backgammon's manual ("The cube efficiency"), within the 0.6 to 0.7
    that Janowski suggests.

    Attributes:
        contact: In contact positions, neither side crashed.
        crashed: In contact positions with a crashed side.
        race: In races, at each of `RACE_PIPS`.
        bearoff: In races with all checkers home, at each of `BEAROFF_PIPS`: low at the end, where market
            losers are large.
        win: Times the winning chances of the side on roll, less 1/2.
        gammons_won: Times the share of gammons in its wins.
        gammons_lost: Times the share of gammons in its losses.
        own_pips: Times its pips, in hundreds.
        other_pips: Times the other side's pips, in hundreds.
    """

    contact: float = 0.68
    crashed: float = 0.68
    race: tuple[float, float] = (0.6, 0.7)
    bearoff: tuple[float, float, float, float, float] = (0.6, 0.6, 0.6, 0.6, 0.6)
    win: float = 0.0
    gammons_won: float = 0.0
    gammons_lost: float = 0.0
    own_pips: float = 0.0
    other_pips: float = 0.0

    @property
    def by_pips(self) -> NDArray[np.float64]:
        """The number of each class of positions by pips of the side on roll, ``float64[4, pips]``."""
        pips = np.arange(CHECKERS * BAR + 1)
        return np.stack(
            [
                np.full(len(pips), self.contact),
                np.full(len(pips), self.crashed),
                np.interp(pips, RACE_PIPS, self.race),
                np.interp(pips, BEAROFF_PIPS, self.bearoff),
            ]
        )

    @property
    def slopes(self) -> tuple[float, ...]:
        """The values of `SLOPES`."""
        return tuple(getattr(self, name) for name in SLOPES)


class CubeEfficiencies(msgspec.Struct, forbid_unknown_fields=True, frozen=True, dict=True):
    """Cube efficiencies by state of the cube.

    Attributes:
        centred: Both sides may turn it.
        own: The side on roll owns it.
        other: The other side owns it.
    """

    centred: EfficiencyFormula = EfficiencyFormula()
    own: EfficiencyFormula = EfficiencyFormula()
    other: EfficiencyFormula = EfficiencyFormula()

    @classmethod
    def make_equal(cls, formula: EfficiencyFormula) -> CubeEfficiencies:
        """Use one formula in all states."""
        return cls(formula, formula, formula)

    def for_boards(self, boards: Board, outcomes: Outcomes) -> NDArray[np.float32]:
        """Return the efficiencies of positions ``int8[n, 2, 26]`` with outcomes ``float32[n, 5]``.

        They are ``float32[n, 3]``: centred, own, other.
        """
        boards = as_kernel_array(boards, np.int8)
        outcomes = as_kernel_array(outcomes, np.float32)
        result = np.empty((len(boards), 3), np.float32)
        kernel_cubeful.compute_efficiencies(boards, outcomes, self.tables, result)
        return result

    @cached_property
    def tables(self) -> EfficiencyTables:
        """The formulas for kernels."""
        formulas = self.centred, self.own, self.other
        return EfficiencyTables(
            np.stack([each.by_pips for each in formulas]).astype(np.float32),
            np.array([each.slopes for each in formulas], np.float32),
        )


DEFAULT_EFFICIENCIES = CubeEfficiencies(
    centred=EfficiencyFormula(
        contact=0.47,
        crashed=0.541,
        race=(0.584, 0.458),
        bearoff=(0.105, 0.386, 0.541, 0.657, 0.566),
        win=-0.133,
        gammons_won=-0.405,
        gammons_lost=-0.268,
        own_pips=0.148,
        other_pips=0.218,
    ),
    own=EfficiencyFormula(
        contact=0.492,
        crashed=0.572,
        race=(0.586, 0.473),
        bearoff=(-0.038, 0.205, 0.52, 0.61, 0.539),
        win=0.199,
        gammons_won=-0.254,
        gammons_lost=0.008,
        own_pips=0.102,
        other_pips=0.119,
    ),
    other=EfficiencyFormula(
        contact=0.645,
        crashed=0.651,
        race=(0.607, 0.683),
        bearoff=(0.228, 0.45, 0.52, 0.674, 0.614),
        win=-0.236,
        gammons_won=-0.085,
        gammons_lost=-0.155,
        own_pips=0.034,
        other_pips=0.076,
    ),
)
"""The default efficiencies, fitted to values that two plies of look-ahead find with the published numbers
(``gammond train validate-cube --models --teacher``)."""


def are_all_home(boards: Board) -> NDArray[np.bool_]:
    """Return where all checkers of both sides are home or off, ``bool[n]`` for ``int8[n, 2, 26]``."""
    is_home: NDArray[np.bool_] = (boards[:, :, 7:] == 0).all(axis=(1, 2))
    return is_home
