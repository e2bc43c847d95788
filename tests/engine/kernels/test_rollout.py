import itertools

import numpy as np
import pytest

from engine.kernels.rollout import (
    GROUPS,
    LOOKS_FOR_REPEATS,
    PROGRESS_COUNTS,
    ROWS,
    TrialArrays,
    average_over_rolls,
    drop_ended,
    group_repeats,
)
from engine.rules.dice import ROLL_WEIGHTS
from tests import boards


@pytest.mark.nojit
def test_means_are_weighted_sums_over_the_rolls_of_each_position():
    values = np.random.default_rng(1).random((3 * 21, 5))
    means = np.empty((3, 5))
    average_over_rolls(values, ROLL_WEIGHTS, means)
    for position in range(3):
        rows = values[21 * position : 21 * position + 21]
        for column in range(5):
            expected = sum(weight * row[column] for weight, row in zip(ROLL_WEIGHTS, rows, strict=True))
            assert means[position, column] == pytest.approx(expected, abs=1e-14)


def make_block(starts, rolls):
    """Make a block of trials in given positions, with the roll of each."""
    count = len(starts)
    block = TrialArrays(
        boards=np.stack([start.board for start in starts]),
        places=np.arange(count),
        states=np.zeros(count, np.int8),
        stakes=np.ones(count),
        rolls=np.array(rolls, np.int8)[:, None],
        scores=np.zeros((count, 5)),
        groups=np.empty(count, np.int64),
        ends=np.empty(count, np.int64),
        progress=np.zeros(PROGRESS_COUNTS, np.int64),
    )
    block.progress[ROWS] = count
    block.progress[LOOKS_FOR_REPEATS] = 1
    return block


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("by_roll", "expected"), [(False, [{0, 2, 3}, {1, 4}]), (True, [{0, 3}, {1, 4}, {2}])]
)
def test_repeated_positions_are_listed_side_by_side(by_roll, expected):
    one, other = boards.position({6: 2}, {24: 1}), boards.position({6: 1, 5: 1}, {24: 1})
    block = make_block([one, other, one, one, other], [3, 4, 5, 3, 4])
    group_repeats(block, by_roll)
    ends = [0, *block.ends[: block.progress[GROUPS]].tolist()]
    found = [set(block.groups[start:end].tolist()) for start, end in itertools.pairwise(ends)]
    assert sorted(found, key=min) == expected
    assert block.progress[LOOKS_FOR_REPEATS] == 1


@pytest.mark.nojit
def test_repeats_are_not_looked_for_once_nearly_all_positions_are_distinct():
    starts = [boards.position({6: 2}, {point: 1}) for point in range(7, 25)]
    block = make_block(starts, [0] * 18)
    group_repeats(block, False)
    assert block.progress[LOOKS_FOR_REPEATS] == 0
    group_repeats(block, False)
    assert block.groups.tolist() == list(range(18))
    assert block.ends.tolist() == list(range(1, 19))


@pytest.mark.nojit
def test_rows_that_have_ended_are_dropped_and_the_others_keep_their_order():
    starts = [boards.position({6: 2}, {point: 1}) for point in range(1, 6)]
    block = make_block(starts, [0] * 5)
    block.stakes[:] = range(5)
    drop_ended(block, np.array([True, False, True, False, False]))
    assert block.progress[ROWS] == 3
    assert block.places[:3].tolist() == block.stakes[:3].tolist() == [1, 3, 4]
    assert np.array_equal(block.boards[:3], np.stack([starts[at].board for at in (1, 3, 4)]))
