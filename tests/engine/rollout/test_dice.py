import numpy as np
import pytest

from engine.rollout.dice import draw_roll_numbers, draw_rollout_dice
from engine.rules.dice import ROLLS, draw_paired_dice


def _parse_pairs(seed, trials):
    first, second = (draw_rollout_dice(seed, trials, turn).astype(int) for turn in (0, 1))
    return [(a, b, c, d) for (a, b), (c, d) in zip(first.tolist(), second.tolist(), strict=True)]


@pytest.mark.parametrize("cycle", [0, 1, 7])
def test_each_pair_of_first_rolls_comes_up_once_in_1296_trials(cycle):
    pairs = _parse_pairs(3, np.arange(1296 * cycle, 1296 * (cycle + 1)))
    assert len(set(pairs)) == 1296
    assert {face for pair in pairs for face in pair} == set(range(1, 7))


@pytest.mark.parametrize("turn", [0, 1])
def test_each_roll_comes_up_once_in_each_row_of_36_trials(turn):
    for row in range(36):
        dice = draw_rollout_dice(4, np.arange(36 * row, 36 * row + 36), turn)
        assert len({tuple(roll) for roll in dice.tolist()}) == 36


def test_the_first_rolls_of_a_single_trial_are_fair():
    counts = np.zeros((2, 36), int)
    for seed in range(7200):
        for turn in (0, 1):
            first, second = draw_rollout_dice(seed, np.array([5]), turn)[0] - 1
            counts[turn, 6 * first + second] += 1
    assert (
        ((counts - 200) ** 2 / 200).sum(axis=1) < 75
    ).all()  # 35 degrees of freedom: the 99.99th percentile


def test_a_roll_does_not_depend_on_the_other_trials_asked_for():
    trials = np.arange(3000)
    for turn in (0, 1, 2, 40):
        whole = draw_rollout_dice(5, trials, turn)
        some = np.array([2999, 3, 1296, 1295])
        assert np.array_equal(draw_rollout_dice(5, some, turn), whole[some])
        assert len(draw_rollout_dice(5, trials[:0], turn)) == 0


def test_later_rolls_are_those_of_paired_games():
    trials = np.arange(50)
    assert np.array_equal(draw_rollout_dice(6, trials, 2), draw_paired_dice(6, trials, np.full(50, 2)))


def test_cycles_and_seeds_have_orders_of_their_own():
    first = _parse_pairs(7, np.arange(1296))
    assert first != _parse_pairs(7, np.arange(1296, 2592))
    assert first != _parse_pairs(8, np.arange(1296))


@pytest.mark.parametrize("turns", [range(0, 5), range(1, 3), range(0, 1), range(32, 40)])
def test_numbers_of_rolls_drawn_together_are_those_drawn_turn_by_turn(turns):
    trials = np.array([0, 5, 1295, 1296, 4000])
    numbers = draw_roll_numbers(7, trials, turns)
    for column, turn in enumerate(turns):
        dice = np.sort(draw_rollout_dice(7, trials, turn), axis=1)[:, ::-1]
        assert [ROLLS[number] for number in numbers[:, column]] == [tuple(roll) for roll in dice.tolist()]
