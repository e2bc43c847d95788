from collections import Counter
from itertools import product

import numpy as np
import pytest

from gammond.engine.rollout.dice import draw_rolls
from gammond.engine.rules.dice import ROLL_WEIGHTS, ROLLS, draw_paired_dice

WAYS = np.rint(36 * ROLL_WEIGHTS).astype(int).tolist()
"""How many of the 36 ordered rolls are each of `ROLLS`."""


def _draw_pairs(seed, trials):
    return [tuple(pair) for pair in draw_rolls(seed, trials, range(2)).tolist()]


@pytest.mark.parametrize("cycle", [0, 1, 7])
def test_each_pair_of_first_rolls_comes_up_once_in_1296_trials(cycle):
    pairs = _draw_pairs(3, np.arange(1296 * cycle, 1296 * (cycle + 1)))
    numbers = range(len(ROLLS))
    assert Counter(pairs) == {(a, b): WAYS[a] * WAYS[b] for a, b in product(numbers, numbers)}


@pytest.mark.parametrize("turn", [0, 1])
def test_each_roll_comes_up_once_in_each_row_of_36_trials(turn):
    for row in range(36):
        rolls = draw_rolls(4, np.arange(36 * row, 36 * row + 36), range(turn, turn + 1))
        assert Counter(rolls[:, 0].tolist()) == dict(enumerate(WAYS))


def test_the_first_rolls_of_a_single_trial_are_fair():
    rolls = np.concatenate([draw_rolls(seed, np.array([5]), range(2)) for seed in range(1800)])
    expected = 50 * np.array(WAYS)
    for turn in (0, 1):
        counts = np.bincount(rolls[:, turn], minlength=len(ROLLS))
        assert ((counts - expected) ** 2 / expected).sum() < 52  # 20 degrees of freedom: 99.99th percentile


@pytest.mark.parametrize("turns", [range(0, 5), range(1, 3), range(0, 1), range(32, 40)])
def test_a_roll_does_not_depend_on_the_other_trials_and_turns_asked_for(turns):
    trials = np.arange(3000)
    whole = draw_rolls(5, trials, turns)
    some = np.array([2999, 3, 1296, 1295])
    assert np.array_equal(draw_rolls(5, some, turns), whole[some])
    assert draw_rolls(5, trials[:0], turns).shape == (0, len(turns))
    for column, turn in enumerate(turns):
        assert np.array_equal(draw_rolls(5, trials, range(turn, turn + 1))[:, 0], whole[:, column])


def test_later_rolls_are_those_of_paired_games():
    trials = np.arange(50)
    dice = np.sort(draw_paired_dice(6, trials, np.full(50, 2)), axis=1)[:, ::-1]
    assert [ROLLS[number] for number in draw_rolls(6, trials, range(2, 3))[:, 0]] == list(
        map(tuple, dice.tolist())
    )


def test_cycles_and_seeds_have_orders_of_their_own():
    first = _draw_pairs(7, np.arange(1296))
    assert first != _draw_pairs(7, np.arange(1296, 2592))
    assert first != _draw_pairs(8, np.arange(1296))
