"""The most promising plays of rolls, chosen by small nets: `PlayPruner` in one loop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import borrowing_kernel, kernel
from engine.kernels.moves import MAX_PLAYS, write_child, write_moves
from engine.kernels.outcomes import are_equal
from nets.kernels.play_evaluation import evaluate_plays, make_play_buffers, prepare_position
from nets.kernels.sparse import OneLayerWeights


@kernel
def prune_plays(
    boards: NDArray[np.int8],
    dice: NDArray[np.int8],
    start: int,
    contact: OneLayerWeights,
    race: OneLayerWeights,
    keep: int,
    margin: float,
    children: NDArray[np.int8],
    moves: NDArray[np.int8],
    equities: NDArray[np.float32],
    offsets: NDArray[np.int64],
) -> int:
    """Write the most promising plays of one roll for each of many positions.

    Repeated positions, with other rolls, are prepared once.

    Args:
        boards: ``int8[n, 2, 26]``, none of them over.
        dice: ``int8[n, 2]``.
        start: The first position to process; ``offsets[start]`` is the place of its first reply.
        contact: The net for contact.
        race: The net for races.
        keep: The most plays of a position.
        margin: In points of equity.
        children: out, ``int8[capacity, 2, 26]``, the best of each position first.
        moves: out, ``int8[capacity, 8]``.
        equities: out, ``float32[capacity]``, for the next mover.
        offsets: out, ``int64[n + 1]``.

    Returns:
        The number of positions done: less than n if the next one might not fit.
    """
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
            play = int(buffers.plays[kept[j]])
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
