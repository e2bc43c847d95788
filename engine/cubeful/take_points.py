"""Take points, doubling windows and gammon values."""

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
    """Winning chances at which the proper cube action of the side on roll changes.

    Attributes:
        beaver_below: Below it, a double is a beaver; None in a match, or without beavers.
        double: The doubling point.
        cash: The cash point, from which on the other side passes; its take point is 1 minus this.
        too_good: The point from which on it is right to play on for a gammon.

    Each is None where no winning chances lead to that change.
    """

    beaver_below: float | None
    double: float | None
    cash: float | None
    too_good: float | None


def doubling_window(outcome: Outcome, efficiency: float, space: CubeStateSpace) -> DoublingWindow | None:
    """Return the doubling window of a position with fixed gammon rates.

    Args:
        outcome: Cubeless; only the shares of gammons and backgammons in wins and losses matter.
        efficiency: 0 gives the window of a dead cube, 1 that of a live one.
        space: The states, seen by the side on roll.

    Returns:
        The window; None where the side on roll cannot gain by doubling.

    Raises:
        ValueRangeError: The efficiency is not within 0 to 1.
    """
    if not 0.0 <= efficiency <= 1.0:
        raise ValueRangeError(f"expected a cube efficiency of 0 to 1, got {efficiency}", field="efficiency")
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
    """Return the take point: the winning chances from which on the side not on roll takes a double.

    Args:
        outcome: Cubeless, for the side on roll; only the shares of gammons and backgammons matter.
        efficiency: 0 for a dead cube, 1 for a live one.
        space: The states, seen by the side on roll.

    Returns:
        0 to 1, 0 where every double is a take; None where the side on roll cannot gain by doubling.
    """
    window = doubling_window(outcome, efficiency, space)
    if window is None:
        return None
    return 0.0 if window.cash is None else 1.0 - window.cash


def gammon_value(space: CubeStateSpace, *, won: bool = True) -> float:
    """Return the gammon value at the present cube for the side on roll.

    Args:
        space: The states, seen by the side on roll.
        won: Whether for gammons won rather than lost.

    Returns:
        In units of the difference between winning and losing a single game: 0.5 for money, 0 where gammons
        do not matter.
    """
    sign = 1 if won else -1
    _, stake = space.equity_scale
    return 0.5 * sign * (space.result_value(2 * sign) - space.result_value(sign)) / stake


def _compute_values(
    outcome: Outcome, wins: NDArray[np.float64], efficiency: float, space: CubeStateSpace
) -> CubefulValues:
    """Return the values of one position at other winning chances."""
    row = np.array(outcome, np.float64)
    outcomes: Outcomes = np.empty((len(wins), 5), np.float32)
    outcomes[:, WIN] = wins
    outcomes[:, WIN_G:LOSE_G] = wins[:, None] * _compute_shares(row[WIN_G:LOSE_G], row[WIN])
    outcomes[:, LOSE_G:] = (1.0 - wins[:, None]) * _compute_shares(row[LOSE_G:], 1.0 - row[WIN])
    return compute_leaf_values(outcomes, np.full(len(wins), efficiency, np.float32), space)


def _compute_shares(parts: NDArray[np.float64], whole: float) -> NDArray[np.float64]:
    return parts / whole if whole > 0.0 else np.zeros_like(parts)


def _find_nonnegative_start(differences: NDArray[np.float64], wins: NDArray[np.float64]) -> float | None:
    """Return the winning chances from which on a difference is not negative; None where there are none."""
    rises = np.flatnonzero((differences[:-1] < -TIE_POINTS) & (differences[1:] >= -TIE_POINTS))
    if not rises.size:
        return 0.0 if (differences[:2] >= -TIE_POINTS).all() else None
    return _interpolate_zero(differences, wins, int(rises[-1]))


def _find_positive_start(differences: NDArray[np.float64], wins: NDArray[np.float64]) -> float | None:
    """Return the winning chances from which on a difference is positive; None where it never is."""
    rises = np.flatnonzero((differences[:-1] <= TIE_POINTS) & (differences[1:] > TIE_POINTS))
    return _interpolate_zero(differences, wins, int(rises[-1])) if rises.size else None


def _interpolate_zero(differences: NDArray[np.float64], wins: NDArray[np.float64], i: int) -> float:
    """Return where the straight line over a step crosses zero, or the nearer end of the step."""
    left, right = float(differences[i]), float(differences[i + 1])
    share = min(max(-left / (right - left), 0.0), 1.0)
    return float(wins[i] + (wins[i + 1] - wins[i]) * share)
