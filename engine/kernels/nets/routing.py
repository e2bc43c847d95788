"""Evaluation of positions of all phases in one loop: each class by a packed net, or by whom Python asks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel
from gammond.engine.kernels.bearoff_tables import BearoffTables, look_up_outcome
from gammond.engine.kernels.board_counts import POINTS_OF_SIDE, weigh_counts
from gammond.engine.kernels.interrupts import ask_results
from gammond.engine.kernels.nets.packed_nets import BLOCK, PackedNets, evaluate_block, make_block_buffers
from gammond.engine.kernels.outcomes import (
    gather_boards,
    group_rows_by_class,
    sanitise,
    scatter_outcomes,
    write_finished,
)
from gammond.engine.kernels.phases import OVER, RACE, classify_phases, is_over

CONTACT_CLASSES = 4
NET_CLASSES = OVER * CONTACT_CLASSES
"""Classes of positions that nets evaluate: phase * CONTACT_CLASSES + contact class.

The contact class has a bit for each side with enough checkers back.
"""

FINISHED = NET_CLASSES
"""The class of positions that are over."""

KNOWN = NET_CLASSES + 1
"""The class of positions whose outcomes are written already."""

_ALL_CLASSES = NET_CLASSES + 2
_BACK: NDArray[np.int16] = (np.arange(POINTS_OF_SIDE) >= 19).astype(np.int16)[None]
"""``int16[1, 26]``: 1 for the points of the opponent's home board and the bar."""

_MIN_BACK_CHECKERS = 2
"""A single checker back does not count: it soon leaves."""


class LeafNets(NamedTuple):
    """What evaluates the positions of a search or of trials.

    Attributes:
        packed: The nets.
        net_of_class: ``int64[NET_CLASSES]``, as for `evaluate_classes`.
        tables: The bearoff databases that evaluate races.
        asks_all: Whether one evaluator is asked for all positions, whose outcomes remain as they are.
    """

    packed: PackedNets
    net_of_class: NDArray[np.int64]
    tables: BearoffTables
    asks_all: bool


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
        back = 0
        for side in range(2):
            back |= int(weigh_counts(boards, i, side, _BACK, 0) >= _MIN_BACK_CHECKERS) << side
        classes[i] = FINISHED if classes[i] == OVER else classes[i] * CONTACT_CLASSES + back
    return races


@kernel
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
    question: NDArray[np.int64],
    boards: NDArray[np.int8],
    classes: NDArray[np.int8],
    is_raw: bool,
    outcomes: NDArray[np.float32],
) -> bool:
    """Evaluate positions by the nets of their classes.

    Args:
        packed: The nets.
        net_of_class: ``int64[NET_CLASSES]``, the number of the net of each class; -1 - k for the evaluator k
            that Python asks.
        question: Cells of the `Question` for that.
        boards: ``int8[n, 2, 26]``.
        classes: ``int8[n]``.
        is_raw: Whether the outcomes remain as the nets give them, which may be inconsistent.
        outcomes: in and out, ``float32[n, 5]``; those of `KNOWN` positions stay as they are.

    Returns:
        Whether Python stops the work; the outcomes are then anything.
    """
    rows, counts = np.empty(boards.shape[0], np.int64), np.zeros(_ALL_CLASSES, np.int64)
    group_rows_by_class(classes, rows, counts)
    buffers = make_block_buffers(packed)
    first = end = 0
    for class_ in range(NET_CLASSES):
        net = net_of_class[class_]
        end += counts[class_]
        if net < 0:
            if class_ + 1 < NET_CLASSES and net_of_class[class_ + 1] == net:
                continue  # what one evaluator is asked is asked at once
            if end > first and _ask_outcomes(question, -1 - net, boards, rows[first:end], is_raw, outcomes):
                return True
            first = end
        for start in range(first, end, BLOCK):
            block = rows[start : min(start + BLOCK, end)]
            gathered = gather_boards(boards, block)
            values = buffers.values[evaluate_block(packed, net, gathered, buffers)]
            if not is_raw:
                sanitise(values[: block.shape[0]], gathered, values)
            scatter_outcomes(values, block, outcomes)
        first = end
    for i in range(end, end + counts[FINISHED]):
        write_finished(boards, rows[i], outcomes)
    return False


@kernel
def _ask_outcomes(
    question: NDArray[np.int64],
    who: int,
    boards: NDArray[np.int8],
    rows: NDArray[np.int64],
    is_raw: bool,
    outcomes: NDArray[np.float32],
) -> bool:
    """Have Python evaluate some of the positions; return whether it stops the work."""
    gathered = gather_boards(boards, rows)
    values = np.empty((rows.shape[0], outcomes.shape[1]), np.float32)
    if ask_results(question, who, gathered, values):
        return True
    if not is_raw:
        sanitise(values, gathered, values)
    scatter_outcomes(values, rows, outcomes)
    return False


@kernel
def evaluate_all(
    nets: LeafNets, question: NDArray[np.int64], boards: NDArray[np.int8], outcomes: NDArray[np.float32]
) -> bool:
    """Evaluate positions of any phase; return whether Python stops the work."""
    if nets.asks_all:
        if ask_results(question, -1 - nets.net_of_class[0], boards, outcomes):
            return True
        for i in range(boards.shape[0]):
            if is_over(boards, i):
                write_finished(boards, i, outcomes)
        return False
    classes = np.empty(boards.shape[0], np.int8)
    classify_positions(boards, classes)
    return evaluate_leaves(nets, question, boards, classes, outcomes)


@kernel
def evaluate_leaves(
    nets: LeafNets,
    question: NDArray[np.int64],
    boards: NDArray[np.int8],
    classes: NDArray[np.int8],
    outcomes: NDArray[np.float32],
) -> bool:
    """Evaluate positions whose classes are known, as `look_up_races` and `evaluate_classes`."""
    look_up_races(nets.tables, boards, classes, outcomes)
    return evaluate_classes(
        nets.packed, nets.net_of_class, question, boards, classes, nets.asks_all, outcomes
    )
