"""Phases of many positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import borrowing, kernel
from gammond.engine.kernels.board_counts import find_rear

CONTACT = 0
CRASHED = 1
RACE = 2
OVER = 3

MAX_CRASHED_CHECKERS = 6
"""A side with at most this many useful checkers has crashed."""


@borrowing
def has_finished(boards: NDArray[np.int8], at: int, side: int) -> bool:
    """Return whether a side has borne off all its checkers, however many, in ``int8[n, 2, 26]``."""
    point = 0
    if boards[at, side, 0] > 0:
        point = 1
        while point < 26 and boards[at, side, point] == 0:
            point += 1
    return point == 26


@borrowing
def is_over(boards: NDArray[np.int8], at: int) -> bool:
    """Return whether one of ``int8[n, 2, 26]`` positions is over: a side has borne off all its checkers."""
    return has_finished(boards, at, 0) or has_finished(boards, at, 1)


@borrowing
def count_checkers(boards: NDArray[np.int8]) -> int:
    """Return how many checkers each side has in the game, those borne off included.

    Args:
        boards: ``int8[n, 2, 26]``, all of games with one number; 0 if there are none.
    """
    checkers = 0
    for point in range(26 if boards.shape[0] else 0):
        checkers += int(boards[0, 0, point])
    return checkers


@kernel
def is_any_over(boards: NDArray[np.int8]) -> bool:
    """Return whether one of the positions is over.

    Args:
        boards: ``int8[n, 2, 26]``, all of games with one number of checkers.
    """
    checkers = count_checkers(boards)
    found = False
    for i in range(boards.shape[0]):
        found |= boards[i, 0, 0] == checkers or boards[i, 1, 0] == checkers
    return found


@kernel
def classify_phases(boards: NDArray[np.int8], result: NDArray[np.int8]) -> None:
    """Write the phases of positions, as `gammond.engine.rules.position.classify_phases` defines them.

    Args:
        boards: ``int8[n, 2, 26]``, all of games with one number of checkers.
        result: out, ``int8[n]``: CONTACT, CRASHED, RACE or OVER.
    """
    checkers = count_checkers(boards)
    for i in range(boards.shape[0]):
        rear = 0
        fewest = checkers
        for side in range(2):
            rear += find_rear(boards, i, side)
            ace = int(boards[i, side, 1])
            deuce = int(boards[i, side, 2])
            holding = checkers - int(boards[i, side, 0]) - (ace if ace > 1 else 0) - max(deuce - 1, 0)
            fewest = min(fewest, holding)
        if boards[i, 0, 0] == checkers or boards[i, 1, 0] == checkers:
            result[i] = OVER
        elif rear <= 25:
            result[i] = RACE
        elif fewest <= MAX_CRASHED_CHECKERS:
            result[i] = CRASHED
        else:
            result[i] = CONTACT
