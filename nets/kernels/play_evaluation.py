"""All plays of a roll with their equities by nets of `nets.kernels.sparse`.

The inputs of a point depend on that point alone, so a checker move changes the sums of the hidden units by
two rows of the first layer, and by two more if it hits. The sums after each checker move of a play are kept
by level, level 0 being the position before the roll as the next mover sees it, and a play starts from the
last level that it shares with the play before it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import inlined_fastmath_kernel, inlined_kernel, kernel
from engine.kernels.moves import (
    BLOTS,
    MAX_PLAYS,
    OCCUPIED,
    ON_BOARD,
    REAR,
    generate_plays,
    write_child,
    write_point_sets,
)
from nets.kernels.sparse import (
    CERTAIN_LOGIT,
    OneLayerWeights,
    compute_equities,
    compute_first_layer,
    compute_second_layer,
)
from nets.kernels.tesauro196 import BAR_INPUT, MAX_ACTIVE_INPUTS, OFF_INPUT, SIDE_INPUTS

# The input that the n-th checker of a point sets, ``[n, point]``, for side 0, and what it adds there.
_CHECKER_INPUT = np.array([[4 * (point - 1) + min(n, 4) - 1 for point in range(26)] for n in range(16)])
_CHECKER_INPUT[:, 0] = OFF_INPUT
_CHECKER_INPUT[:, 25] = BAR_INPUT
_CHECKER_STEP = np.ones((16, 26), np.float32)
_CHECKER_STEP[4:] = 0.5
_CHECKER_STEP[:, 0] = 1.0 / 15.0
_CHECKER_STEP[:, 25] = 0.5

_ZERO = np.float32(0.0)
_HALF = np.float32(0.5)
_ONE = np.float32(1.0)

# Columns of `levels`: the mover's points, the opponent's blots, and where the mover is still in contact.
_OCCUPIED, _BLOTS, _CONTACT = range(3)
_SPARE_LEVEL = 4

_UNIT_BLOCK = 32
"""Hidden units that change at a time: a loop of fixed length compiles to a few vector instructions."""


class PlayBuffers(NamedTuple):
    """Buffers for one position at a time; made by `make_play_buffers`.

    Attributes:
        sets: ``int64[5]``, the `write_point_sets` of the position.
        plays: ``int64[MAX_PLAYS]``, the plays of a roll, packed.
        equities: ``float32[MAX_PLAYS]``, their equities in points, for the next mover.
        logits: ``float32[5, MAX_PLAYS]``, their outcomes for the next mover, before the sigmoid.
        contact_sums: ``float32[5, h]``, by level, of the net for contact.
        race_sums: ``float32[5, h]``, by level, of the net for races.
        counts: ``int64[26]``, scratch.
        levels: ``int64[5, 4]``, scratch.
        remaining: ``int64[MAX_PLAYS]``, scratch.
        board: ``int8[1, 2, 26]``, scratch.
        rows: ``int64[MAX_ACTIVE_INPUTS]``, scratch.
        factors: ``float32[MAX_ACTIVE_INPUTS]``, scratch.
    """

    sets: NDArray[np.int64]
    plays: NDArray[np.int64]
    equities: NDArray[np.float32]
    logits: NDArray[np.float32]
    contact_sums: NDArray[np.float32]
    race_sums: NDArray[np.float32]
    counts: NDArray[np.int64]
    levels: NDArray[np.int64]
    remaining: NDArray[np.int64]
    board: NDArray[np.int8]
    rows: NDArray[np.int64]
    factors: NDArray[np.float32]


@kernel
def make_play_buffers(contact: OneLayerWeights, race: OneLayerWeights) -> PlayBuffers:
    """Make the buffers for two nets."""
    return PlayBuffers(
        sets=np.empty(5, np.int64),
        plays=np.empty(MAX_PLAYS, np.int64),
        equities=np.empty(MAX_PLAYS, np.float32),
        logits=np.empty((5, MAX_PLAYS), np.float32),
        contact_sums=np.empty((5, contact[1].shape[0]), np.float32),
        race_sums=np.empty((5, race[1].shape[0]), np.float32),
        counts=np.empty(26, np.int64),
        levels=np.empty((5, 4), np.int64),
        remaining=np.empty(MAX_PLAYS, np.int64),
        board=np.empty((1, 2, 26), np.int8),
        rows=np.empty(MAX_ACTIVE_INPUTS, np.int64),
        factors=np.empty(MAX_ACTIVE_INPUTS, np.float32),
    )


@kernel
def prepare_position(
    boards: NDArray[np.int8], at: int, contact: OneLayerWeights, race: OneLayerWeights, buffers: PlayBuffers
) -> None:
    """Prepare for all rolls of a position, ``boards[at]`` of ``int8[n, 2, 26]``."""
    write_point_sets(boards, at, buffers.sets)
    write_child(boards, at, 0, buffers.board, 0)
    if buffers.sets[OCCUPIED] & buffers.sets[REAR]:
        compute_first_layer(buffers.board, 0, contact, buffers.rows, buffers.factors, buffers.contact_sums, 0)
    else:
        compute_first_layer(buffers.board, 0, race, buffers.rows, buffers.factors, buffers.race_sums, 0)


@kernel
def evaluate_plays(
    boards: NDArray[np.int8],
    at: int,
    die1: int,
    die2: int,
    contact: OneLayerWeights,
    race: OneLayerWeights,
    buffers: PlayBuffers,
) -> int:
    """List and evaluate all plays of a roll, in the order of `engine.kernels.moves.generate_plays`.

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
    sets, plays, equities, logits = buffers.sets, buffers.plays, buffers.equities, buffers.logits
    counts, levels, places = buffers.counts, buffers.levels, buffers.remaining
    count = generate_plays(boards, at, sets, die1, die2, counts, levels, places, plays)
    for point in range(26):
        counts[point] = boards[at, 0, point]
    levels[0, _OCCUPIED] = sets[OCCUPIED]
    levels[0, _BLOTS] = sets[BLOTS]
    if sets[OCCUPIED] & sets[REAR]:
        levels[0, _CONTACT] = sets[REAR]
        w1, _, w2, b2 = contact
        left = _evaluate_with_net(
            plays, count, w1, w2, b2, buffers.contact_sums, counts, levels, logits, places
        )
    else:
        levels[0, _CONTACT] = ON_BOARD  # so that the same net evaluates all
        w1, _, w2, b2 = race
        left = _evaluate_with_net(plays, count, w1, w2, b2, buffers.race_sums, counts, levels, logits, places)
    for i in range(left):
        write_child(boards, at, int(plays[places[i]]), buffers.board, 0)
        _evaluate_after_contact(
            buffers.board, race, buffers.rows, buffers.factors, buffers.race_sums, logits, int(places[i])
        )
    compute_equities(logits, count, equities)
    return count


@kernel
def _evaluate_with_net(
    plays: NDArray[np.int64],
    count: int,
    w1: NDArray[np.float32],
    w2: NDArray[np.float32],
    b2: NDArray[np.float32],
    sums: NDArray[np.float32],
    counts: NDArray[np.int64],
    levels: NDArray[np.int64],
    logits: NDArray[np.float32],
    remaining: NDArray[np.int64],
) -> int:
    """Write the logits of plays by one net; list those that end contact or the game, return their number."""
    number_left = 0
    play = 0
    depth = 0
    for i in range(count):
        before = play
        play = int(plays[i])
        alike = 0
        while alike < depth and ((play ^ before) >> (16 * alike)) & 0xFFFF == 0:
            alike += 1
        while depth > alike:
            depth -= 1
            move = before >> (16 * depth)
            counts[move & 255] += 1
            counts[(move >> 8) & 255] -= 1
        rest = play >> (16 * depth)
        while rest:
            _move_checker(rest & 255, (rest >> 8) & 255, depth, counts, levels, w1, sums)
            depth += 1
            rest >>= 16
        if levels[depth, _OCCUPIED] & levels[depth, _CONTACT]:
            compute_second_layer(sums, depth, w2, b2, logits, i)
        else:
            remaining[number_left] = i
            number_left += 1
    return number_left


@inlined_kernel
def _move_checker(
    source: int,
    target: int,
    level: int,
    counts: NDArray[np.int64],
    levels: NDArray[np.int64],
    w1: NDArray[np.float32],
    sums: NDArray[np.float32],
) -> None:
    """Move a checker, from one level to the next."""
    target_bit = 1 << (25 - target)
    count_before = counts[source]
    count_after = counts[target] + 1
    counts[source] = count_before - 1
    counts[target] = count_after
    occupied = levels[level, _OCCUPIED]
    if count_before == 1:
        occupied &= ~(1 << (25 - source))
    is_hit = levels[level, _BLOTS] & target_bit != 0
    levels[level + 1, _OCCUPIED] = (occupied | target_bit) & ON_BOARD
    levels[level + 1, _BLOTS] = levels[level, _BLOTS] & ~target_bit
    levels[level + 1, _CONTACT] = ON_BOARD if is_hit else levels[level, _CONTACT]
    row_from = SIDE_INPUTS + _CHECKER_INPUT[count_before, source]
    row_to = SIDE_INPUTS + _CHECKER_INPUT[count_after, target]
    row_hit = _CHECKER_INPUT[1, 25 - target]
    share_from = _CHECKER_STEP[count_before, source]
    share_to = _CHECKER_STEP[count_after, target]
    share_hit = _ONE if is_hit else _ZERO
    _update_sums(level, row_from, share_from, row_to, share_to, row_hit, share_hit, w1, sums)


@inlined_kernel
def _update_sums(
    level: int,
    row_from: int,
    share_from: np.float32,
    row_to: int,
    share_to: np.float32,
    row_hit: int,
    share_hit: np.float32,
    w1: NDArray[np.float32],
    sums: NDArray[np.float32],
) -> None:
    """Write the next level's sums."""
    whole = sums.shape[1] // _UNIT_BLOCK * _UNIT_BLOCK
    for start in range(0, whole, _UNIT_BLOCK):
        for h in range(start, start + _UNIT_BLOCK):
            _update_sum(level, h, row_from, share_from, row_to, share_to, row_hit, share_hit, w1, sums)
    for h in range(whole, sums.shape[1]):
        _update_sum(level, h, row_from, share_from, row_to, share_to, row_hit, share_hit, w1, sums)


@inlined_fastmath_kernel
def _update_sum(
    level: int,
    h: int,
    row_from: int,
    share_from: np.float32,
    row_to: int,
    share_to: np.float32,
    row_hit: int,
    share_hit: np.float32,
    w1: NDArray[np.float32],
    sums: NDArray[np.float32],
) -> None:
    """Write the next level's sum of one hidden unit; a hit moves an opposing checker to the bar."""
    moved = share_to * w1[row_to, h] - share_from * w1[row_from, h]
    hit = share_hit * (_HALF * w1[BAR_INPUT, h] - w1[row_hit, h])
    sums[level + 1, h] = sums[level, h] + (moved + hit)


@kernel
def _evaluate_after_contact(
    board: NDArray[np.int8],
    race: OneLayerWeights,
    rows: NDArray[np.int64],
    factors: NDArray[np.float32],
    sums: NDArray[np.float32],
    logits: NDArray[np.float32],
    column: int,
) -> None:
    """Write the logits of a position that is a race or over."""
    if board[0, 1, 0] < 15:
        compute_first_layer(board, 0, race, rows, factors, sums, _SPARE_LEVEL)
        compute_second_layer(sums, _SPARE_LEVEL, race[2], race[3], logits, column)
        return
    for k in range(5):  # only the last mover, row 1, can have won
        logits[k, column] = -CERTAIN_LOGIT
    if board[0, 0, 0] == 0:
        logits[3, column] = CERTAIN_LOGIT
        for point in range(19, 26):
            if board[0, 0, point] > 0:
                logits[4, column] = CERTAIN_LOGIT
