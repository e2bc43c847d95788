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
from engine.kernels.outcomes import are_equal, compute_equities
from engine.kernels.rollout import (
    CUBE,
    DRAWN,
    GROUPS,
    NEXT_GROUP,
    ROWS,
    TRUNCATED,
    TURN,
    TrialArrays,
    copy_board,
    group_repeats,
    list_rolls,
    make_plays,
)
from engine.kernels.rollout_scoring import (
    TrialRules,
    compute_values,
    decide,
    look_up_ends,
    mark_decisions,
    subtract_luck,
)
from nets.kernels.packed_nets import PackedNets
from nets.kernels.pruning import PruningNets, ReplyArrays, make_reply_arrays, prune_plays
from nets.kernels.routing import KNOWN, classify_positions, evaluate_classes, look_up_races

_ALL_ROLLS = 21
_CHUNK_ROLLS = 48 * _ALL_ROLLS
"""Rolls whose plays are evaluated together: enough to fill the blocks of the nets."""

MAX_KEPT = 16
"""The most plays that may be kept of a roll."""

_TABLE_SIZE = 1024
"""Of a table of the plays of 21 rolls: it stays two thirds empty."""
_EMPTY = -1

_POINT_MARKS = np.array([(0x9E3779B97F4A7C15 * (point + 1) % 2**64) >> 24 for point in range(26)])
"""Numbers whose sums seldom agree by chance, far inside int64."""


class TrialNets(NamedTuple):
    """What chooses plays, evaluates positions and ends trials.

    Attributes:
        packed: The evaluator's nets, which choose among the plays kept.
        net_of_class: ``int64[NET_CLASSES]``, the net of each class of positions.
        tables: The bearoff databases that the evaluator asks first.
        cubeful_ends: Databases that end money trials, and those whose cube is dead.
        ends: Databases that end trials whose cube is dead.
        pruning: The pruning nets.
        size: The most plays of a roll that these keep, at most `MAX_KEPT`; if 1, they choose.
        margin: In points by the pruning nets.
    """

    packed: PackedNets
    net_of_class: NDArray[np.int64]
    tables: BearoffTables
    cubeful_ends: BearoffTables
    ends: BearoffTables
    pruning: PruningNets
    size: int
    margin: float


class _Replies(NamedTuple):
    """Rolls to be played, and the plays kept of each.

    Attributes:
        boards: ``int8[rolls, 2, 26]``, the positions before the rolls, then those after the best plays.
        dice: ``int8[rolls, 2]``.
        outcomes: ``float32[rolls, 5]``, those of the best plays, for the next mover.
        kept: The plays kept, n at most; their equities are later those by the evaluator.
        child_outcomes: ``float32[n, 5]``, for the next mover.
        classes: ``int8[n]``.
        same_as: ``int64[n]``, the first child that is the same position after the same position.
    """

    boards: NDArray[np.int8]
    dice: NDArray[np.int8]
    outcomes: NDArray[np.float32]
    kept: ReplyArrays
    child_outcomes: NDArray[np.float32]
    classes: NDArray[np.int8]
    same_as: NDArray[np.int64]


@kernel
def play_trials(nets: TrialNets, rules: TrialRules, trials: TrialArrays, rolls: int) -> bool:
    """Play on with the trials of a block until a number of rolls are played, or the drawn ones are.

    Args:
        nets: Choose plays, evaluate cube decisions, luck and truncated trials.
        rules: The rules.
        trials: in and out.
        rolls: The number of rolls to play, all 21 of a position where luck is measured; up to
            `_CHUNK_ROLLS` more are played.

    Returns:
        Whether all trials have ended.
    """
    progress = trials.progress
    per_group = _ALL_ROLLS if rules.variance_reduction else 1
    replies = _make_replies(_CHUNK_ROLLS, nets.size)
    first, is_raw = min(rolls, 0), rolls < 0  # for the literals kernels would be compiled once more
    played = count = end = 0
    while played < rolls and progress[TURN] < progress[DRAWN]:
        is_new_turn = progress[GROUPS] == 0
        if is_new_turn:
            boards, classes, outcomes = _list_decisions(nets, rules, trials)
        else:
            end = min(progress[NEXT_GROUP] + _CHUNK_ROLLS // per_group, progress[GROUPS])
            count = list_rolls(trials, end, per_group, rules.dice, replies.boards, replies.dice)
            before = replies.boards[:count]
            prune_plays(nets.pruning, nets.size, nets.margin, before, replies.dice, first, replies.kept)
            boards, classes, outcomes = _list_children(count, per_group, replies)
        look_up_races(nets.tables, boards, classes, outcomes)
        evaluate_classes(nets.packed, nets.net_of_class, boards, classes, is_raw, outcomes)
        if is_new_turn:
            decide(rules, trials, compute_values(rules, nets.cubeful_ends, trials))
            if progress[ROWS] == 0:
                return True
            group_repeats(trials, per_group == 1)
        else:
            _choose_replies(count, replies)
            if per_group > 1:
                subtract_luck(rules, trials, end, replies.boards[:count], replies.outcomes[:count])
            make_plays(trials, end, per_group, replies.boards)
            played += count
    return False


@kernel
def _list_decisions(
    nets: TrialNets, rules: TrialRules, trials: TrialArrays
) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.float32]]:
    """Return the positions of a new turn, their classes, and room for their outcomes.

    The class of those that need no evaluation is `KNOWN`.
    """
    mark_decisions(rules, trials)
    look_up_ends(rules, nets.cubeful_ends, nets.ends, trials)
    rows = trials.progress[ROWS]
    classes = np.empty(rows, np.int8)
    classify_positions(trials.boards[:rows], classes)
    for row in range(rows):
        if trials.kinds[row] != TRUNCATED and trials.kinds[row] != CUBE:
            classes[row] = KNOWN
    return trials.boards[:rows], classes, trials.outcomes[:rows]


@kernel
def _make_replies(rolls: int, size: int) -> _Replies:
    """Make buffers for a number of rolls, and a number of plays kept of each."""
    count = rolls * size
    return _Replies(
        boards=np.empty((rolls, 2, 26), np.int8),
        dice=np.empty((rolls, 2), np.int8),
        outcomes=np.empty((rolls, 5), np.float32),
        kept=make_reply_arrays(rolls, count),
        child_outcomes=np.zeros((count, 5), np.float32),
        classes=np.empty(count, np.int8),
        same_as=np.arange(count),
    )


@kernel
def _list_children(
    count: int, per_group: int, replies: _Replies
) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.float32]]:
    """Return the plays kept of a number of rolls, their classes, and room for their outcomes.

    The class of those that need no evaluation is `KNOWN`: repeated ones, where all rolls of a position are
    played, and otherwise those without a choice.
    """
    children, _, _, offsets = replies.kept
    plays = offsets[count]
    boards, classes = children[:plays], replies.classes[:plays]
    classify_positions(boards, classes)
    if per_group > 1:
        _skip_repeats(count, per_group, replies)
        return boards, classes, replies.child_outcomes[:plays]
    for roll in range(count):
        if offsets[roll + 1] - offsets[roll] == 1:
            classes[offsets[roll]] = KNOWN
    return boards, classes, replies.child_outcomes[:plays]


@kernel
def _skip_repeats(count: int, per_group: int, replies: _Replies) -> None:
    """Find the plays of all rolls of a position that lead to the same one, and make their class `KNOWN`."""
    children, moves, _, offsets = replies.kept
    classes, same_as = replies.classes, replies.same_as
    table = np.empty(_TABLE_SIZE, np.int64)
    for start in range(0, count, per_group):
        for slot in range(_TABLE_SIZE):
            table[slot] = _EMPTY
        for child in range(offsets[start], offsets[start + per_group]):
            marks = 0
            for i in range(0, 8, 2):
                marks += _POINT_MARKS[moves[child, i + 1]] - _POINT_MARKS[moves[child, i]]
            slot = (marks ^ (marks >> 20)) & (_TABLE_SIZE - 1)
            while table[slot] != _EMPTY and not are_equal(children, table[slot], child):
                slot = (slot + 1) & (_TABLE_SIZE - 1)
            if table[slot] == _EMPTY:
                table[slot] = child
            else:
                classes[child] = KNOWN
            same_as[child] = table[slot]


@kernel
def _choose_replies(count: int, replies: _Replies) -> None:
    """Choose the play of each roll: the least equity for the next mover, ties to the pruning nets' first."""
    children, _, equities, offsets = replies.kept
    compute_equities(replies.child_outcomes[: offsets[count]], equities)
    for roll in range(count):
        best = replies.same_as[offsets[roll]]
        for child in range(offsets[roll] + 1, offsets[roll + 1]):
            other = replies.same_as[child]
            if equities[other] < equities[best]:
                best = other
        copy_board(children, best, replies.boards, roll)
        for column in range(replies.outcomes.shape[1]):
            replies.outcomes[roll, column] = replies.child_outcomes[best, column]
