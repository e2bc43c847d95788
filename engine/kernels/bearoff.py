"""One side's bearoff positions without contact: their numbering, and the results of a roll.

A side is ``int64[points + 1]``: the checkers on each point, index 0 unused. Its number is the
combinatorial rank of the checkers on point k or above, k = 1..points: the sum of ``ranks[k, those]``,
where ``ranks[k, s]`` is C(s + points - k, points - k + 1). Number 0 is the empty side, sides with fewer
checkers come first, and every checker move lowers the number.

Without contact each die can be played as long as a checker is left, so "both dice if possible" and "the
larger die if only one can be played" never rule a play out: the results of a roll are those of both orders.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel
from gammond.engine.kernels.board_counts import find_rear

MAX_RESULTS = 6144
"""Above the results of any roll: four moves from 18 points have C(21, 4) = 5985 sets of sources."""

_HOME = 6


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
def _find_highest(side: NDArray[np.int64], start: int) -> int:
    point = start
    while point > 0 and side[point] == 0:
        point -= 1
    return point


@kernel
def _may_move(source: int, die: int, highest: int) -> bool:
    target = source - die
    return target > 0 or (highest <= _HOME and (target == 0 or source == highest))


@kernel
def _move(side: NDArray[np.int64], source: int, die: int) -> None:
    side[source] -= 1
    if source > die:
        side[source - die] += 1


@kernel
def _undo_move(side: NDArray[np.int64], source: int, die: int) -> None:
    side[source] += 1
    if source > die:
        side[source - die] -= 1


@kernel
def _list_two_dice_results(
    side: NDArray[np.int64], high: int, low: int, ranks: NDArray[np.int64], results: NDArray[np.int64]
) -> int:
    count = 0
    highest0 = _find_highest(side, side.shape[0] - 1)
    outside = 0
    for point in range(_HOME + 1, highest0 + 1):
        outside += side[point]
    orders = 1 if outside > 1 else 2  # without bearing off, both orders lead to the same sides
    for order in range(orders):
        die1 = high if order == 0 else low
        die2 = low if order == 0 else high
        for source1 in range(highest0, 0, -1):
            if side[source1] == 0 or not _may_move(source1, die1, highest0):
                continue
            _move(side, source1, die1)
            highest1 = _find_highest(side, highest0)
            if highest1 == 0:
                results[count] = 0
                count += 1
            for source2 in range(highest1, 0, -1):
                if side[source2] > 0 and _may_move(source2, die2, highest1):
                    _move(side, source2, die2)
                    results[count] = number_side(side, ranks)
                    count += 1
                    _undo_move(side, source2, die2)
            _undo_move(side, source1, die1)
    return count


@kernel
def _list_doubles_results(
    side: NDArray[np.int64], die: int, ranks: NDArray[np.int64], results: NDArray[np.int64]
) -> int:
    source = np.zeros(5, np.int64)
    count = 0
    depth = 0
    source[0] = side.shape[0] - 1
    while True:
        highest = _find_highest(side, side.shape[0] - 1)
        point = 0
        if depth == 4 or highest == 0:
            results[count] = number_side(side, ranks)
            count += 1
        else:  # sources never increase: each set of four comes up once, and that order is always legal
            point = min(source[depth], highest)
            while point > 0 and (side[point] == 0 or not _may_move(point, die, highest)):
                point -= 1
        if point > 0:
            _move(side, point, die)
            source[depth] = point
            depth += 1
            source[depth] = point
            continue
        if depth == 0:
            return count
        depth -= 1
        _undo_move(side, source[depth], die)
        source[depth] -= 1


@kernel
def list_roll_results(
    side: NDArray[np.int64], die1: int, die2: int, ranks: NDArray[np.int64], results: NDArray[np.int64]
) -> int:
    """Write the numbers of the sides that the legal plays of a roll lead to, with repeats.

    Args:
        side: ``int64[points + 1]``, at least one checker; changed and restored.
        die1: 1..6, the larger die.
        die2: 1..6.
        ranks: ``int64[points + 1, checkers + 1]``.
        results: out, ``int64[MAX_RESULTS]``.

    Returns:
        How many were written.
    """
    if die1 == die2:
        return _list_doubles_results(side, die1, ranks, results)
    return _list_two_dice_results(side, die1, die2, ranks, results)


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
