"""The most promising plays of rolls, chosen by small nets: `PlayPruner` in one loop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import borrowing_kernel, kernel
from engine.kernels.moves import MAX_PLAYS, write_child, write_moves
from engine.kernels.outcomes import are_equal
from nets.kernels.play_evaluation import evaluate_plays, make_play_buffers, prepare_position
from nets.kernels.sparse import OneLayerWeights

PruningNets = tuple[OneLayerWeights, OneLayerWeights]
"""A net for contact and one for races."""

ReplyArrays = tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.float32], NDArray[np.int64]]
"""Promising plays of one roll in each of n positions; a plain tuple, which Python hands over sooner than a
named one: the positions after the plays, ``int8[capacity, 2, 26]``, the best of each position first; their
checker moves, ``int8[capacity, 8]``; their equities for the next mover, ``float32[capacity]``; offsets,
``int64[n + 1]``: those of position i are at ``offsets[i]:offsets[i + 1]``."""


@kernel
def make_reply_arrays(count: int, capacity: int) -> ReplyArrays:
    """Make room for a number of positions, and of plays of all of them."""
    children, moves = np.empty((capacity, 2, 26), np.int8), np.empty((capacity, 8), np.int8)
    return children, moves, np.empty(capacity, np.float32), np.zeros(count + 1, np.int64)


@kernel
def prune_plays(
    nets: PruningNets,
    keep: int,
    margin: float,
    boards: NDArray[np.int8],
    dice: NDArray[np.int8],
    start: int,
    replies: ReplyArrays,
) -> int:
    """Write the most promising plays of one roll for each of many positions.

    Repeated positions, with other rolls, are prepared once.

    Args:
        nets: Evaluate plays.
        keep: The most plays of a position.
        margin: The largest difference of a play from the best one, in points of equity.
        boards: ``int8[n, 2, 26]``, none of them over.
        dice: ``int8[n, 2]``.
        start: The first position to process; ``offsets[start]`` is the place of its first reply.
        replies: in and out, with room for n positions or more.

    Returns:
        The number of positions done: less than n if the next one might not fit.
    """
    contact, race = nets
    children, moves, equities, offsets = replies
    buffers = make_play_buffers(contact, race)
    kept = np.empty(MAX_PLAYS, np.int64)
    for i in range(start, boards.shape[0]):
        at = offsets[i]
        if i == start or not are_equal(boards, i - 1, i):
            prepare_position(boards, i, contact, race, buffers)
        count = evaluate_plays(boards, i, int(dice[i, 0]), int(dice[i, 1]), contact, race, buffers)
        if at + min(count, keep) > children.shape[0]:
            return i
        number = _select_best(buffers.equities, count, keep, margin, kept)
        for j in range(number):
            play = int(buffers.listed.plays[kept[j]])
            write_child(boards, i, play, children, at + j)
            write_moves(play, moves, at + j)
            equities[at + j] = buffers.equities[kept[j]]
        offsets[i + 1] = at + number
    return boards.shape[0]


@borrowing_kernel
def _select_best(
    equities: NDArray[np.float32], count: int, keep: int, margin: float, selected: NDArray[np.int64]
) -> int:
    """Write the places of the lowest equities in rising order, ties in theirs, and return their number."""
    number = 0
    limit = np.float32(np.inf)
    for i in range(count):
        if equities[i] > limit:
            continue
        place = number
        while place > 0 and equities[selected[place - 1]] > equities[i]:
            place -= 1
        if place >= keep:
            continue
        number = min(number + 1, keep)
        for j in range(number - 1, place, -1):
            selected[j] = selected[j - 1]
        selected[place] = i
        limit = equities[selected[0]] + np.float32(margin)
    while equities[selected[number - 1]] > limit:
        number -= 1
    return number
