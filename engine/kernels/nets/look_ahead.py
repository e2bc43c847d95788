"""The search of `gammond.engine.search.tree` in one loop.

Packed nets evaluate positions and prune replies; what has no compiled form, Python is asked for, a block at a
time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel
from gammond.engine.kernels.bearoff_tables import BearoffTables
from gammond.engine.kernels.cubeful import GameArrays, add_double_option
from gammond.engine.kernels.interrupts import ask_plays, ask_results
from gammond.engine.kernels.moves import MAX_PLAYS, expand
from gammond.engine.kernels.nets.play_evaluation import PruningNets, make_reply_arrays, prune_plays
from gammond.engine.kernels.nets.routing import LeafNets, evaluate_all
from gammond.engine.kernels.objectives import (
    average_best_replies,
    choose_replies,
    is_settled,
    write_values,
)
from gammond.engine.kernels.outcomes import gather_boards
from gammond.engine.kernels.search import (
    IS_STOPPED,
    NODES,
    ROOT,
    SearchFrame,
    find_distinct,
    is_stopped,
    look_up,
    store,
)
from gammond.engine.kernels.values import OUTCOME_COLUMNS, ROLL_CHANCES, ROLLS

_PRUNING_WORK = 512
"""Work counted for pruning one batch, which takes up to 8 ms where each roll has hundreds of plays."""


class SearchNets(NamedTuple):
    """What evaluates the positions of a search, and prunes the replies.

    Attributes:
        leaves: Evaluate positions.
        settled: The two-sided database from whose positions nothing is looked ahead.
        pruning: The pruning nets; anything in a search that considers all legal plays, or asks Python.
        asks_plays: Whether Python prunes the replies.
        sharer: Whom to ask for the values of the replies to the root, which threads share; -1 for none.
    """

    leaves: LeafNets
    settled: BearoffTables
    pruning: PruningNets
    asks_plays: bool
    sharer: int


class SearchedPly(NamedTuple):
    """Positions at one depth of a search.

    Attributes:
        boards: ``int8[u, 2, 26]``, distinct.
        keys: ``int64[u, 2]``, their keys.
        places: ``int64[n]``, the place among them of each position asked for.
        values: ``float32[u, k]``, as far as they are known.
        missing: ``int64[m]``, the positions whose values were not in the cache.
        deep: ``int64[d]``, those from which the search looks ahead, block by block.
        tag: The tag of the values in the cache.
    """

    boards: NDArray[np.int8]
    keys: NDArray[np.int64]
    places: NDArray[np.int64]
    values: NDArray[np.float32]
    missing: NDArray[np.int64]
    deep: NDArray[np.int64]
    tag: int


@kernel
def evaluate_positions(
    nets: SearchNets,
    frame: SearchFrame,
    own: GameArrays,
    other: GameArrays,
    boards: NDArray[np.int8],
    plies: int,
) -> NDArray[np.float32]:
    """Return the values of positions at n-ply, ``float32[n, k]``; anything once the search is stopped.

    Args:
        nets: Evaluate positions.
        frame: The search.
        own: The game, seen by the side on roll.
        other: The same, seen by the opponent.
        boards: ``int8[n, 2, 26]``, finished ones allowed.
        plies: 1 or more.
    """
    tag = frame.tags[0 if frame.is_inner else ROOT, plies]
    levels = [_open_level(nets, frame, own, boards, plies, tag)]
    offsets_of_level = [np.empty(0, np.int64)]
    done = np.zeros(plies + 1, np.int64)
    while not frame.counters[IS_STOPPED]:
        depth = len(levels) - 1
        level = levels[depth]
        mover, replier = (own, other) if depth % 2 == 0 else (other, own)
        if done[depth] < level.deep.shape[0]:
            left = plies - depth - 1
            rows = level.deep[done[depth] : done[depth] + frame.block]
            stage = 1 if left == 0 and (depth > 0 or frame.is_inner) else 0
            replies, offsets = _list_replies(nets, frame, stage, gather_boards(level.boards, rows))
            if left > 0 and frame.width > 0:
                tag = frame.tags[0, 0]
                leaves = _close_level(frame, _open_level(nets, frame, replier, replies, 0, tag))
                add_double_option(replier, leaves, OUTCOME_COLUMNS)
                chosen, offsets = choose_replies(
                    replier.kind, leaves, offsets, frame.width, frame.width_margin
                )
                replies = gather_boards(replies, chosen)
            if depth == 0 and left > 0 and nets.sharer >= 0 and not frame.counters[IS_STOPPED]:
                values = np.empty((replies.shape[0], level.values.shape[1]), np.float32)
                if ask_results(frame.question, nets.sharer, replies, values):
                    frame.counters[IS_STOPPED] = 1
                    break
                add_double_option(replier, values, OUTCOME_COLUMNS)
                _average(replier, values, offsets, frame, level, done[0])
                done[0] += frame.block
                continue
            tag = frame.tags[(depth + 1) % 2, left]
            levels.append(_open_level(nets, frame, replier, replies, left, tag))
            offsets_of_level.append(offsets)
            done[depth + 1] = 0
            continue
        values = _close_level(frame, level)
        if depth == 0:
            return values
        add_double_option(mover, values, OUTCOME_COLUMNS)
        levels.pop()
        _average(mover, values, offsets_of_level.pop(), frame, levels[depth - 1], done[depth - 1])
        done[depth - 1] += frame.block
    return np.empty((boards.shape[0], levels[0].values.shape[1]), np.float32)


@kernel
def _average(
    replier: GameArrays,
    values: NDArray[np.float32],
    offsets: NDArray[np.int64],
    frame: SearchFrame,
    level: SearchedPly,
    first: int,
) -> None:
    """Write the values of a block of a level, those of ``deep[first:]``, given those of the replies."""
    averages = average_best_replies(replier.kind, values, offsets, ROLL_CHANCES)
    for i in range(averages.shape[0]):
        for k in range(averages.shape[1]):
            level.values[level.deep[first + i], k] = averages[i, k]


@kernel
def _open_level(
    nets: SearchNets,
    frame: SearchFrame,
    game: GameArrays,
    boards: NDArray[np.int8],
    plies: int,
    tag: int,
) -> SearchedPly:
    """Begin a level: evaluate the positions that need no look-ahead, all of them at 0-ply."""
    distinct, keys, places = find_distinct(boards)
    values = np.empty((keys.shape[0], OUTCOME_COLUMNS + game.states.shape[0]), np.float32)
    missing = look_up(frame.cache, keys, tag, values)
    settled, deep = missing, missing[:0]
    if plies > 0:
        settled, deep = _split_settled(nets, game, distinct, missing)
    for start in range(0, settled.shape[0], frame.evaluate_rows):
        rows = settled[start : start + frame.evaluate_rows]
        count = rows.shape[0]
        if is_stopped(frame, count):
            break
        leaves = gather_boards(distinct, rows)
        outcomes = np.empty((count, OUTCOME_COLUMNS), np.float32)
        if evaluate_all(nets.leaves, frame.question, leaves, outcomes):
            frame.counters[IS_STOPPED] = 1
            break
        write_values(game, nets.settled, leaves, outcomes, rows, values)
        frame.counters[NODES] += count
    return SearchedPly(distinct, keys, places, values, missing, deep, tag)


@kernel
def _close_level(frame: SearchFrame, level: SearchedPly) -> NDArray[np.float32]:
    """End a level whose values are all known: store them, and return those of the positions asked for."""
    store(frame.cache, level.keys, level.missing, level.tag, level.values)
    values = np.empty((level.places.shape[0], level.values.shape[1]), np.float32)
    for i in range(values.shape[0]):
        for k in range(values.shape[1]):
            values[i, k] = level.values[level.places[i], k]
    return values


@kernel
def _split_settled(
    nets: SearchNets, game: GameArrays, boards: NDArray[np.int8], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split some of the positions into those that look-ahead cannot change and the others."""
    settled, deep = np.empty(rows.shape[0], np.int64), np.empty(rows.shape[0], np.int64)
    number = 0
    for i in range(rows.shape[0]):
        if is_settled(game, nets.settled, boards, rows[i]):
            settled[number] = rows[i]
            number += 1
        else:
            deep[i - number] = rows[i]
    return settled[:number], deep[: rows.shape[0] - number]


@kernel
def _list_replies(
    nets: SearchNets, frame: SearchFrame, stage: int, boards: NDArray[np.int8]
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """List the replies within the limits of a stage: ``int8[m, 2, 26]``, ``int64[n * rolls + 1]`` offsets."""
    keep, margin = frame.limits[stage]
    rolls = ROLLS.shape[0]
    count = boards.shape[0] * rolls
    rows, dice = np.empty(count, np.int64), np.empty((count, 2), np.int8)
    for i in range(count):
        rows[i] = i // rolls
        dice[i, 0] = ROLLS[i % rolls, 0]
        dice[i, 1] = ROLLS[i % rolls, 1]
    repeated = gather_boards(boards, rows)
    capacity = count * keep if keep > 0 else 24 * count + 2 * MAX_PLAYS
    children, moves, equities, offsets = make_reply_arrays(count, capacity)
    done = 0
    while done < count and not is_stopped(frame, _PRUNING_WORK):
        end = min(count, done + frame.batch * rolls)
        if nets.asks_plays:
            at = offsets[done]
            if ask_plays(
                frame.question,
                stage,
                repeated[done:end],
                dice[done:end],
                children[at:],
                moves[at:],
                equities[at:],
                offsets[done:],
            ):
                frame.counters[IS_STOPPED] = 1
                break
            for i in range(done + 1, end + 1):
                offsets[i] += at
            done = end
        elif keep > 0:
            replies = children, moves, equities, offsets
            prune_plays(nets.pruning, keep, margin, repeated[:end], dice, done, replies)
            done = end
        else:
            done = expand(repeated[:end], dice, done, 4, children, moves, offsets)
            if done < end:  # no room for the next
                kept = np.arange(2 * moves.shape[0]) % moves.shape[0]
                children = gather_boards(children, kept)
                moves = np.empty((kept.shape[0], 8), np.int8)
    for i in range(done, count):  # where it was stopped
        offsets[i + 1] = offsets[i]
    return children[: offsets[count]], offsets
