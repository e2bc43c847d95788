"""Blocks of rollout trials, played turn by turn in one loop.

Nets choose plays and evaluate positions; what has no compiled form, Python is asked for, a chunk at a time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel
from gammond.engine.kernels.bearoff_tables import BearoffTables
from gammond.engine.kernels.cubeful import MONEY
from gammond.engine.kernels.interrupts import ask_plays, ask_results
from gammond.engine.kernels.nets.play_evaluation import (
    PruningNets,
    ReplyArrays,
    make_reply_arrays,
    prune_plays,
)
from gammond.engine.kernels.nets.routing import (
    KNOWN,
    LeafNets,
    classify_positions,
    evaluate_all,
    evaluate_leaves,
)
from gammond.engine.kernels.outcomes import compute_equities
from gammond.engine.kernels.rollout import (
    CUBE,
    DRAWN,
    GROUPS,
    MEASURES,
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
from gammond.engine.kernels.rollout_scoring import (
    TrialRules,
    compute_values,
    decide,
    look_up_ends,
    mark_decisions,
    subtract_luck,
)
from gammond.engine.kernels.search import KEY_BITS, compute_position_keys, find_distinct_keys
from gammond.engine.kernels.values import OUTCOME_COLUMNS, ROLLS

PLAYS_ON, HAS_ENDED, IS_STOPPED = range(3)
"""What becomes of a block: it has trials in play, none, or Python stops the work."""

_ALL_ROLLS = len(ROLLS)
_CHUNK_ROLLS = 48 * _ALL_ROLLS
"""Rolls whose plays are evaluated together: enough to fill the blocks of the nets."""


class TrialPolicy(NamedTuple):
    """What chooses the play of a roll.

    Attributes:
        pruning: The pruning nets; anything where Python prunes.
        asked: Whom Python asks for the plays; -1 for nobody.
        size: The most plays of a roll that are kept.
        margin: In points by the pruning nets.
        chooser: Chooses among the plays kept; where one is kept, evaluates it for luck.
        measures_luck: Whether the chooser's outcomes are those that luck is measured by.
    """

    pruning: PruningNets
    asked: int
    size: int
    margin: float
    chooser: LeafNets
    measures_luck: bool


class TrialNets(NamedTuple):
    """What chooses plays, evaluates positions and ends trials.

    Attributes:
        policy: Chooses the plays that are made.
        luck_policy: Chooses the replies that luck is measured by.
        is_apart: Whether these are two.
        luck: Evaluates those replies.
        leaf: Evaluates truncated trials.
        cube: Evaluates cube decisions.
        cubeful_ends: Databases that end money trials, and those whose cube is dead.
        ends: Databases that end trials whose cube is dead.
        asks: Whether Python is asked for anything.
        solved: Whom Python asks for the values of money games if all positions are known exactly, which then
            ends trials as ``cubeful_ends`` do, with the leaf's outcomes; -1 if they are not.
    """

    policy: TrialPolicy
    luck_policy: TrialPolicy
    is_apart: bool
    luck: LeafNets
    leaf: LeafNets
    cube: LeafNets
    cubeful_ends: BearoffTables
    ends: BearoffTables
    asks: bool
    solved: int


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
def play_trials(
    nets: TrialNets, question: NDArray[np.int64], rules: TrialRules, trials: TrialArrays, rolls: int
) -> int:
    """Play on with the trials of a block until a number of rolls are played, or the drawn ones are.

    A turn: trials end and cubes are turned; luck is measured, at the same time as plays are chosen if one
    policy does both; plays are made.

    Args:
        nets: Choose plays, evaluate cube decisions, luck and truncated trials.
        question: Cells of the `Question` for what Python does.
        rules: The rules.
        trials: in and out.
        rolls: The number of rolls to play, all 21 of a position where luck is measured; if nobody is asked,
            which takes its time, up to `_CHUNK_ROLLS` more are played.

    Returns:
        `PLAYS_ON`, `HAS_ENDED` or `IS_STOPPED`.
    """
    progress = trials.progress
    replies = _make_replies(_CHUNK_ROLLS, max(nets.policy.size, nets.luck_policy.size))
    played = 0
    while played < rolls and progress[TURN] < progress[DRAWN]:
        if progress[GROUPS] == 0:
            mark_decisions(rules, trials)
            look_up_ends(rules, nets.cubeful_ends, nets.ends, nets.solved >= 0, trials)
            for kind in range(TRUNCATED, CUBE + 1):
                leaves = nets.leaf if kind == TRUNCATED else nets.cube
                if _evaluate_rows(kind, leaves, question, trials):
                    return IS_STOPPED
            values = compute_values(rules, nets.cubeful_ends, trials)
            if nets.solved >= 0 and rules.own.kind == MONEY:
                known = np.empty((values.shape[0], values.shape[1] - OUTCOME_COLUMNS), np.float32)
                if ask_results(question, nets.solved, trials.boards[: values.shape[0]], known):
                    return IS_STOPPED
                for row in range(values.shape[0]):
                    for state in range(known.shape[1]):
                        values[row, OUTCOME_COLUMNS + state] = known[row, state]
            decide(rules, trials, values)
            if progress[ROWS] == 0:
                return HAS_ENDED
            progress[MEASURES] = int(rules.variance_reduction)
            group_repeats(trials, not rules.variance_reduction)
            continue
        is_measured = progress[MEASURES] != 0
        policy = nets.luck_policy if is_measured else nets.policy
        per_group = _ALL_ROLLS if is_measured else 1
        most = min(rolls - played, _CHUNK_ROLLS) if nets.asks else _CHUNK_ROLLS
        groups = -(-most // per_group)
        end = min(progress[NEXT_GROUP] + groups, progress[GROUPS])
        count = list_rolls(trials, end, per_group, replies.boards, replies.dice)
        if _list_plays(policy, question, count, replies):
            return IS_STOPPED
        boards, classes, outcomes = _list_children(count, per_group, replies)
        if evaluate_leaves(policy.chooser, question, boards, classes, outcomes):
            return IS_STOPPED
        _choose_replies(count, replies)
        chosen, luck = replies.boards[:count], replies.outcomes[:count]
        if is_measured:
            if not policy.measures_luck and evaluate_all(nets.luck, question, chosen, luck):
                return IS_STOPPED
            subtract_luck(rules, trials, end, chosen, luck)
        if is_measured and nets.is_apart:
            progress[NEXT_GROUP] = end
            if end == progress[GROUPS]:  # now the plays, each roll by itself
                progress[MEASURES] = 0
                group_repeats(trials, True)
        else:
            make_plays(trials, end, per_group, replies.boards)
        played += count
    return PLAYS_ON


@kernel
def _evaluate_rows(kind: int, leaves: LeafNets, question: NDArray[np.int64], trials: TrialArrays) -> bool:
    """Evaluate the rows of a kind; return whether Python stops the work."""
    rows = trials.progress[ROWS]
    number = 0
    for row in range(rows):
        number += int(trials.kinds[row] == kind)
    if number == 0:
        return False
    classes = np.empty(rows, np.int8)
    classify_positions(trials.boards[:rows], classes)
    for row in range(rows):
        if trials.kinds[row] != kind:
            classes[row] = KNOWN
    return evaluate_leaves(leaves, question, trials.boards[:rows], classes, trials.outcomes[:rows])


@kernel
def _list_plays(policy: TrialPolicy, question: NDArray[np.int64], count: int, replies: _Replies) -> bool:
    """List the plays kept of a number of rolls; return whether Python stops the work."""
    boards, dice = replies.boards[:count], replies.dice[:count]
    if policy.asked < 0:
        prune_plays(policy.pruning, policy.size, policy.margin, boards, dice, 0, replies.kept)
        return False
    children, moves, equities, offsets = replies.kept
    return ask_plays(question, policy.asked, boards, dice, children, moves, equities, offsets)


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
    for child in range(plays):
        replies.same_as[child] = child
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
    children, _, _, offsets = replies.kept
    keys = np.empty((offsets[count], 2), np.int64)
    compute_position_keys(children[: keys.shape[0]], keys)
    for roll in range(count):
        for child in range(offsets[roll], offsets[roll + 1]):
            keys[child, 0] |= (roll // per_group) << KEY_BITS
    first, places = find_distinct_keys(keys)
    for child in range(places.shape[0]):
        replies.same_as[child] = first[places[child]]
        if replies.same_as[child] != child:
            replies.classes[child] = KNOWN


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
