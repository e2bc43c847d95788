"""Nets with one hidden layer on `tesauro196` inputs, evaluated by adding up rows of the first layer.

A net is the tuple (w1 ``float32[196, h]``, b1 ``float32[h]``, w2 ``float32[5, h]``, b2 ``float32[5]``): ReLU
hidden units and five sigmoid outputs, the cumulative outcome. The inputs of a point depend on that point
alone, so the first layer of a child differs from its parent's by a few rows only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import float_kernel, kernel
from engine.kernels.moves import MAX_PLAYS, plays_into
from nets.kernels.encode import BAR_INPUT, MAX_ACTIVE, OFF_INPUT, SIDE_INPUTS, active_inputs

Net = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]

_SIGMOID_LIMIT = 16.0
_SIGMOID_STEPS = 256
_SIGMOID: NDArray[np.float32] = (1.0 / (1.0 + np.exp(-np.arange(-16 * 256, 16 * 256 + 2) / 256))).astype(
    np.float32
)


@kernel
def is_race(boards: NDArray[np.int8], at: int) -> bool:
    """Whether no checker of a position can meet an opposing one; `engine.kernels.phases` for one position."""
    rear = 0
    for side in range(2):
        point = 25
        while point > 0 and boards[at, side, point] == 0:
            point -= 1
        rear += point
    return rear <= 25


@float_kernel
def _add_rows(
    base: NDArray[np.float32],
    w1: NDArray[np.float32],
    rows: NDArray[np.int64],
    factors: NDArray[np.float32],
    count: int,
    hidden: NDArray[np.float32],
) -> None:
    """Write ``base`` plus weighted rows of the first layer, four rows in one pass."""
    for h in range(hidden.shape[0]):
        hidden[h] = base[h]
    i = 0
    while i + 4 <= count:
        row0, row1, row2, row3 = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
        factor0, factor1, factor2, factor3 = factors[i], factors[i + 1], factors[i + 2], factors[i + 3]
        for h in range(hidden.shape[0]):
            hidden[h] += (factor0 * w1[row0, h] + factor1 * w1[row1, h]) + (
                factor2 * w1[row2, h] + factor3 * w1[row3, h]
            )
        i += 4
    while i < count:
        row = rows[i]
        factor = factors[i]
        for h in range(hidden.shape[0]):
            hidden[h] += factor * w1[row, h]
        i += 1


@kernel
def first_layer(
    boards: NDArray[np.int8],
    at: int,
    net: Net,
    rows: NDArray[np.int64],
    factors: NDArray[np.float32],
    hidden: NDArray[np.float32],
) -> None:
    """Write the sums of the hidden units of one position.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: Which of them.
        net: The net.
        rows: scratch, ``int64[MAX_ACTIVE]``.
        factors: scratch, ``float32[MAX_ACTIVE]``.
        hidden: out, ``float32[h]``.
    """
    count = active_inputs(boards[at], rows, factors)
    _add_rows(net[1], net[0], rows, factors, count, hidden)


@kernel
def _sigmoid(x: float) -> np.float32:
    """Look a sigmoid up, off by at most 2e-7."""
    place = (min(max(x, -_SIGMOID_LIMIT), _SIGMOID_LIMIT) + _SIGMOID_LIMIT) * _SIGMOID_STEPS
    below = int(place)
    share = np.float32(place - below)
    return _SIGMOID[below] + share * (_SIGMOID[below + 1] - _SIGMOID[below])


@float_kernel
def second_layer(hidden: NDArray[np.float32], net: Net, values: NDArray[np.float32], row: int) -> None:
    """Write the outcome that the sums of the hidden units lead to, to a row of ``float32[n, 5]``."""
    w2 = net[2]
    for k in range(5):
        total = np.float32(0.0)
        for h in range(hidden.shape[0]):
            total += max(hidden[h], np.float32(0.0)) * w2[k, h]
        values[row, k] = _sigmoid(total + net[3][k])


@kernel
def equity_of(values: NDArray[np.float32], row: int) -> float:
    """Return the equity of a row of outcomes, in points."""
    return 2.0 * values[row, 0] - 1.0 + values[row, 1] + values[row, 2] - values[row, 3] - values[row, 4]


@kernel
def _finished(children: NDArray[np.int8], at: int, values: NDArray[np.float32]) -> bool:
    """Write the exact outcome to row 0 if the game is over: only its last mover, row 1, can have won."""
    if children[at, 1, 0] < 15:
        return False
    for k in range(5):
        values[0, k] = 0.0
    if children[at, 0, 0] == 0:
        values[0, 3] = 1.0
        for point in range(19, 26):
            if children[at, 0, point] > 0:
                values[0, 4] = 1.0
    return True


@kernel
def _one_checker(
    side: int,
    point: int,
    count: int,
    sign: float,
    rows: NDArray[np.int64],
    factors: NDArray[np.float32],
    at: int,
) -> int:
    """Note the input that the ``count``-th checker of a point sets; return the next free place."""
    base = side * SIDE_INPUTS
    if point == 25:
        rows[at] = base + BAR_INPUT
        factors[at] = np.float32(0.5 * sign)
    elif point == 0:
        rows[at] = base + OFF_INPUT
        factors[at] = np.float32(sign / 15.0)
    else:
        rows[at] = base + 4 * (point - 1) + min(count, 4) - 1
        factors[at] = np.float32(sign if count < 4 else 0.5 * sign)
    return at + 1


@kernel
def _changes_to_child(
    turned: NDArray[np.int8],
    moves: NDArray[np.int8],
    child: int,
    rows: NDArray[np.int64],
    factors: NDArray[np.float32],
) -> int:
    """Note the inputs in which a child differs from its turned parent; return how many."""
    found = 0
    for i in range(0, 8, 2):
        source = int(moves[child, i])
        if source == 0:
            break
        target = int(moves[child, i + 1])
        at_source = int(turned[0, 1, source])
        at_target = int(turned[0, 1, target])
        is_hit = target > 0 and turned[0, 0, 25 - target] == 1
        for j in range(0, i, 2):
            earlier_source = moves[child, j]
            earlier_target = moves[child, j + 1]
            at_source += int(earlier_target == source) - int(earlier_source == source)
            at_target += int(earlier_target == target) - int(earlier_source == target)
            is_hit = is_hit and earlier_target != target
        found = _one_checker(1, source, at_source, -1.0, rows, factors, found)
        found = _one_checker(1, target, at_target + 1, 1.0, rows, factors, found)
        if is_hit:
            found = _one_checker(0, 25 - target, 1, -1.0, rows, factors, found)
            found = _one_checker(0, 25, 1, 1.0, rows, factors, found)
    return found


@kernel
def _turn(boards: NDArray[np.int8], at: int, turned: NDArray[np.int8]) -> None:
    for point in range(26):
        turned[0, 0, point] = boards[at, 1, point]
        turned[0, 1, point] = boards[at, 0, point]


@kernel
def judge_children(
    boards: NDArray[np.int8],
    at: int,
    children: NDArray[np.int8],
    moves: NDArray[np.int8],
    count: int,
    contact: Net,
    race: Net,
    equities: NDArray[np.float32],
    values: NDArray[np.float32],
) -> int:
    """Judge all children of a position, for the next mover.

    A position after contact has only children after contact; one loop for all children spares the calls.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: Which of them is the parent.
        children: ``int8[count, 2, 26]`` or more, as the next mover sees them.
        moves: ``int8[count, 8]`` or more.
        count: How many children there are.
        contact: The net for contact.
        race: The net for races.
        equities: out, ``float32[count]`` or more.
        values: out, ``float32[2, 5]``; row 1 gets the outcome of the child with the least equity, row 0 is
            scratch.

    Returns:
        The place of that child; the first of equals.
    """
    rows = np.empty(MAX_ACTIVE, np.int64)
    factors = np.empty(MAX_ACTIVE, np.float32)
    turned = np.empty((1, 2, 26), np.int8)
    contact_sums = np.empty(contact[1].shape[0], np.float32)
    race_sums = np.empty(race[1].shape[0], np.float32)
    _turn(boards, at, turned)
    from_race = is_race(boards, at)
    if from_race:
        base = np.empty(race_sums.shape[0], np.float32)
        first_layer(turned, 0, race, rows, factors, base)
    else:
        base = np.empty(contact_sums.shape[0], np.float32)
        first_layer(turned, 0, contact, rows, factors, base)
    best = 0
    least = 1e9
    for child in range(count):
        if not _finished(children, child, values):
            if from_race:
                changes = _changes_to_child(turned, moves, child, rows, factors)
                _add_rows(base, race[0], rows, factors, changes, race_sums)
                second_layer(race_sums, race, values, 0)
            elif is_race(children, child):
                first_layer(children, child, race, rows, factors, race_sums)
                second_layer(race_sums, race, values, 0)
            else:
                changes = _changes_to_child(turned, moves, child, rows, factors)
                _add_rows(base, contact[0], rows, factors, changes, contact_sums)
                second_layer(contact_sums, contact, values, 0)
        equity = equity_of(values, 0)
        equities[child] = equity
        if equity < least:
            least = equity
            best = child
            for k in range(5):
                values[1, k] = values[0, k]
    return best


@kernel
def best_replies(
    boards: NDArray[np.int8],
    dice: NDArray[np.int8],
    start: int,
    contact: Net,
    race: Net,
    keep: int,
    margin: float,
    children: NDArray[np.int8],
    moves: NDArray[np.int8],
    equities: NDArray[np.float32],
    offsets: NDArray[np.int64],
) -> int:
    """Write the most promising plays of one roll for each of many positions: `engine.replies.ReplyFinder`.

    Args:
        boards: ``int8[n, 2, 26]``, none of them over.
        dice: ``int8[n, 2]``.
        start: The first position to do; ``offsets[start]`` says where its replies go.
        contact: The net for contact.
        race: The net for races.
        keep: The most replies of a position.
        margin: In points of equity.
        children: out, ``int8[capacity, 2, 26]``, the best of each position first.
        moves: out, ``int8[capacity, 8]``.
        equities: out, ``float32[capacity]``, for the next mover.
        offsets: out, ``int64[n + 1]``.

    Returns:
        The number of positions done: less than n when the next one might not fit.
    """
    work = np.empty((5, 2, 26), np.int8)
    hashes = np.empty(MAX_PLAYS, np.int64)
    all_children = np.empty((MAX_PLAYS, 2, 26), np.int8)
    all_moves = np.empty((MAX_PLAYS, 8), np.int8)
    all_equities = np.empty(MAX_PLAYS, np.float32)
    kept = np.empty(MAX_PLAYS, np.int64)
    values = np.empty((2, 5), np.float32)
    for i in range(start, boards.shape[0]):
        at = offsets[i]
        count = plays_into(
            boards, i, int(dice[i, 0]), int(dice[i, 1]), work, hashes, all_children, all_moves, 0
        )
        if at + min(count, keep) > children.shape[0]:
            return i
        judge_children(boards, i, all_children, all_moves, count, contact, race, all_equities, values)
        number = _select(all_equities, count, keep, margin, kept)
        for j in range(number):
            _copy_reply(all_children, all_moves, kept[j], children, moves, at + j)
            equities[at + j] = all_equities[kept[j]]
        offsets[i + 1] = at + number
    return boards.shape[0]


@kernel
def _select(
    equities: NDArray[np.float32], count: int, keep: int, margin: float, kept: NDArray[np.int64]
) -> int:
    """Write the places of the least equities in rising order, equals in theirs; return how many."""
    number = 0
    for i in range(count):
        place = number
        while place > 0 and equities[kept[place - 1]] > equities[i]:
            place -= 1
        if place >= keep:
            continue
        number = min(number + 1, keep)
        for j in range(number - 1, place, -1):
            kept[j] = kept[j - 1]
        kept[place] = i
    limit = equities[kept[0]] + np.float32(margin)
    while equities[kept[number - 1]] > limit:
        number -= 1
    return number


@kernel
def _copy_reply(
    children: NDArray[np.int8],
    moves: NDArray[np.int8],
    source: int,
    to_children: NDArray[np.int8],
    to_moves: NDArray[np.int8],
    target: int,
) -> None:
    for side in range(2):
        for point in range(26):
            to_children[target, side, point] = children[source, side, point]
    for i in range(8):
        to_moves[target, i] = moves[source, i]
