"""Blocks of rollout trials, played turn by turn in one loop.

What takes long to compile, pruning and evaluation, is called by `play_trials` alone: a function that calls it
is compiled together with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import kernel
from engine.kernels.bearoff_tables import BearoffTables
from engine.kernels.outcomes import compute_equities
from engine.kernels.rollout import (
    FIRST_TURN,
    GROUPS,
    NEXT_GROUP,
    ROWS,
    TURN,
    TrialArrays,
    copy_board,
    group_repeats,
)
from engine.kernels.rollout_scoring import (
    EXACT_END,
    ScoringTables,
    TrialRules,
    decide,
    list_decisions,
    make_decisions,
    subtract_luck,
)
from nets.kernels.packed_nets import PackedNets
from nets.kernels.pruning import prune_plays
from nets.kernels.routing import KNOWN, classify_positions, evaluate_classes, look_up_races
from nets.kernels.sparse import OneLayerWeights

ALL_ROLLS = 21
_CHUNK_ROLLS = 48 * ALL_ROLLS
"""Rolls whose plays are evaluated together: enough to fill the blocks of the nets."""

MAX_KEPT = 16
"""The most plays that may be kept of a roll."""

_TABLE_SIZE = 1024
"""Of a table of the plays of 21 rolls: it stays two thirds empty."""
_EMPTY = -1

_POINT_MARKS = np.array([(0x9E3779B97F4A7C15 * (point + 1) % 2**64) >> 24 for point in range(26)])
"""Numbers whose sums seldom agree by chance, far inside int64."""


class PolicyNets(NamedTuple):
    """Nets that choose plays and evaluate positions.

    Attributes:
        contact: The pruning net for contact.
        race: The pruning net for races.
        size: The most plays of a roll that the pruning nets keep, at most `MAX_KEPT`; if 1, they choose.
        margin: In points by the pruning nets.
        packed: The evaluator's nets, which choose among the plays kept.
        net_of_class: ``int64[NET_CLASSES]``, the net of each class of positions.
        bearoff: The databases that the evaluator asks first.
    """

    contact: OneLayerWeights
    race: OneLayerWeights
    size: int
    margin: float
    packed: PackedNets
    net_of_class: NDArray[np.int64]
    bearoff: BearoffTables


class _Replies(NamedTuple):
    """Rolls to be played, and the plays kept of each.

    Attributes:
        boards: ``int8[rolls, 2, 26]``, the positions before the rolls.
        dice: ``int8[rolls, 2]``.
        chosen: ``int64[rolls]``, the best play of each among the children.
        offsets: ``int64[rolls + 1]``, where the children of each begin and end.
        children: ``int8[n, 2, 26]``, the positions after the plays kept.
        moves: ``int8[n, 8]``, the plays.
        equities: ``float32[n]``, for the next mover.
        outcomes: ``float32[n, 5]``, for the next mover.
        classes: ``int8[n]``.
        same_as: ``int64[n]``, the first child that is the same position after the same position.
    """

    boards: NDArray[np.int8]
    dice: NDArray[np.int8]
    chosen: NDArray[np.int64]
    offsets: NDArray[np.int64]
    children: NDArray[np.int8]
    moves: NDArray[np.int8]
    equities: NDArray[np.float32]
    outcomes: NDArray[np.float32]
    classes: NDArray[np.int8]
    same_as: NDArray[np.int64]


@kernel
def play_trials(
    nets: PolicyNets, tables: ScoringTables, rules: TrialRules, trials: TrialArrays, rolls: int
) -> bool:
    """Play on with the trials of a block until a number of rolls are played, or the drawn ones are.

    Args:
        nets: Choose plays, evaluate cube decisions, luck and truncated trials.
        tables: The scoring.
        rules: The rules.
        trials: in and out.
        rolls: The number of rolls to play, all 21 of a position where luck is measured; up to
            `_CHUNK_ROLLS` more are played.

    Returns:
        Whether all trials have ended.
    """
    progress = trials.progress
    per_group = ALL_ROLLS if rules.variance_reduction else 1
    replies = _make_replies(_CHUNK_ROLLS, nets.size)
    played = 0
    while played < rolls:
        if progress[GROUPS] == 0:
            decisions = make_decisions(progress[ROWS])
            count = list_decisions(tables, rules, trials, decisions)
            boards, outcomes = decisions.boards[:count], decisions.outcomes[:count]
            classes = decisions.classes[:count]
            races = classify_positions(boards, classes)
            for i in range(count):
                if decisions.kinds[i] <= EXACT_END:
                    classes[i] = KNOWN
            if races:
                look_up_races(nets.bearoff, boards, classes, outcomes)
            evaluate_classes(nets.packed, nets.net_of_class, boards, classes, False, outcomes)
            decide(tables, rules, trials, decisions, count)
            if progress[ROWS] == 0:
                return True
            if progress[TURN] - progress[FIRST_TURN] == trials.rolls.shape[1]:
                return False
            group_repeats(trials, per_group == 1)
        first = progress[NEXT_GROUP]
        end = min(first + _CHUNK_ROLLS // per_group, progress[GROUPS])
        count = _list_rolls(rules, trials, first, end, per_group, replies)
        prune_plays(
            replies.boards[:count],
            replies.dice[:count],
            0,
            nets.contact,
            nets.race,
            nets.size,
            nets.margin,
            replies.children,
            replies.moves,
            replies.equities,
            replies.offsets,
        )
        if per_group > 1 or nets.size > 1:
            plays = replies.offsets[count]
            boards, outcomes = replies.children[:plays], replies.outcomes[:plays]
            classes = replies.classes[:plays]
            if classify_positions(boards, classes):
                look_up_races(nets.bearoff, boards, classes, outcomes)
            _skip_needless(count, per_group, replies)
            evaluate_classes(nets.packed, nets.net_of_class, boards, classes, False, outcomes)
            compute_equities(outcomes, replies.equities)
        _choose_replies(count, replies)
        _make_plays(tables, rules, trials, first, end, per_group, replies)
        played += count
        progress[NEXT_GROUP] = end
        if end == progress[GROUPS]:
            progress[GROUPS] = 0
            progress[TURN] += 1
    return False


@kernel
def _make_replies(rolls: int, size: int) -> _Replies:
    """Make buffers for a number of rolls, and a number of plays kept of each."""
    count = rolls * size
    return _Replies(
        boards=np.empty((rolls, 2, 26), np.int8),
        dice=np.empty((rolls, 2), np.int8),
        chosen=np.empty(rolls, np.int64),
        offsets=np.zeros(rolls + 1, np.int64),
        children=np.empty((count, 2, 26), np.int8),
        moves=np.empty((count, 8), np.int8),
        equities=np.empty(count, np.float32),
        outcomes=np.empty((count, 5), np.float32),
        classes=np.empty(count, np.int8),
        same_as=np.arange(count),
    )


@kernel
def _list_rolls(
    rules: TrialRules, trials: TrialArrays, first: int, end: int, per_group: int, replies: _Replies
) -> int:
    """List the rolls to play of some groups, and return their number: all 21 of each, or its own."""
    column = trials.progress[TURN] - trials.progress[FIRST_TURN]
    count = 0
    for group in range(first, end):
        row = trials.groups[trials.ends[group - 1] if group else 0]
        for k in range(per_group):
            copy_board(trials.boards, row, replies.boards, count)
            roll = k if per_group > 1 else int(trials.rolls[trials.places[row], column])
            replies.dice[count, 0] = rules.dice[roll, 0]
            replies.dice[count, 1] = rules.dice[roll, 1]
            count += 1
    return count


@kernel
def _skip_needless(count: int, per_group: int, replies: _Replies) -> None:
    """Make `KNOWN` the class of children that need no evaluation.

    Where all rolls of a position are played, those are the repeated ones; otherwise those without a choice.
    """
    offsets, classes, same_as = replies.offsets, replies.classes, replies.same_as
    if per_group == 1:
        for roll in range(count):
            if offsets[roll + 1] - offsets[roll] == 1:
                classes[offsets[roll]] = KNOWN
        return
    table = np.empty(_TABLE_SIZE, np.int64)
    for start in range(0, count, per_group):
        for slot in range(_TABLE_SIZE):
            table[slot] = _EMPTY
        for child in range(offsets[start], offsets[start + per_group]):
            marks = 0
            for i in range(0, 8, 2):
                marks += _POINT_MARKS[replies.moves[child, i + 1]] - _POINT_MARKS[replies.moves[child, i]]
            slot = (marks ^ (marks >> 20)) & (_TABLE_SIZE - 1)
            while table[slot] != _EMPTY and not _are_equal(replies.children, table[slot], child):
                slot = (slot + 1) & (_TABLE_SIZE - 1)
            if table[slot] == _EMPTY:
                table[slot] = child
            else:
                classes[child] = KNOWN
            same_as[child] = table[slot]


@kernel
def _are_equal(boards: NDArray[np.int8], one: int, other: int) -> bool:
    different = 0
    for side in range(2):
        for point in range(26):
            different |= int(boards[one, side, point]) ^ int(boards[other, side, point])
    return different == 0


@kernel
def _choose_replies(count: int, replies: _Replies) -> None:
    """Choose the play of each roll: the least equity for the next mover, ties to the pruning nets' first."""
    for roll in range(count):
        best = replies.same_as[replies.offsets[roll]]
        for child in range(replies.offsets[roll] + 1, replies.offsets[roll + 1]):
            other = replies.same_as[child]
            if replies.equities[other] < replies.equities[best]:
                best = other
        replies.chosen[roll] = best


@kernel
def _make_plays(
    tables: ScoringTables,
    rules: TrialRules,
    trials: TrialArrays,
    first: int,
    end: int,
    per_group: int,
    replies: _Replies,
) -> None:
    """Make the plays chosen for the rolls of some groups, after subtracting luck."""
    column = trials.progress[TURN] - trials.progress[FIRST_TURN]
    boards, outcomes = np.empty((per_group, 2, 26), np.int8), np.empty((per_group, 5), np.float32)
    at = 0
    for group in range(first, end):
        start, stop = trials.ends[group - 1] if group else 0, trials.ends[group]
        if per_group > 1:
            for k in range(per_group):
                child = replies.chosen[at + k]
                copy_board(replies.children, child, boards, k)
                for c in range(5):
                    outcomes[k, c] = replies.outcomes[child, c]
            subtract_luck(tables, trials, start, stop, boards, outcomes, rules.weights)
        for i in range(start, stop):
            row = trials.groups[i]
            roll = int(trials.rolls[trials.places[row], column]) if per_group > 1 else 0
            copy_board(replies.children, replies.chosen[at + roll], trials.boards, row)
        at += per_group
