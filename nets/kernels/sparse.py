"""Nets with one hidden layer on `tesauro196` inputs, evaluated by adding up rows of the first layer.

A net is the tuple (w1 ``float32[196, h]``, b1 ``float32[h]``, w2 ``float32[5, h]``, b2 ``float32[5]``): ReLU
hidden units and five sigmoid outputs, the cumulative outcome. The inputs of a point depend on that point
alone, so the first layer of a child differs from its parent's by a few rows only.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.kernels import float_kernel, kernel
from engine.kernels.moves import MAX_PLAYS, plays_into
from nets.kernels.encode import BAR_INPUT, OFF_INPUT, SIDE_INPUTS

Net = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]


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
def _add_row(hidden: NDArray[np.float32], w1: NDArray[np.float32], row: int, scale: float) -> None:
    factor = np.float32(scale)
    for h in range(hidden.shape[0]):
        hidden[h] += factor * w1[row, h]


@kernel
def _unit(count: int, unit: int) -> float:
    """One of the four units of a point with ``count`` checkers; see `nets.encoders`."""
    if unit < 3:
        return 1.0 if count > unit else 0.0
    return 0.5 * (count - 3) if count > 3 else 0.0


@kernel
def _shift(
    hidden: NDArray[np.float32], w1: NDArray[np.float32], side: int, point: int, old: int, new: int
) -> None:
    """Change first-layer sums for a point that goes from ``old`` to ``new`` checkers."""
    base = side * SIDE_INPUTS
    if point == 25:
        _add_row(hidden, w1, base + BAR_INPUT, 0.5 * (new - old))
    elif point == 0:
        _add_row(hidden, w1, base + OFF_INPUT, (new - old) / 15.0)
    else:
        for unit in range(4):
            change = _unit(new, unit) - _unit(old, unit)
            if change != 0.0:
                _add_row(hidden, w1, base + 4 * (point - 1) + unit, change)


@kernel
def first_layer(boards: NDArray[np.int8], at: int, net: Net, hidden: NDArray[np.float32]) -> None:
    """Write the sums of the hidden units, ``float32[h]``, for one of ``int8[n, 2, 26]``."""
    for h in range(hidden.shape[0]):
        hidden[h] = net[1][h]
    for side in range(2):
        for point in range(26):
            if boards[at, side, point] > 0:
                _shift(hidden, net[0], side, point, 0, int(boards[at, side, point]))


@float_kernel
def second_layer(hidden: NDArray[np.float32], net: Net, values: NDArray[np.float32], row: int) -> None:
    """Write the outcome that the sums of the hidden units lead to, to a row of ``float32[n, 5]``."""
    w2 = net[2]
    for k in range(5):
        total = np.float32(0.0)
        for h in range(hidden.shape[0]):
            total += max(hidden[h], np.float32(0.0)) * w2[k, h]
        values[row, k] = np.float32(1.0) / (np.float32(1.0) + np.float32(math.exp(-(total + net[3][k]))))


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
def _shift_to_child(
    hidden: NDArray[np.float32],
    w1: NDArray[np.float32],
    turned: NDArray[np.int8],
    children: NDArray[np.int8],
    moves: NDArray[np.int8],
    child: int,
) -> None:
    """Change the first-layer sums of a turned parent to those of a child, point by changed point."""
    for i in range(8):
        point = int(moves[child, i])
        if moves[child, i - i % 2] == 0:
            break
        repeated = False
        for j in range(i):
            if moves[child, j] == point:
                repeated = True
        if repeated:
            continue
        if children[child, 1, point] != turned[0, 1, point]:
            _shift(hidden, w1, 1, point, int(turned[0, 1, point]), int(children[child, 1, point]))
        if point > 0 and children[child, 0, 25 - point] != turned[0, 0, 25 - point]:
            _shift(
                hidden, w1, 0, 25 - point, int(turned[0, 0, 25 - point]), int(children[child, 0, 25 - point])
            )
    if children[child, 0, 25] != turned[0, 0, 25]:
        _shift(hidden, w1, 0, 25, int(turned[0, 0, 25]), int(children[child, 0, 25]))


@kernel
def _judge_child(
    children: NDArray[np.int8],
    moves: NDArray[np.int8],
    child: int,
    turned: NDArray[np.int8],
    contact: Net,
    race: Net,
    contact_base: NDArray[np.float32],
    contact_hidden: NDArray[np.float32],
    race_hidden: NDArray[np.float32],
    values: NDArray[np.float32],
) -> float:
    """Write the outcome of a child to ``values[0]`` and return its equity, both for the next mover."""
    if not _finished(children, child, values):
        if is_race(children, child):
            first_layer(children, child, race, race_hidden)
            second_layer(race_hidden, race, values, 0)
        else:
            for h in range(contact_base.shape[0]):
                contact_hidden[h] = contact_base[h]
            _shift_to_child(contact_hidden, contact[0], turned, children, moves, child)
            second_layer(contact_hidden, contact, values, 0)
    return equity_of(values, 0)


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
    values: NDArray[np.float32],
) -> int:
    """Find the child with the least equity.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: Which of them is the parent.
        children: ``int8[count, 2, 26]`` or more, as the next mover sees them.
        moves: ``int8[count, 8]`` or more.
        count: How many children there are.
        contact: The net for contact.
        race: The net for races.
        values: out, ``float32[2, 5]``; row 1 gets the outcome of the chosen child, row 0 is scratch.

    Returns:
        The place of the child; the first of equals.
    """
    contact_base = np.empty(contact[1].shape[0], np.float32)
    contact_hidden = np.empty(contact[1].shape[0], np.float32)
    race_hidden = np.empty(race[1].shape[0], np.float32)
    turned = np.empty((1, 2, 26), np.int8)
    _turn(boards, at, turned)
    first_layer(turned, 0, contact, contact_base)
    best = -1
    least = 1e9
    for i in range(count):
        equity = _judge_child(
            children, moves, i, turned, contact, race, contact_base, contact_hidden, race_hidden, values
        )
        if equity < least:
            least = equity
            best = i
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
    contact_base = np.empty(contact[1].shape[0], np.float32)
    contact_hidden = np.empty(contact[1].shape[0], np.float32)
    race_hidden = np.empty(race[1].shape[0], np.float32)
    turned = np.empty((1, 2, 26), np.int8)
    values = np.empty((1, 5), np.float32)
    for i in range(start, boards.shape[0]):
        at = offsets[i]
        count = plays_into(
            boards, i, int(dice[i, 0]), int(dice[i, 1]), work, hashes, all_children, all_moves, 0
        )
        if at + min(count, keep) > children.shape[0]:
            return i
        _turn(boards, i, turned)
        first_layer(turned, 0, contact, contact_base)
        for child in range(count):
            all_equities[child] = _judge_child(
                all_children,
                all_moves,
                child,
                turned,
                contact,
                race,
                contact_base,
                contact_hidden,
                race_hidden,
                values,
            )
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
