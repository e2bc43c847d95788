"""Phases of many positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import borrowing_kernel, gil_kernel

CONTACT = 0
CRASHED = 1
RACE = 2
OVER = 3

MAX_CRASHED_CHECKERS = 6
"""A side with at most this many useful checkers has crashed."""


@borrowing_kernel
def find_rear(boards: NDArray[np.int8], at: int, side: int) -> int:
    """Return the point of a side's rear checker, 0 if it has borne all off, in ``int8[n, 2, 26]``."""
    point = 25
    while point > 0 and boards[at, side, point] == 0:
        point -= 1
    return point


@gil_kernel
def is_any_over(boards: NDArray[np.int8]) -> bool:
    """Return whether one of the positions is over.

    Args:
        boards: ``int8[n, 2, 26]``.
    """
    is_over = False
    for i in range(boards.shape[0]):
        is_over |= boards[i, 0, 0] == 15 or boards[i, 1, 0] == 15
    return is_over


@gil_kernel
def classify_phases(boards: NDArray[np.int8], result: NDArray[np.int8]) -> None:
    """Write the phases of positions, as `engine.rules.position.classify_phases` defines them.

    Args:
        boards: ``int8[n, 2, 26]``.
        result: out, ``int8[n]``: CONTACT, CRASHED, RACE or OVER.
    """
    for i in range(boards.shape[0]):
        rear = 0
        fewest = 15
        for side in range(2):
            rear += find_rear(boards, i, side)
            ace = int(boards[i, side, 1])
            deuce = int(boards[i, side, 2])
            holding = 15 - int(boards[i, side, 0]) - (ace if ace > 1 else 0) - max(deuce - 1, 0)
            fewest = min(fewest, holding)
        if boards[i, 0, 0] == 15 or boards[i, 1, 0] == 15:
            result[i] = OVER
        elif rear <= 25:
            result[i] = RACE
        elif fewest <= MAX_CRASHED_CHECKERS:
            result[i] = CRASHED
        else:
            result[i] = CONTACT
