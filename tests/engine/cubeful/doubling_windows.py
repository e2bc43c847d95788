"""Take points and doubling windows by the cubeful model, to compare with published ones."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.cubeful import CubefulValues, CubeGame
from gammond.engine.evaluation.results import TIE_POINTS
from gammond.engine.rules.outcome import LOSE_G, WIN, WIN_G, Outcome, Outcomes

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


def doubling_window(outcome: Outcome, efficiency: float, game: CubeGame) -> DoublingWindow | None:
    """Return the doubling window of a position with fixed gammon rates.

    Args:
        outcome: Cubeless; only the shares of gammons and backgammons in wins and losses matter.
        efficiency: 0 gives the window of a dead cube, 1 that of a live one.
        game: The game, seen by the side on roll.

    Returns:
        The window; None where the side on roll cannot gain by doubling.
    """
    if not game.may_double:
        return None
    wins = np.linspace(0.0, 1.0, _STEPS + 1)
    points = game.to_equities(_compute_values(outcome, wins, efficiency, game))
    held = points[:, 0]
    taken = game.arrays.stake_factor * points[:, game.state_after_take]
    has_beavers = game.is_money and game.match.beavers
    cash = _find_start(taken - 1.0, wins)
    double = _find_start(np.minimum(taken, 1.0) - held, wins)
    return DoublingWindow(
        beaver_below=_find_start(taken, wins) if has_beavers else None,
        double=min(double, cash) if double is not None and cash is not None else double,
        cash=cash,
        too_good=_find_start(held - 1.0 - 2 * TIE_POINTS, wins),  # a certain win for a point is not
    )


def take_point(outcome: Outcome, efficiency: float, game: CubeGame) -> float | None:
    """Return the take point: the winning chances from which on the side not on roll takes a double.

    It is 0 where every double is a take, None where the side on roll cannot gain by doubling; arguments as
    `doubling_window`.
    """
    window = doubling_window(outcome, efficiency, game)
    if window is None:
        return None
    return 0.0 if window.cash is None else 1.0 - window.cash


def _compute_values(
    outcome: Outcome, wins: NDArray[np.float64], efficiency: float, game: CubeGame
) -> CubefulValues:
    """Return the values of one position at other winning chances."""
    row = np.array(outcome, np.float64)
    outcomes: Outcomes = np.empty((len(wins), 5), np.float32)
    outcomes[:, WIN] = wins
    outcomes[:, WIN_G:LOSE_G] = wins[:, None] * _compute_shares(row[WIN_G:LOSE_G], row[WIN])
    outcomes[:, LOSE_G:] = (1.0 - wins[:, None]) * _compute_shares(row[LOSE_G:], 1.0 - row[WIN])
    return game.evaluate(outcomes, np.full(len(wins), efficiency, np.float32))


def _compute_shares(parts: NDArray[np.float64], whole: float) -> NDArray[np.float64]:
    return parts / whole if whole > 0.0 else np.zeros_like(parts)


def _find_start(differences: NDArray[np.float64], wins: NDArray[np.float64]) -> float | None:
    """Return the winning chances from which on a difference is not negative; None where there are none."""
    is_less = differences < -TIE_POINTS
    rises = np.flatnonzero(is_less[:-1] & ~is_less[1:])
    if not rises.size:
        return None if is_less[:2].any() else 0.0
    last = int(rises[-1])  # a straight line over the step
    return float(np.interp(0.0, differences[last : last + 2], wins[last : last + 2]))
