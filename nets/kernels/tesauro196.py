"""The `tesauro196` inputs, dense for ONNX nets and sparse for first layers that add table rows.

Layout of the 196 inputs: ``x[side * 98 + (point - 1) * 4 + unit]`` with side 0 the player on roll and side
1 the opponent, each on its points 1..24 in *its own* numbering; then for each side ``x[side * 98 + 96]``
checkers on the bar / 2 and ``x[side * 98 + 97]`` checkers borne off / 15. A point's units are a row of
`POINT_UNITS`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import borrowing_kernel, gil_kernel
from engine.kernels.board_vectors import emit_load_counts
from engine.kernels.instructions import (
    BOARDS,
    FLOAT_ROWS,
    INDEX_ROWS,
    INT,
    WHOLE,
    Builder,
    Value,
    emitted_by,
    fill,
    point_to_row,
)
from engine.kernels.vectors import HAS_AVX512, STEP, emit_end_of_rows, emit_list_rows

INPUTS = 196
SIDE_INPUTS = 98
BAR_INPUT = 96
OFF_INPUT = 97

MAX_ACTIVE_INPUTS = 30
"""The most inputs of a position that are not zero: at most one for each of the 30 checkers."""

PLACES = 52
"""Off, 24 points and the bar of both sides."""

PLACE_ROWS = 15 * PLACES
"""Rows of a first layer that has one for each number of checkers on each place."""

_counts = np.arange(16)[:, None]
POINT_UNITS: NDArray[np.float32] = np.concatenate(
    [_counts >= 1, _counts >= 2, _counts >= 3, np.maximum(_counts - 3, 0) / 2], axis=1
).astype(np.float32)
"""``float32[16, 4]``: the units of a point of n checkers: n >= 1, n >= 2, n >= 3, (n - 3) / 2 beyond 3."""

ACTIVE_UNITS: NDArray[np.int64] = (POINT_UNITS > 0).sum(axis=1)
"""``int64[16]``: the number of units of a point with n checkers that are not zero, always the first ones."""


_ZERO = np.float32(0.0)
_HALF = np.float32(0.5)
_ONE = np.float32(1.0)
_TWO = np.float32(2.0)
_THREE = np.float32(3.0)
_FIFTEEN = np.float32(15.0)


@gil_kernel
def encode(boards: NDArray[np.int8], inputs: NDArray[np.float32]) -> None:
    """Write the inputs of positions.

    The units are computed, not looked up: this compiles to vector instructions, five times as fast.

    Args:
        boards: ``int8[n, 2, 26]``.
        inputs: out, ``float32[n, 196]``.
    """
    for i in range(boards.shape[0]):
        for side in range(2):
            first = side * SIDE_INPUTS
            for point in range(1, 25):
                count = np.float32(boards[i, side, point])
                at = first + 4 * (point - 1)
                inputs[i, at] = min(count, _ONE)
                inputs[i, at + 1] = min(max(count - _ONE, _ZERO), _ONE)
                inputs[i, at + 2] = min(max(count - _TWO, _ZERO), _ONE)
                inputs[i, at + 3] = max(count - _THREE, _ZERO) * _HALF
            inputs[i, first + BAR_INPUT] = np.float32(boards[i, side, 25]) * _HALF
            inputs[i, first + OFF_INPUT] = np.float32(boards[i, side, 0]) / _FIFTEEN


def _emit_list_points(builder: Builder, arguments: list[Value]) -> Value:
    boards, at, rows, factors, row = arguments
    rows, factors = (point_to_row(builder, array, row) for array in (rows, factors))
    counts = emit_load_counts(builder, boards, builder.mul(at, INT(PLACES)), PLACES)
    numbers = builder.mul(counts, fill(counts, PLACES))
    bases = [place - PLACES for place in range(PLACES)]
    found = emit_list_rows(builder, numbers, bases, INT(0), rows, factors)
    emit_end_of_rows(builder, found, rows, factors)
    return found


@emitted_by(
    _emit_list_points,
    WHOLE,
    *(BOARDS, WHOLE, INDEX_ROWS, FLOAT_ROWS, WHOLE),
    is_compiled=not HAS_AVX512,
)
def list_points(
    boards: NDArray[np.int8],
    at: int,
    rows: NDArray[np.uint16],
    factors: NDArray[np.float32],
    row: int,
) -> int:
    """List the places with checkers of a position, for a first layer with a row of weights for each.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: The place of the position.
        rows: out, ``uint16[m, k]``, for each place the row ``(checkers - 1) * PLACES + side * 26 + point``;
            16 entries more than are listed at most.
        factors: out, ``float32[m, k]``, 1 for each, then `engine.kernels.vectors.STEP` zeros.
        row: The row of the lists.

    Returns:
        The number listed.
    """
    found = 0
    for side in range(2):
        for point in range(26):
            count = int(boards[at, side, point])
            rows[row, found] = (max(count, 1) - 1) * PLACES + side * 26 + point
            factors[row, found] = _ONE
            found += int(count > 0)
    for place in range(found, found + STEP):
        rows[row, place] = 0
        factors[row, place] = _ZERO
    return found


@borrowing_kernel
def list_active_inputs(
    board: NDArray[np.int8], indices: NDArray[np.int64], values: NDArray[np.float32]
) -> int:
    """List the inputs of one position that are not zero, in ascending order of place.

    Args:
        board: ``int8[2, 26]``.
        indices: out, ``int64[MAX_ACTIVE_INPUTS]``, indices of inputs.
        values: out, ``float32[MAX_ACTIVE_INPUTS]``, their values.

    Returns:
        The number written.
    """
    found = 0
    for side in range(2):
        first = side * SIDE_INPUTS
        for point in range(1, 25):
            count = int(board[side, point])
            if count > 0:
                for unit in range(ACTIVE_UNITS[count]):
                    indices[found] = first + 4 * (point - 1) + unit
                    values[found] = POINT_UNITS[count, unit]
                    found += 1
        if board[side, 25] > 0:
            indices[found] = first + BAR_INPUT
            values[found] = np.float32(board[side, 25]) * _HALF
            found += 1
        if board[side, 0] > 0:
            indices[found] = first + OFF_INPUT
            values[found] = np.float32(board[side, 0]) / _FIFTEEN
            found += 1
    return found
