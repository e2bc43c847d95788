"""Where cube actions change: take points, doubling windows and the worth of gammons."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cubeful.decision import TIE_POINTS
from engine.cubeful.state_space import CubefulValues, CubeStateSpace
from engine.cubeful.values import compute_leaf_values, to_equities
from engine.errors import ValueRangeError
from engine.rules.outcome import LOSE_G, WIN, WIN_G, Outcome, Outcomes

_STEPS = 2000


@dataclass(frozen=True)
class DoublingWindow:
    """Chances to win the game at which the proper cube action of the side on roll changes.

    Attributes:
        beaver_below: Below this a double is beavered; None in a match, or without beavers.
        double: From here on it is right to double.
        cash: From here on the other side passes; its take point is 1 - this.
        too_good: From here on it is right to play on for a gammon.

    Each is None where the action never changes so, whatever the chances.
    """

    beaver_below: float | None
    double: float | None
    cash: float | None
    too_good: float | None


def doubling_window(outcome: Outcome, efficiency: float, space: CubeStateSpace) -> DoublingWindow | None:
    """Find the doubling window of a position, its shares of gammons in won and lost games held fixed.

    Args:
        outcome: Cubeless; only the shares of gammons and backgammons matter.
        efficiency: 0 gives the window of a dead cube, 1 that of a live one.
        space: The states, seen by the side on roll.

    Returns:
        The window; None where the side on roll has no use for the cube.

    Raises:
        ValueRangeError: The efficiency is not within 0 to 1.
    """
    if not 0.0 <= efficiency <= 1.0:
        raise ValueRangeError(f"a cube efficiency is 0 to 1, not {efficiency}", field="efficiency")
    if not space.may_double[0]:
        return None
    wins = np.linspace(0.0, 1.0, _STEPS + 1)
    points = to_equities(_compute_values(outcome, wins, efficiency, space), space)
    held = points[:, 0]
    taken = space.stake_factor * points[:, space.state_after_take[0]]
    has_beavers = space.is_money and space.match.beavers
    cash = _find_nonnegative_start(taken - 1.0, wins)
    double = _find_nonnegative_start(np.minimum(taken, 1.0) - held, wins)
    return DoublingWindow(
        beaver_below=_find_nonnegative_start(taken, wins) if has_beavers else None,
        double=min(double, cash) if double is not None and cash is not None else double,
        cash=cash,
        too_good=None if cash is None else _find_positive_start(held - 1.0, wins),
    )


def take_point(outcome: Outcome, efficiency: float, space: CubeStateSpace) -> float | None:
    """The least chance to win the game with which the side not on roll takes a double.

    Args:
        outcome: Cubeless, for the side on roll; only the shares of gammons and backgammons matter.
        efficiency: 0 for a dead cube, 1 for a live one.
        space: The states, seen by the side on roll.

    Returns:
        0 to 1; None where the side on roll has no use for the cube. 0 where every double is taken.
    """
    window = doubling_window(outcome, efficiency, space)
    if window is None:
        return None
    return 0.0 if window.cash is None else 1.0 - window.cash


def gammon_value(space: CubeStateSpace, *, won: bool = True) -> float:
    """What a gammon adds to a single game, at the present cube, for the side on roll.

    Args:
        space: The states, seen by the side on roll.
        won: Whether gammons won are meant, rather than gammons lost.

    Returns:
        In units of the difference between winning and losing a single game: 0.5 for money, 0 where it does
        not matter.
    """
    sign = 1 if won else -1
    stake = space.result_value(1) - space.result_value(-1)
    return sign * (space.result_value(2 * sign) - space.result_value(sign)) / stake


def _compute_values(
    outcome: Outcome, wins: NDArray[np.float64], efficiency: float, space: CubeStateSpace
) -> CubefulValues:
    """Values of one position at other chances to win."""
    row = np.array(outcome, np.float64)
    outcomes: Outcomes = np.empty((len(wins), 5), np.float32)
    outcomes[:, WIN] = wins
    outcomes[:, WIN_G:LOSE_G] = wins[:, None] * _compute_shares(row[WIN_G:LOSE_G], row[WIN])
    outcomes[:, LOSE_G:] = (1.0 - wins[:, None]) * _compute_shares(row[LOSE_G:], 1.0 - row[WIN])
    return compute_leaf_values(outcomes, np.full(len(wins), efficiency, np.float32), space)


def _compute_shares(parts: NDArray[np.float64], whole: float) -> NDArray[np.float64]:
    return parts / whole if whole > 0.0 else np.zeros_like(parts)


def _find_nonnegative_start(differences: NDArray[np.float64], wins: NDArray[np.float64]) -> float | None:
    """The chance to win from which a difference is not negative; None where there is none."""
    rises = np.flatnonzero((differences[:-1] < -TIE_POINTS) & (differences[1:] >= -TIE_POINTS))
    if not rises.size:
        return 0.0 if (differences[:2] >= -TIE_POINTS).all() else None
    return _interpolate_zero(differences, wins, int(rises[-1]))


def _find_positive_start(differences: NDArray[np.float64], wins: NDArray[np.float64]) -> float | None:
    """The chance to win from which a difference is positive; None where it never is."""
    rises = np.flatnonzero((differences[:-1] <= TIE_POINTS) & (differences[1:] > TIE_POINTS))
    return _interpolate_zero(differences, wins, int(rises[-1])) if rises.size else None


def _interpolate_zero(differences: NDArray[np.float64], wins: NDArray[np.float64], i: int) -> float:
    """Where the straight line over a step passes through zero, or the nearer end of the step."""
    left, right = float(differences[i]), float(differences[i + 1])
    share = min(max(-left / (right - left), 0.0), 1.0)
    return float(wins[i] + (wins[i + 1] - wins[i]) * share)
