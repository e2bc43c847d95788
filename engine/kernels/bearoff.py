"""One side's bearoff positions without contact: their numbering, and the results of a roll.

A side is ``int64[points + 1]``: the checkers on each point, index 0 unused. Its number is the
combinatorial rank of the checkers on point k or above, k = 1..points: the sum of ``ranks[k, those]``,
where ``ranks[k, s]`` is C(s + points - k, points - k + 1). Number 0 is the empty side, sides with fewer
checkers come first, and every checker move lowers the number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel
from gammond.engine.kernels.board_counts import find_rear, write_point_sets
from gammond.engine.kernels.moves import PlayScratch, generate_plays


@kernel
def number_side(side: NDArray[np.int64], ranks: NDArray[np.int64]) -> int:
    """Return the number of a side.

    Args:
        side: ``int64[points + 1]``, at most as many checkers as ``ranks`` has columns for.
        ranks: ``int64[points + 1, checkers + 1]``.
    """
    above = 0
    number = 0
    for point in range(side.shape[0] - 1, 0, -1):
        above += side[point]
        number += ranks[point, above]
    return number


@kernel
def write_side(number: int, ranks: NDArray[np.int64], side: NDArray[np.int64]) -> int:
    """Write the side with a given number.

    Args:
        number: 0 up to the number of sides - 1.
        ranks: ``int64[points + 1, checkers + 1]``.
        side: out, ``int64[points + 1]``.

    Returns:
        How many checkers it has.
    """
    rest = number
    above = ranks.shape[1] - 1
    checkers = 0
    for point in range(1, side.shape[0]):
        while ranks[point, above] > rest:
            above -= 1
        rest -= ranks[point, above]
        side[point] = above
        if point == 1:
            checkers = above
        else:
            side[point - 1] -= above
    return checkers


@kernel
def count_pips(ranks: NDArray[np.int64], pips: NDArray[np.int32]) -> None:
    """Write the pip count of every side.

    Args:
        ranks: ``int64[points + 1, checkers + 1]``.
        pips: out, ``int32[sides]``.
    """
    side = np.zeros(ranks.shape[0], np.int64)
    for number in range(pips.shape[0]):
        write_side(number, ranks, side)
        total = 0
        for point in range(1, side.shape[0]):
            total += point * side[point]
        pips[number] = total


@kernel
def list_roll_results(
    side: NDArray[np.int64],
    die1: int,
    die2: int,
    ranks: NDArray[np.int64],
    board: NDArray[np.int8],
    scratch: PlayScratch,
    results: NDArray[np.int64],
) -> int:
    """Write the numbers of the sides that the legal plays of a roll lead to, each once.

    Args:
        side: ``int64[points + 1]``, at least one checker; changed and restored.
        die1: 1..6.
        die2: 1..6.
        ranks: ``int64[points + 1, checkers + 1]``.
        board: scratch, ``int8[1, 2, 26]``, zero but for the side's points in row 0.
        scratch: Receives the plays.
        results: out, ``int64[MAX_PLAYS]``.

    Returns:
        How many were written.
    """
    for point in range(1, side.shape[0]):
        board[0, 0, point] = side[point]
    write_point_sets(board, 0, 0, scratch.sets)
    count = generate_plays(board, 0, die1, die2, scratch)
    for i in range(count):
        play = int(scratch.plays[i])
        _move_checkers(side, play, 1)
        results[i] = number_side(side, ranks)
        _move_checkers(side, play, -1)
    return count


@kernel
def _move_checkers(side: NDArray[np.int64], play: int, number: int) -> None:
    """Make a packed play of a side by a number of checkers a move: 1, or -1 to take it back."""
    while play:
        source, target = play & 255, (play >> 8) & 255
        play >>= 16
        side[source] -= number
        if target > 0:
            side[target] += number


@kernel
def _number_side_of_board(boards: NDArray[np.int8], at: int, side: int, ranks: NDArray[np.int64]) -> int:
    points = ranks.shape[0] - 1
    if find_rear(boards, at, side) > points:
        return -1
    above = 0
    number = 0
    for point in range(points, 0, -1):
        above += int(boards[at, side, point])
        if above >= ranks.shape[1]:
            return -1
        number += ranks[point, above]
    return number


@kernel
def number_position(boards: NDArray[np.int8], at: int, ranks: NDArray[np.int64]) -> tuple[int, int]:
    """Return the numbers of both sides of a position, the player on roll first.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: The place of the position.
        ranks: ``int64[points + 1, checkers + 1]``.

    Returns:
        -1, -1 where a side has a checker beyond the points, or too many, or where there is contact.
    """
    contact_is_possible = 2 * (ranks.shape[0] - 1) > 24
    own, other = _number_side_of_board(boards, at, 0, ranks), _number_side_of_board(boards, at, 1, ranks)
    highest = 0
    if contact_is_possible:
        highest = find_rear(boards, at, 0) + find_rear(boards, at, 1)
    if own < 0 or other < 0 or highest > 24:
        return -1, -1
    return own, other


@kernel
def number_boards(boards: NDArray[np.int8], ranks: NDArray[np.int64], numbers: NDArray[np.int64]) -> None:
    """Write the numbers of both sides of each position.

    Args:
        boards: ``int8[n, 2, 26]``.
        ranks: ``int64[points + 1, checkers + 1]``.
        numbers: out, ``int64[n, 2]``, as `number_position`.
    """
    for i in range(boards.shape[0]):
        own, other = number_position(boards, i, ranks)
        numbers[i, 0] = own
        numbers[i, 1] = other
