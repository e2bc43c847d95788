import itertools

import numpy as np
import pytest

from gammond.engine.kernels.rollout import (
    END,
    GROUPS,
    LOOKS_FOR_REPEATS,
    PLAYS_ON,
    ROWS,
    TRUNCATED,
    TURN,
    drop_ended,
    group_repeats,
    list_rolls,
    make_plays,
)
from gammond.engine.rollout.results import TrialCubes
from gammond.engine.rollout.trials import make_block
from gammond.engine.rules.dice import ROLLS
from tests.support import boards


def make_block_of(starts, rolls):
    """Make a block of trials in given positions, with the roll of each."""
    cubes = TrialCubes.make_initial(len(starts))
    block = make_block(np.stack([start.board for start in starts]), cubes, 1, 5)
    return block._replace(rolls=np.array(rolls, np.int8)[:, None])


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("by_roll", "expected"), [(False, [{0, 2, 3}, {1, 4}]), (True, [{0, 3}, {1, 4}, {2}])]
)
def test_repeated_positions_are_listed_side_by_side(by_roll, expected):
    one, other = boards.position({6: 2}, {24: 1}), boards.position({6: 1, 5: 1}, {24: 1})
    block = make_block_of([one, other, one, one, other], [3, 4, 5, 3, 4])
    group_repeats(block, by_roll)
    ends = [0, *block.ends[: block.progress[GROUPS]].tolist()]
    found = [set(block.groups[start:end].tolist()) for start, end in itertools.pairwise(ends)]
    assert sorted(found, key=min) == expected
    assert block.progress[LOOKS_FOR_REPEATS] == 1


@pytest.mark.nojit
def test_repeats_are_not_looked_for_once_nearly_all_positions_are_distinct():
    starts = [boards.position({6: 2}, {point: 1}) for point in range(7, 25)]
    block = make_block_of(starts, [0] * 18)
    group_repeats(block, False)
    assert block.progress[LOOKS_FOR_REPEATS] == 0
    group_repeats(block, False)
    assert block.groups.tolist() == list(range(18))
    assert block.ends.tolist() == list(range(1, 19))


@pytest.mark.nojit
def test_rolls_are_listed_and_played_group_by_group():
    one, other = boards.position({6: 2}, {24: 1}), boards.position({6: 1, 5: 1}, {24: 1})
    after = np.stack([boards.position({24: 1}, {point: 2}).board for point in range(1, 22)])
    for per_group, listed, played in ((1, [3, 4, 5], [0, 1, 2]), (21, [*range(21)] * 2, [3, 25, 5])):
        block = make_block_of([one, other, one], [3, 4, 5])
        group_repeats(block, per_group == 1)
        groups = int(block.progress[GROUPS])
        found = np.empty((len(listed), 2, 26), np.int8)
        dice = np.empty((len(listed), 2), np.int8)
        assert list_rolls(block, groups, per_group, found, dice) == len(listed)
        assert [tuple(roll) for roll in dice.tolist()] == [ROLLS[roll] for roll in listed]
        results = np.concatenate([after, after[::-1]])[: len(listed)]
        make_plays(block, groups, per_group, results)
        assert np.array_equal(block.boards, results[played])
        assert block.progress[TURN] == 1
        assert block.progress[GROUPS] == 0


@pytest.mark.nojit
def test_rows_that_have_ended_are_dropped_and_the_others_keep_their_order():
    starts = [boards.position({6: 2}, {point: 1}) for point in range(1, 6)]
    block = make_block_of(starts, [0] * 5)
    block.stakes[:] = range(5)
    block.kinds[:] = [END, PLAYS_ON, TRUNCATED, PLAYS_ON, PLAYS_ON]
    drop_ended(block)
    assert block.progress[ROWS] == 3
    assert block.places[:3].tolist() == block.stakes[:3].tolist() == [1, 3, 4]
    assert np.array_equal(block.boards[:3], np.stack([starts[at].board for at in (1, 3, 4)]))
