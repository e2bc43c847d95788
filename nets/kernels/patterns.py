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

from engine.kernels import inlined_kernel, kernel
from engine.kernels.vectors import STEP

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

PATTERNS = PAIRS + 2 * BLOCKS
"""Patterns of a position."""

ROWS_OF_PATTERN: NDArray[np.int64] = np.repeat([PAIR_ROWS, BLOCK_ROWS], [PAIRS, 2 * BLOCKS])
"""``int64[37]``: how many rows each pattern has."""

EMPTY_ROWS: NDArray[np.int64] = np.cumsum(ROWS_OF_PATTERN) - ROWS_OF_PATTERN
"""``int64[37]``: the row of each pattern without checkers, its first one."""

_STEP_STATES = BLOCK_STATES**BLOCK_STEP
_STEPS = 24 // BLOCK_STEP

_OWN_STATE: NDArray[np.int64] = np.minimum(np.arange(16), 3)
_OTHER_STATE: NDArray[np.int64] = np.where(np.arange(16) > 0, 3 + _OWN_STATE, 0)
_BLOCK_STATE: NDArray[np.int64] = np.minimum(np.arange(16), 2)
"""``int64[16]``, each: the state of a point by the number of checkers."""

_ONE = np.float32(1.0)
_ZERO = np.float32(0.0)


@kernel
def list_patterns(
    boards: NDArray[np.int8],
    at: int,
    first: int,
    listed: int,
    rows: NDArray[np.uint16],
    factors: NDArray[np.float32],
    row: int,
    lists_empty: bool,
) -> int:
    """List the rows of a position's patterns, for `engine.kernels.vectors.add_rows`.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: The place of the position.
        first: The row of weights where those of patterns begin.
        listed: The number of rows that are listed already.
        rows: in and out, ``uint16[m, k]``.
        factors: in and out, ``float32[m, k]``: 1 for each pattern, then `STEP` zeros.
        row: The row of the lists.
        lists_empty: Whether patterns without checkers are listed too.

    Returns:
        The number listed, with those before.
    """
    found = listed
    before = _find_state(boards, at, 1)
    for pair in range(PAIRS):
        state = _find_state(boards, at, pair + 2)
        number = before * PAIR_STATES + state
        rows[row, found] = first + number
        found += int(number > 0 or lists_empty)
        before = state
        first += PAIR_ROWS
    for side in range(2):
        lower = _find_step(boards, at, side, 0)
        for block in range(BLOCKS):
            upper = _find_step(boards, at, side, block + 1)
            number = lower * _STEP_STATES + upper
            rows[row, found] = first + number
            found += int(number > 0 or lists_empty)
            lower = upper
            first += BLOCK_ROWS
    for k in range(listed, found):
        factors[row, k] = _ONE
    for k in range(found, found + STEP):
        rows[row, k] = 0
        factors[row, k] = _ZERO
    return found


@inlined_kernel
def _find_state(boards: NDArray[np.int8], at: int, point: int) -> int:
    """Return the state of a point of a pair."""
    return int(_OWN_STATE[boards[at, 0, point]] + _OTHER_STATE[boards[at, 1, 25 - point]])


@inlined_kernel
def _find_step(boards: NDArray[np.int8], at: int, side: int, step: int) -> int:
    """Return the states of the points of a block that come with one step, as digits."""
    point = 1 + BLOCK_STEP * step
    state = _BLOCK_STATE[boards[at, side, point]] * BLOCK_STATES + _BLOCK_STATE[boards[at, side, point + 1]]
    return int(state * BLOCK_STATES + _BLOCK_STATE[boards[at, side, point + 2]])


@kernel
def write_patterns(boards: NDArray[np.int8], column: int, inputs: NDArray[np.float32]) -> None:
    """Write the numbers of the patterns' rows.

    Args:
        boards: ``int8[n, 2, 26]``.
        column: The column of the first number.
        inputs: out, ``float32[n, m]``.
    """
    rows, factors = np.empty((1, PATTERNS + STEP), np.uint16), np.empty((1, PATTERNS + STEP), np.float32)
    for i in range(boards.shape[0]):
        list_patterns(boards, i, 0, 0, rows, factors, 0, True)
        for k in range(PATTERNS):
            inputs[i, column + k] = np.float32(rows[0, k])
