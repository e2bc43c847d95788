"""Evaluation of positions of all phases by the nets of their classes, in one loop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import gil_kernel, inlined_kernel, kernel
from engine.kernels.bearoff_tables import BearoffTables, look_up_outcome
from engine.kernels.board_vectors import POINTS_OF_SIDE, weigh_counts
from engine.kernels.outcomes import (
    gather_boards,
    group_rows_by_class,
    sanitise,
    scatter_outcomes,
    write_finished,
)
from engine.kernels.phases import OVER, RACE, classify_phases
from nets.kernels.packed_nets import BLOCK, PackedNets, evaluate_block, make_block_buffers

CONTACT_CLASSES = 4
NET_CLASSES = OVER * CONTACT_CLASSES
"""Classes of positions that nets evaluate: phase * CONTACT_CLASSES + contact class."""

FINISHED = NET_CLASSES
"""The class of positions that are over."""

KNOWN = NET_CLASSES + 1
"""The class of positions whose outcomes are written already."""

_ALL_CLASSES = NET_CLASSES + 2
_BACK: NDArray[np.int16] = (np.arange(POINTS_OF_SIDE) >= 19).astype(np.int16)[None]
"""``int16[1, 26]``: 1 for the points of the opponent's home board and the bar."""

_MIN_BACK_CHECKERS = 2
"""A single checker back does not count: it soon leaves."""


@kernel
def classify_positions(boards: NDArray[np.int8], classes: NDArray[np.int8]) -> int:
    """Write the classes of positions.

    Args:
        boards: ``int8[n, 2, 26]``.
        classes: out, ``int8[n]``.

    Returns:
        The number of races.
    """
    classify_phases(boards, classes)
    races = 0
    for i in range(boards.shape[0]):
        races += int(classes[i] == RACE)
        contact_class = _find_contact_class(boards, i)
        classes[i] = FINISHED if classes[i] == OVER else classes[i] * CONTACT_CLASSES + contact_class
    return races


@kernel
def classify_contact(boards: NDArray[np.int8], classes: NDArray[np.int8]) -> None:
    """Write the contact classes of positions.

    Args:
        boards: ``int8[n, 2, 26]``.
        classes: out, ``int8[n]``, each 0 to `CONTACT_CLASSES` - 1.
    """
    for i in range(boards.shape[0]):
        classes[i] = _find_contact_class(boards, i)


@inlined_kernel
def _find_contact_class(boards: NDArray[np.int8], at: int) -> int:
    """Return the contact class of a position: a bit for each side with enough checkers back."""
    back = 0
    for side in range(2):
        back |= int(weigh_counts(boards, at, side, _BACK, 0) >= _MIN_BACK_CHECKERS) << side
    return back


@gil_kernel
def look_up_races(
    tables: BearoffTables,
    boards: NDArray[np.int8],
    classes: NDArray[np.int8],
    outcomes: NDArray[np.float32],
) -> None:
    """Write the outcomes of the races that bearoff databases cover; their class becomes `KNOWN`.

    Args:
        tables: The databases.
        boards: ``int8[n, 2, 26]``.
        classes: in and out, ``int8[n]``, from `classify_positions`.
        outcomes: out, ``float32[n, 5]``; other rows are left alone.
    """
    for i in range(boards.shape[0]):
        is_race = classes[i] // CONTACT_CLASSES == RACE
        if is_race and look_up_outcome(tables, boards, i, outcomes):
            classes[i] = KNOWN


@kernel
def evaluate_classes(
    packed: PackedNets,
    net_of_class: NDArray[np.int64],
    boards: NDArray[np.int8],
    classes: NDArray[np.int8],
    is_raw: bool,
    outcomes: NDArray[np.float32],
) -> None:
    """Evaluate positions by the nets of their classes.

    Args:
        packed: The nets.
        net_of_class: ``int64[NET_CLASSES]``, the number of the net of each class.
        boards: ``int8[n, 2, 26]``.
        classes: ``int8[n]``.
        is_raw: Whether the outcomes remain as the nets give them, which may be inconsistent.
        outcomes: in and out, ``float32[n, 5]``; those of `KNOWN` positions stay as they are.
    """
    rows, counts = np.empty(boards.shape[0], np.int64), np.zeros(_ALL_CLASSES, np.int64)
    group_rows_by_class(classes, rows, counts)
    buffers = make_block_buffers(packed)
    end = 0
    for class_ in range(NET_CLASSES):
        first, end = end, end + counts[class_]
        for start in range(first, end, BLOCK):
            block = rows[start : min(start + BLOCK, end)]
            gathered = gather_boards(boards, block)
            values = buffers.values[evaluate_block(packed, net_of_class[class_], gathered, buffers)]
            if not is_raw:
                sanitise(values[: block.shape[0]], gathered, values)
            scatter_outcomes(values, block, outcomes)
    for i in range(end, end + counts[FINISHED]):
        write_finished(boards, rows[i], outcomes)
