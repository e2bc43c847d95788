"""Patterns: what stands on neighbouring points, each as the number of a row of weights.

A pair is two neighbouring points with the checkers of either side: each empty, or with 1, 2 or more checkers
of the player on roll, or with 1, 2 or more of the opponent. A block is six points in a row with the checkers
of one side: none, 1 or more on each. The patterns of a position are its pairs, from the player's ace point
on, then the blocks of the player on roll and those of the opponent, from every third point on, each side's in
its own numbering. Each has rows of its own, in this order, one for each way in which the checkers can stand:
the states of its points are the digits of its number, the lowest point's first. The first is that of no
checkers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel
from gammond.engine.kernels.instructions import (
    BOARDS,
    INDEX_ROWS,
    INT,
    LANES,
    WHOLE,
    Builder,
    Value,
    emit_load_counts,
    emitted_by,
    fill,
    pick,
    point_to_row,
)
from gammond.engine.kernels.vectors import (
    HAS_AVX512,
    STEP,
    emit_end_of_rows,
    emit_list_rows,
)

PAIR_STATES = 7
PAIRS = 23
BLOCK_STATES = 3
BLOCK_POINTS = 6
BLOCK_STEP = 3
BLOCKS = 7

PAIR_ROWS = PAIR_STATES**2
BLOCK_ROWS = BLOCK_STATES**BLOCK_POINTS
ROWS = PAIRS * PAIR_ROWS + 2 * BLOCKS * BLOCK_ROWS
"""Rows of weights for all patterns."""

LAYOUT = {"pairs": PAIRS, "own blocks": BLOCKS, "opposing blocks": BLOCKS}
"""The patterns of a position in order: how many there are of each kind."""

PATTERNS = sum(LAYOUT.values())
"""Patterns of a position."""

ROWS_OF_PATTERN: NDArray[np.int64] = np.repeat([PAIR_ROWS, BLOCK_ROWS], [PAIRS, 2 * BLOCKS])
"""``int64[37]``: how many rows each pattern has."""

EMPTY_ROWS: NDArray[np.int64] = np.cumsum(ROWS_OF_PATTERN) - ROWS_OF_PATTERN
"""``int64[37]``: the row of each pattern without checkers, its first one."""

MOST_LISTED = PATTERNS + LANES
"""Entries of the list of a position's patterns: whole vectors are written."""

_POINTS = 24
_STEP_STATES = BLOCK_STATES**BLOCK_STEP
_OWN_STATE: NDArray[np.int64] = np.minimum(np.arange(16), 3)
_OTHER_STATE: NDArray[np.int64] = np.where(np.arange(16) > 0, 3 + _OWN_STATE, 0)
_BLOCK_STATE: NDArray[np.int64] = np.minimum(np.arange(16), 2)
"""``int64[16]``, each: the state of a point by the number of checkers."""


@kernel
def write_patterns(boards: NDArray[np.int8], column: int, inputs: NDArray[np.float32]) -> None:
    """Write the numbers of the patterns' rows.

    Args:
        boards: ``int8[n, 2, 26]``.
        column: The column of the first number.
        inputs: out, ``float32[n, m]``.
    """
    for i in range(boards.shape[0]):
        at, first = column, 0
        for point in range(1, PAIRS + 1):
            number = 0
            for place in range(point, point + 2):
                state = _OWN_STATE[boards[i, 0, place]] + _OTHER_STATE[boards[i, 1, 25 - place]]
                number = number * PAIR_STATES + state
            inputs[i, at] = np.float32(first + number)
            first += PAIR_ROWS
            at += 1
        for side in range(2):
            for point in range(1, 1 + BLOCKS * BLOCK_STEP, BLOCK_STEP):
                number = 0
                for place in range(point, point + BLOCK_POINTS):
                    number = number * BLOCK_STATES + _BLOCK_STATE[boards[i, side, place]]
                inputs[i, at] = np.float32(first + number)
                first += BLOCK_ROWS
                at += 1


def _emit_list_patterns(builder: Builder, arguments: list[Value]) -> Value:
    boards, at, rows, row = arguments
    rows = point_to_row(builder, rows, row)
    own, other = (
        emit_load_counts(builder, boards, builder.add(builder.mul(at, INT(2 * 26)), INT(start)), _POINTS)
        for start in (1, 27)
    )
    facing = pick(builder, other, range(_POINTS - 1, -1, -1))
    is_there = builder.icmp_signed("!=", facing, fill(facing, 0))
    facing = builder.add(_limit(builder, facing, 3), fill(facing, 3))
    facing = builder.select(is_there, facing, fill(facing, 0))
    states = builder.add(_limit(builder, own, 3), facing)
    neighbours = pick(builder, states, range(PAIRS)), pick(builder, states, range(1, PAIRS + 1))
    pairs = _append_digit(builder, *neighbours, PAIR_STATES)

    blocks = []
    for counts in (own, other):
        limited = _limit(builder, counts, 2)
        steps = pick(builder, limited, range(0, _POINTS, BLOCK_STEP))
        for digit in range(1, BLOCK_STEP):
            lowest = pick(builder, limited, range(digit, _POINTS, BLOCK_STEP))
            steps = _append_digit(builder, steps, lowest, BLOCK_STATES)
        halves = pick(builder, steps, range(BLOCKS)), pick(builder, steps, range(1, BLOCKS + 1))
        blocks.append(_append_digit(builder, *halves, _STEP_STATES))
    found = emit_list_rows(builder, pairs, EMPTY_ROWS[:PAIRS].tolist(), INT(0), rows)
    for side, numbers in enumerate(blocks):
        own_rows = EMPTY_ROWS[PAIRS + side * BLOCKS : PAIRS + (side + 1) * BLOCKS]
        found = emit_list_rows(builder, numbers, own_rows.tolist(), found, rows)
    emit_end_of_rows(builder, found, rows)
    return found


def _limit(builder: Builder, counts: Value, most: int) -> Value:
    bound = fill(counts, most)
    return builder.select(builder.icmp_signed("<", counts, bound), counts, bound)


def _append_digit(builder: Builder, number: Value, digit: Value, base: int) -> Value:
    return builder.add(builder.mul(number, fill(number, base)), digit)


@emitted_by(
    _emit_list_patterns,
    WHOLE,
    *(BOARDS, WHOLE, INDEX_ROWS, WHOLE),
    is_compiled=not HAS_AVX512,
)
def list_patterns(
    boards: NDArray[np.int8],
    at: int,
    rows: NDArray[np.uint16],
    row: int,
) -> int:
    """List the rows of a position's patterns but those without checkers, for `add_byte_rows`.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: The place of the position.
        rows: out, ``uint16[m, MOST_LISTED]``, the rows, then `STEP` times the first one.
        row: The row of the lists.

    Returns:
        The number listed.
    """
    found = first = 0
    before = _OWN_STATE[boards[at, 0, 1]] + _OTHER_STATE[boards[at, 1, 24]]
    for point in range(2, _POINTS + 1):
        state = _OWN_STATE[boards[at, 0, point]] + _OTHER_STATE[boards[at, 1, 25 - point]]
        number = before * PAIR_STATES + state
        rows[row, found] = first + number
        found += int(number > 0)
        before = state
        first += PAIR_ROWS
    for side in range(2):
        lower = 0
        for point in range(1, _POINTS, BLOCK_STEP):
            upper = 0
            for place in range(point, point + BLOCK_STEP):
                upper = upper * BLOCK_STATES + _BLOCK_STATE[boards[at, side, place]]
            if point > 1:
                number = lower * _STEP_STATES + upper
                rows[row, found] = first + number
                found += int(number > 0)
                first += BLOCK_ROWS
            lower = upper
    for place in range(found, found + STEP):
        rows[row, place] = 0
    return found
