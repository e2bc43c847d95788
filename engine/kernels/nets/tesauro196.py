"""The `tesauro196` inputs, dense for ONNX nets and sparse for first layers that add table rows.

Layout of the 196 inputs: ``x[side * 98 + (point - 1) * 4 + unit]`` with side 0 the player on roll and side
1 the opponent, each on its points 1..24 in *its own* numbering; then for each side ``x[side * 98 + 96]``
checkers on the bar / 2 and ``x[side * 98 + 97]`` checkers borne off / 15. A point's units are in
`PLACE_VALUES`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import borrowing, kernel
from gammond.engine.kernels.instructions import (
    BOARDS,
    FLOAT_ROWS,
    INDEX_ROWS,
    INT,
    WHOLE,
    Builder,
    Value,
    emit_load_counts,
    emitted_by,
    fill,
    point_to_row,
)
from gammond.engine.kernels.vectors import HAS_AVX512, STEP, emit_end_of_rows, emit_list_rows

LAYOUT = {"points": 4 * 24, "bar": 1, "off": 1}
"""The inputs of a side in order: how many there are of each kind."""

SIDE_INPUTS = sum(LAYOUT.values())
INPUTS = 2 * SIDE_INPUTS
BAR_INPUT = LAYOUT["points"]
OFF_INPUT = BAR_INPUT + LAYOUT["bar"]

MAX_ACTIVE_INPUTS = 30
"""The most inputs of a position that are not zero: at most one for each of the 30 checkers."""

PLACES = 52
"""Off, 24 points and the bar of both sides."""

PLACE_ROWS = 15 * PLACES
"""Rows of a first layer that has one for each number of checkers on each place."""

UNITS = 4
"""The most inputs that the checkers on a place set."""

_OFF, _BAR = 0, 25


# A point's units: each grows with every checker after so many, by so much, up to a most.
_AFTER = np.array([0, 1, 2, 3], np.float32)
_STEPS = np.array([1, 1, 1, 0.5], np.float32)
_MOST = np.array([1, 1, 1, np.inf], np.float32)


def _make_place_inputs() -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    count = np.arange(16.0)
    inputs = 4 * (np.arange(26) - 1)
    inputs[_BAR], inputs[_OFF] = BAR_INPUT, OFF_INPUT
    values = np.zeros((26, 16, UNITS))
    values[1:25] = np.minimum(np.maximum(count[:, None] - _AFTER, 0) * _STEPS, _MOST)
    values[_BAR, :, 0], values[_OFF, :, 0] = count / 2, count / 15
    return inputs, values


def _find_checker_steps() -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    steps = np.diff(_exact_values, axis=1)
    steps = np.concatenate([steps[:, :1], steps], axis=1)
    units = steps.argmax(axis=2)
    return PLACE_INPUTS[:, None] + units, steps.max(axis=2).astype(np.float32)


PLACE_INPUTS, _exact_values = _make_place_inputs()
"""``int64[26]``: the first input of side 0 that its checkers on a place set.

With `PLACE_VALUES` this is the one table of the encoding, from which all that follows is made.
"""

PLACE_VALUES: NDArray[np.float32] = _exact_values.astype(np.float32)
"""``float32[26, 16, UNITS]``: the values of this input and those after it by the number of checkers; the bar
and off have one alone."""

ACTIVE_UNITS: NDArray[np.int64] = (PLACE_VALUES > 0).sum(axis=2)
"""``int64[26, 16]``: how many of these inputs are not zero, always the first ones."""

CHECKER_INPUTS, CHECKER_STEPS = _find_checker_steps()
"""``int64[26, 16]`` and ``float32[26, 16]``: the input that the n-th checker on a place changes, for side 0,
and by how much; for n = 0 the same as for 1."""

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)


@kernel
def encode(boards: NDArray[np.int8], inputs: NDArray[np.float32]) -> None:
    """Write the inputs of positions.

    Args:
        boards: ``int8[n, 2, 26]``.
        inputs: out, ``float32[n, 196]`` or wider.
    """
    for i in range(boards.shape[0]):
        for side in range(2):
            for point in range(1, 25):  # computed, not looked up: so it compiles to vector instructions
                checkers = np.float32(boards[i, side, point])
                first = side * SIDE_INPUTS + UNITS * (point - 1)
                for unit in range(UNITS):
                    value = max(checkers - _AFTER[unit], _ZERO) * _STEPS[unit]
                    inputs[i, first + unit] = min(value, _MOST[unit])
            for place in (_BAR, _OFF):
                count = int(boards[i, side, place])
                inputs[i, side * SIDE_INPUTS + PLACE_INPUTS[place]] = PLACE_VALUES[place, count, 0]


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
        factors: out, ``float32[m, k]``, 1 for each, then `gammond.engine.kernels.vectors.STEP` zeros.
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


@borrowing
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
        for step in range(1, 27):
            place = step % 26  # off has the last input
            count = int(board[side, place])
            for unit in range(ACTIVE_UNITS[place, count]):
                indices[found] = side * SIDE_INPUTS + PLACE_INPUTS[place] + unit
                values[found] = PLACE_VALUES[place, count, unit]
                found += 1
    return found
