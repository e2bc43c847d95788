"""The search of `engine.search.tree` in one loop, with compiled nets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import kernel
from engine.kernels.bearoff_tables import BearoffTables
from engine.kernels.cubeful import add_double_option
from engine.kernels.moves import MAX_PLAYS, expand
from engine.kernels.objectives import (
    OUTCOME_COLUMNS,
    ObjectiveRules,
    average_best_replies,
    choose_replies,
    is_settled,
    write_values,
)
from engine.kernels.outcomes import gather_boards
from engine.kernels.search import (
    IS_STOPPED,
    NODES,
    SearchFrame,
    find_distinct,
    is_stopped,
    look_up,
    store,
)
from nets.kernels.packed_nets import PackedNets
from nets.kernels.pruning import PruningNets, make_reply_arrays, prune_plays
from nets.kernels.routing import classify_positions, evaluate_classes, look_up_races

_PRUNING_WORK = 512
"""Work counted for pruning one batch, which takes up to 8 ms where each roll has hundreds of plays."""


class SearchNets(NamedTuple):
    """What evaluates the positions of a search, and prunes the replies.

    Attributes:
        packed: The nets.
        net_of_class: ``int64[NET_CLASSES]``, the net of each class of positions.
        tables: The bearoff databases that evaluate races.
        settled: The two-sided database from whose positions nothing is looked ahead.
        pruning: The pruning nets; anything in a search that considers all legal plays.
    """

    packed: PackedNets
    net_of_class: NDArray[np.int64]
    tables: BearoffTables
    settled: BearoffTables
    pruning: PruningNets


class Level(NamedTuple):
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
    own: ObjectiveRules,
    other: ObjectiveRules,
    boards: NDArray[np.int8],
    plies: int,
) -> NDArray[np.float32]:
    """Return the values of positions at n-ply, ``float32[n, k]``; anything once the search is stopped.

    Args:
        nets: Evaluate positions.
        frame: The search.
        own: The rules of the side on roll.
        other: Those of the opponent.
        boards: ``int8[n, 2, 26]``, finished ones allowed.
        plies: 1 or more.
    """
    no_plies = min(plies, 0)  # for the literal the kernel would be compiled once more
    levels = [_open_level(nets, frame, own, boards, plies, frame.tags[0, plies])]
    offsets_of_level = [np.empty(0, np.int64)]
    done = np.zeros(plies + 1, np.int64)
    while not frame.counters[IS_STOPPED]:
        depth = len(levels) - 1
        level = levels[depth]
        mover, replier = (own, other) if depth % 2 == 0 else (other, own)
        if done[depth] < level.deep.shape[0]:
            left = plies - depth - 1
            rows = level.deep[done[depth] : done[depth] + frame.block]
            replies, offsets = _list_replies(nets, frame, gather_boards(level.boards, rows))
            if left > 0 and frame.width > 0:
                tag = frame.tags[0, no_plies]
                leaves = _close_level(frame, _open_level(nets, frame, replier, replies, no_plies, tag))
                add_double_option(replier.option, leaves, OUTCOME_COLUMNS)
                chosen, offsets = choose_replies(
                    replier.kind, leaves, offsets, frame.width, frame.width_margin
                )
                replies = gather_boards(replies, chosen)
            tag = frame.tags[(depth + 1) % 2, left]
            levels.append(_open_level(nets, frame, replier, replies, left, tag))
            offsets_of_level.append(offsets)
            done[depth + 1] = 0
            continue
        values = _close_level(frame, level)
        if depth == 0:
            return values
        add_double_option(mover.option, values, OUTCOME_COLUMNS)
        averages = average_best_replies(mover.kind, values, offsets_of_level.pop(), frame.weights)
        levels.pop()
        level = levels[depth - 1]
        for i in range(averages.shape[0]):
            row = level.deep[done[depth - 1] + i]
            for k in range(averages.shape[1]):
                level.values[row, k] = averages[i, k]
        done[depth - 1] += frame.block
    return np.empty((boards.shape[0], levels[0].values.shape[1]), np.float32)


@kernel
def _open_level(
    nets: SearchNets,
    frame: SearchFrame,
    rules: ObjectiveRules,
    boards: NDArray[np.int8],
    plies: int,
    tag: int,
) -> Level:
    """Begin a level: evaluate the positions that need no look-ahead, all of them at 0-ply."""
    distinct, keys, places = find_distinct(boards)
    values = np.empty((keys.shape[0], OUTCOME_COLUMNS + rules.owners.shape[0]), np.float32)
    missing = look_up(frame.cache, keys, tag, values)
    settled, deep = missing, missing[:0]
    if plies > 0:
        settled, deep = _split_settled(nets, rules, distinct, missing)
    for start in range(0, settled.shape[0], frame.evaluate_rows):
        rows = settled[start : start + frame.evaluate_rows]
        count = rows.shape[0]
        if is_stopped(frame, count):
            break
        leaves = gather_boards(distinct, rows)
        classes = np.empty(count, np.int8)
        outcomes = np.empty((count, OUTCOME_COLUMNS), np.float32)
        if classify_positions(leaves, classes):
            look_up_races(nets.tables, leaves, classes, outcomes)
        is_raw = plies < 0  # for the literal the kernel would be compiled once more
        evaluate_classes(nets.packed, nets.net_of_class, leaves, classes, is_raw, outcomes)
        write_values(rules, nets.settled, leaves, outcomes, rows, values)
        frame.counters[NODES] += count
    return Level(distinct, keys, places, values, missing, deep, tag)


@kernel
def _close_level(frame: SearchFrame, level: Level) -> NDArray[np.float32]:
    """End a level whose values are all known: store them, and return those of the positions asked for."""
    store(frame.cache, level.keys, level.missing, level.tag, level.values)
    values = np.empty((level.places.shape[0], level.values.shape[1]), np.float32)
    for i in range(values.shape[0]):
        for k in range(values.shape[1]):
            values[i, k] = level.values[level.places[i], k]
    return values


@kernel
def _split_settled(
    nets: SearchNets, rules: ObjectiveRules, boards: NDArray[np.int8], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split some of the positions into those that look-ahead cannot change and the others."""
    settled, deep = np.empty(rows.shape[0], np.int64), np.empty(rows.shape[0], np.int64)
    number = 0
    for i in range(rows.shape[0]):
        if is_settled(rules, nets.settled, boards, rows[i]):
            settled[number] = rows[i]
            number += 1
        else:
            deep[i - number] = rows[i]
    return settled[:number], deep[: rows.shape[0] - number]


@kernel
def _list_replies(
    nets: SearchNets, frame: SearchFrame, boards: NDArray[np.int8]
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """List the replies considered: ``int8[m, 2, 26]``, ``int64[n * rolls + 1]`` offsets, roll by roll."""
    rolls = frame.dice.shape[0]
    count = boards.shape[0] * rolls
    rows, dice = np.empty(count, np.int64), np.empty((count, 2), np.int8)
    for i in range(count):
        rows[i] = i // rolls
        dice[i, 0] = frame.dice[i % rolls, 0]
        dice[i, 1] = frame.dice[i % rolls, 1]
    repeated = gather_boards(boards, rows)
    capacity = count * frame.keep if frame.keep > 0 else 24 * count + 2 * MAX_PLAYS
    children, moves, equities, offsets = make_reply_arrays(count, capacity)
    done = 0
    while done < count and not is_stopped(frame, _PRUNING_WORK):
        end = min(count, done + frame.batch * rolls)
        if frame.keep > 0:
            replies = children, moves, equities, offsets
            prune_plays(nets.pruning, frame.keep, frame.margin, repeated[:end], dice, done, replies)
            done = end
        else:
            done = expand(repeated[:end], dice, done, children, moves, offsets)
            if done < end:  # no room for the next
                kept = np.arange(2 * moves.shape[0]) % moves.shape[0]
                children = gather_boards(children, kept)
                moves = np.empty((kept.shape[0], 8), np.int8)
    for i in range(done, count):  # where it was stopped
        offsets[i + 1] = offsets[i]
    return children[: offsets[count]], offsets
