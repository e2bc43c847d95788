"""What an outcome, a roll and a double count: the short sums that searches, rollouts and training share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import inlined

OUTCOME_COLUMNS = 5
"""Columns of an outcome, before those of the states of the cube."""

ROLLS: NDArray[np.int8] = np.array([(a, b) for a in range(1, 7) for b in range(1, a + 1)], np.int8)
"""``int8[21, 2]``, as `gammond.engine.rules.dice.ROLLS`."""

ROLL_WEIGHTS: NDArray[np.float64] = np.where(ROLLS[:, 0] == ROLLS[:, 1], 1.0, 2.0)
"""``float64[21]``: how many of the 36 rolls of two dice each of them is."""

ROLL_CHANCES: NDArray[np.float64] = ROLL_WEIGHTS / 36.0
"""``float64[21]``, the probability of each."""

_ONE, _TWO = np.float32(1.0), np.float32(2.0)


@inlined
def sum_equity(win: Any, win_g: Any, win_bg: Any, lose_g: Any, lose_bg: Any) -> Any:  # noqa: ANN401
    """Return the cubeless money equity of an outcome, in points, in the type and precision of its numbers."""
    return win + win - _ONE + win_g + win_bg - lose_g - lose_bg


@inlined
def compute_equity(values: NDArray[np.float32], row: int) -> float:
    """Return the cubeless money equity of a row of outcomes, in points, to 64 bits."""
    win, win_g, win_bg = np.float64(values[row, 0]), np.float64(values[row, 1]), np.float64(values[row, 2])
    equity: float = sum_equity(win, win_g, win_bg, np.float64(values[row, 3]), np.float64(values[row, 4]))
    return equity


@inlined
def turn_round(outcomes: NDArray[np.float32], row: int, result: NDArray[np.float64], place: int) -> None:
    """Write an outcome as the other side sees it.

    Args:
        outcomes: ``float32[n, 5 + k]``.
        row: The row to read.
        result: out, ``float64[m, 5 + k]``.
        place: The row to write.
    """
    result[place, 0] = 1.0 - np.float64(outcomes[row, 0])
    for column in range(1, 3):  # gammons and backgammons, won and lost
        result[place, column] = outcomes[row, column + 2]
        result[place, column + 2] = outcomes[row, column]


@inlined
def is_beaver(taken: np.float32, beavers: bool, tie: np.float32) -> bool:
    """Return whether a double is beavered: its take is worth less than nothing to the doubler.

    Args:
        taken: The value of the take for the doubler, in points.
        beavers: Whether beavers are allowed.
        tie: By how much less.
    """
    return bool(beavers and taken < -tie)


@inlined
def value_take(held_after: np.float32, stake_factor: float, beavers: bool, tie: np.float32) -> np.float32:
    """Return the value for the doubler of a double that is taken, or beavered where that is right.

    Args:
        held_after: The value in the state of the cube after the take.
        stake_factor: Factor from that to the value of a take.
        beavers: Whether beavers are allowed.
        tie: As for `is_beaver`.
    """
    taken = np.float32(stake_factor) * held_after
    return _TWO * taken if is_beaver(taken, beavers, tie) else taken


@inlined
def should_double(held: np.float32, doubled: np.float32, is_preferred: bool, tie: np.float32) -> bool:
    """Return whether to double.

    Args:
        held: The value without a double.
        doubled: The value of a double with the right response.
        is_preferred: Whether to double between equals.
        tie: Values closer than this are equal.
    """
    return bool(doubled > held + tie or (is_preferred and doubled > held - tie))
