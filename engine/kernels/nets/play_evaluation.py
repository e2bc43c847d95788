"""All plays of a roll with their equities by nets of `gammond.engine.kernels.nets.sparse`, and the best.

The inputs of a point depend on that point alone, so a checker move changes the sums of the hidden units by
two rows of the first layer, and by two more if it hits. The sums after each checker move of a play are kept
by level, level 0 being the position before the roll as the next mover sees it, and a play starts from the
last level that it shares with the play before it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import borrowing, inlined, kernel
from gammond.engine.kernels.board_counts import BLOTS, OCCUPIED, ON_BOARD, REAR, write_point_sets
from gammond.engine.kernels.moves import (
    MAX_PLAYS,
    PlayScratch,
    generate_plays,
    make_play_scratch,
    write_child,
    write_moves,
)
from gammond.engine.kernels.nets.sparse import (
    CERTAIN_LOGIT,
    OneLayerWeights,
    compute_equities,
    compute_first_layer,
    compute_second_layer,
)
from gammond.engine.kernels.nets.tesauro196 import (
    BAR_INPUT,
    CHECKER_INPUTS,
    CHECKER_STEPS,
    MAX_ACTIVE_INPUTS,
    SIDE_INPUTS,
)
from gammond.engine.kernels.outcomes import are_equal, select_best
from gammond.engine.kernels.row_sums import add_terms, write_logits_after_terms

PruningNets = tuple[OneLayerWeights, OneLayerWeights]
"""A net for contact and one for races."""

_NO_NET: OneLayerWeights = (
    np.zeros((1, 1), np.float32),
    np.zeros(1, np.float32),
    np.zeros((1, 1), np.float32),
    np.zeros(1, np.float32),
)
NO_NETS: PruningNets = (_NO_NET, _NO_NET)
"""The nets of kernels that consider all legal plays, or have Python prune them."""

ReplyArrays = tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.float32], NDArray[np.int64]]
"""Promising plays of one roll in each of n positions; a plain tuple, which Python hands over sooner than a
named one: the positions after the plays, ``int8[capacity, 2, 26]``, the best of each position first; their
checker moves, ``int8[capacity, 8]``; their equities for the next mover, ``float32[capacity]``; offsets,
``int64[n + 1]``: those of position i are at ``offsets[i]:offsets[i + 1]``."""

_HIT_STEP = -CHECKER_STEPS[1, 1]
_BAR_STEP = CHECKER_STEPS[25, 1]

# Columns of `levels`: the mover's points, the opponent's blots, where the mover is still in contact, and the
# row of the sums.
_OCCUPIED, _BLOTS, _CONTACT, _ROW = range(4)

# Rows of the sums: 0 of level 0, then one for each first checker move of 1 to 6 from 1 to 25, then one for
# each further level, and one to spare.
_FIRST_MOVES = 6 * 25
_SPARE_ROW = _FIRST_MOVES + 3
_ROWS = _SPARE_ROW + 1


class PlayBuffers(NamedTuple):
    """Buffers for one position at a time; made by `make_play_buffers`.

    Attributes:
        listed: The plays of a roll.
        equities: ``float32[MAX_PLAYS]``, their equities in points, for the next mover.
        logits: ``float32[5, MAX_PLAYS]``, their outcomes for the next mover, before the sigmoid.
        contact_sums: ``float32[rows, h]``, of the net for contact.
        race_sums: ``float32[rows, h]``, of the net for races.
        known: ``int64[7]``, by pips, the points from which a first checker move has its sums, as bits.
        counts: ``int64[26]``, scratch: the mover's checkers after some of a play's moves.
        levels: ``int64[5, 4]``, scratch: what holds after each of them.
        after_contact: ``int64[MAX_PLAYS]``, scratch: the plays that end contact or the game.
        board: ``int8[1, 2, 26]``, scratch.
        rows: ``int64[MAX_ACTIVE_INPUTS]``, scratch.
        factors: ``float32[MAX_ACTIVE_INPUTS]``, scratch.
    """

    listed: PlayScratch
    equities: NDArray[np.float32]
    logits: NDArray[np.float32]
    contact_sums: NDArray[np.float32]
    race_sums: NDArray[np.float32]
    known: NDArray[np.int64]
    counts: NDArray[np.int64]
    levels: NDArray[np.int64]
    after_contact: NDArray[np.int64]
    board: NDArray[np.int8]
    rows: NDArray[np.int64]
    factors: NDArray[np.float32]


@kernel
def make_play_buffers(contact: OneLayerWeights, race: OneLayerWeights) -> PlayBuffers:
    """Make the buffers for two nets."""
    return PlayBuffers(
        listed=make_play_scratch(),
        equities=np.empty(MAX_PLAYS, np.float32),
        logits=np.zeros((5, MAX_PLAYS), np.float32),  # equities are computed of some that no play has
        contact_sums=np.empty((_ROWS, contact[1].shape[0]), np.float32),
        race_sums=np.empty((_ROWS, race[1].shape[0]), np.float32),
        known=np.empty(7, np.int64),
        counts=np.empty(26, np.int64),
        levels=np.empty((5, 4), np.int64),
        after_contact=np.empty(MAX_PLAYS, np.int64),
        board=np.empty((1, 2, 26), np.int8),
        rows=np.empty(MAX_ACTIVE_INPUTS, np.int64),
        factors=np.empty(MAX_ACTIVE_INPUTS, np.float32),
    )


@borrowing
def prepare_position(
    boards: NDArray[np.int8], at: int, contact: OneLayerWeights, race: OneLayerWeights, buffers: PlayBuffers
) -> None:
    """Prepare for all rolls of a position, ``boards[at]`` of ``int8[n, 2, 26]``."""
    sets = buffers.listed.sets
    write_point_sets(boards, at, 0, sets)
    write_child(boards, at, 0, buffers.board, 0)
    for distance in range(7):
        buffers.known[distance] = 0
    is_contact = sets[OCCUPIED] & sets[REAR] != 0
    net = contact if is_contact else race
    sums = buffers.contact_sums if is_contact else buffers.race_sums
    compute_first_layer(buffers.board, 0, net, buffers.rows, buffers.factors, sums, 0)


@borrowing
def evaluate_plays(
    boards: NDArray[np.int8],
    at: int,
    die1: int,
    die2: int,
    contact: OneLayerWeights,
    race: OneLayerWeights,
    buffers: PlayBuffers,
) -> int:
    """List and evaluate all plays of a roll, in the order of `gammond.engine.kernels.moves.generate_plays`.

    A race has only races as children, and the net for races evaluates all of them.

    Args:
        boards: ``int8[n, 2, 26]``, none of them over.
        at: The place of the position; call `prepare_position` for it before its first roll.
        die1: 1..6.
        die2: 1..6.
        contact: The net for contact.
        race: The net for races.
        buffers: in and out, receives the plays, their logits and equities.

    Returns:
        The number of plays.
    """
    sets, counts, levels = buffers.listed.sets, buffers.counts, buffers.levels
    count = generate_plays(boards, at, die1, die2, buffers.listed)
    for point in range(26):
        counts[point] = boards[at, 0, point]
    levels[0, _OCCUPIED] = sets[OCCUPIED]
    levels[0, _BLOTS] = sets[BLOTS]
    levels[0, _ROW] = 0
    if sets[OCCUPIED] & sets[REAR]:
        levels[0, _CONTACT] = sets[REAR]
        left = _evaluate_with_net(count, contact, buffers.contact_sums, buffers)
    else:
        levels[0, _CONTACT] = ON_BOARD  # so that the same net evaluates all
        left = _evaluate_with_net(count, race, buffers.race_sums, buffers)
    for i in range(left):
        play = buffers.after_contact[i]
        write_child(boards, at, int(buffers.listed.plays[play]), buffers.board, 0)
        _evaluate_after_contact(race, buffers, play)
    compute_equities(buffers.logits, count, buffers.equities)
    return count


@borrowing
def _evaluate_with_net(
    count: int, net: OneLayerWeights, sums: NDArray[np.float32], buffers: PlayBuffers
) -> int:
    """Write the logits of plays by one net; list those that end contact or the game, return their number."""
    counts, plays = buffers.counts, buffers.listed.plays
    last_level = 0  # all plays of a roll have as many checker moves
    while last_level < 3 and plays[0] >> (16 * (last_level + 1)) != 0:
        last_level += 1
    number_left = 0
    play = 0
    level = 0
    for i in range(count):
        before = play
        play = int(plays[i])
        alike = 0
        while alike < level and ((play ^ before) >> (16 * alike)) & 0xFFFF == 0:
            alike += 1
        while level > alike:
            level -= 1
            counts[(before >> (16 * level)) & 255] += 1
            counts[(before >> (16 * level + 8)) & 255] -= 1
        while level < last_level:
            _move_checker(play >> (16 * level), level, net, sums, buffers)
            level += 1
        if not _evaluate_last_move(play >> (16 * level), level, net, sums, buffers, i):
            buffers.after_contact[number_left] = i
            number_left += 1
    return number_left


@inlined
def _move_checker(
    move: int, level: int, net: OneLayerWeights, sums: NDArray[np.float32], buffers: PlayBuffers
) -> None:
    """Move a checker, from one level to the next."""
    counts, levels, known = buffers.counts, buffers.levels, buffers.known
    source = move & 255
    target = (move >> 8) & 255
    row_from, share_from, row_to, share_to = _find_changes(source, target, counts)
    occupied, contact, is_hit = _find_sets(source, target, level, counts, levels)
    counts[source] -= 1
    counts[target] += 1
    before = levels[level, _ROW]
    row = 25 * (source - target - 1) + source if level == 0 else _FIRST_MOVES + level
    levels[level + 1, _OCCUPIED] = occupied
    levels[level + 1, _BLOTS] = levels[level, _BLOTS] & ~(1 << (25 - target))
    levels[level + 1, _CONTACT] = contact
    levels[level + 1, _ROW] = row
    if level == 0:
        is_known = known[source - target] & (1 << source) != 0
        known[source - target] |= 1 << source
        if is_known:
            return
    if is_hit:
        hit = CHECKER_INPUTS[25 - target, 1]
        inputs, shares = (row_from, row_to, hit, BAR_INPUT), (share_from, share_to, _HIT_STEP, _BAR_STEP)
        add_terms(net[0], inputs, shares, sums, before, row)
    else:
        add_terms(net[0], (row_from, row_to), (share_from, share_to), sums, before, row)


@inlined
def _evaluate_last_move(
    move: int, level: int, net: OneLayerWeights, sums: NDArray[np.float32], buffers: PlayBuffers, column: int
) -> bool:
    """Write the logits after the last checker move of a play; return False if it ends contact or the game.

    Without a move, a checker goes from off to off: the sums stay the same but for rounding.
    """
    w1, _, w2, b2 = net
    counts, levels, logits = buffers.counts, buffers.levels, buffers.logits
    source = move & 255
    target = (move >> 8) & 255
    occupied, contact, is_hit = _find_sets(source, target, level, counts, levels)
    if occupied & contact == 0:
        return False
    row_from, share_from, row_to, share_to = _find_changes(source, target, counts)
    row = levels[level, _ROW]
    if is_hit:
        hit = CHECKER_INPUTS[25 - target, 1]
        inputs, shares = (row_from, row_to, hit, BAR_INPUT), (share_from, share_to, _HIT_STEP, _BAR_STEP)
        write_logits_after_terms(w1, inputs, shares, sums, row, w2, b2, logits, column)
    else:
        inputs_moved, shares_moved = (row_from, row_to), (share_from, share_to)
        write_logits_after_terms(w1, inputs_moved, shares_moved, sums, row, w2, b2, logits, column)
    return True


@inlined
def _find_sets(
    source: int, target: int, level: int, counts: NDArray[np.int64], levels: NDArray[np.int64]
) -> tuple[int, int, bool]:
    """Return the mover's points after a checker move, where it is still in contact, and whether it hits."""
    target_bit = 1 << (25 - target)
    left_bit = 1 << (25 - source) if counts[source] == 1 else 0
    is_hit = levels[level, _BLOTS] & target_bit != 0
    occupied = ((levels[level, _OCCUPIED] & ~left_bit) | target_bit) & ON_BOARD
    return occupied, ON_BOARD if is_hit else levels[level, _CONTACT], is_hit


@inlined
def _find_changes(
    source: int, target: int, counts: NDArray[np.int64]
) -> tuple[int, np.float32, int, np.float32]:
    """Return the two inputs that a checker move changes for the mover, each with its change."""
    count_before = counts[source]
    count_after = counts[target] + 1
    row_from = SIDE_INPUTS + CHECKER_INPUTS[source, count_before]
    row_to = SIDE_INPUTS + CHECKER_INPUTS[target, count_after]
    return row_from, -CHECKER_STEPS[source, count_before], row_to, CHECKER_STEPS[target, count_after]


@borrowing
def _evaluate_after_contact(race: OneLayerWeights, buffers: PlayBuffers, column: int) -> None:
    """Write the logits of the position in the buffers, which is a race or over."""
    board, sums, logits = buffers.board, buffers.race_sums, buffers.logits
    if board[0, 1, 0] < 15:
        compute_first_layer(board, 0, race, buffers.rows, buffers.factors, sums, _SPARE_ROW)
        compute_second_layer(sums, _SPARE_ROW, race[2], race[3], logits, column)
        return
    for k in range(5):  # only the last mover, row 1, can have won
        logits[k, column] = -CERTAIN_LOGIT
    if board[0, 0, 0] == 0:
        logits[3, column] = CERTAIN_LOGIT
        for point in range(19, 26):
            if board[0, 0, point] > 0:
                logits[4, column] = CERTAIN_LOGIT


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
        number = select_best(buffers.equities, count, keep, np.float32(margin), kept)
        for j in range(number):
            play = int(buffers.listed.plays[kept[j]])
            write_child(boards, i, play, children, at + j)
            write_moves(play, moves, at + j)
            equities[at + j] = buffers.equities[kept[j]]
        offsets[i + 1] = at + number
    return boards.shape[0]
