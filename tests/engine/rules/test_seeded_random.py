"""Seeded random numbers: equal for equal keys, spread evenly, and independent of other requests."""

from __future__ import annotations

import numpy as np

from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.position import Position
from gammond.engine.rules.seeded_random import BoardHasher, mix64, to_integers_below, to_unit_floats
from tests.support import boards
from tests.support.evaluators import RacingEvaluator


def test_mixed_numbers_below_a_limit_stay_below_and_reach_all():
    numbers = mix64(np.arange(20_000, dtype=np.uint64))
    assert len(np.unique(numbers)) == 20_000
    assert np.unique(to_integers_below(numbers, len(ROLLS))).tolist() == list(range(len(ROLLS)))
    assert to_integers_below(np.array([2**64 - 1], np.uint64), 7)[0] == 6


def test_fractions_lie_between_0_and_1_and_are_even():
    numbers = to_unit_floats(mix64(np.arange(20_000, dtype=np.uint64)))
    assert numbers.min() >= 0.0
    assert abs(numbers.mean() - 0.5) < 0.01
    assert to_unit_floats(np.array([0, 2**64 - 1], np.uint64)).tolist() == [0.0, 1.0 - 2.0**-53]


def test_a_number_depends_on_seed_board_and_roll_and_on_nothing_else():
    sample, dice = boards.played_boards(RacingEvaluator(), 300, seed=1), boards.random_rolls(300, seed=2)
    chance = BoardHasher(5)
    numbers = chance.hash_rolls(sample, dice)
    order = np.random.default_rng(3).permutation(len(sample))
    assert np.array_equal(BoardHasher(5).hash_rolls(sample[order], dice[order]), numbers[order])
    many = np.concatenate([sample] * 250)
    assert np.array_equal(chance.hash_boards(many), np.concatenate([chance.hash_boards(sample)] * 250))
    doubles = dice[:, 0] == dice[:, 1]
    assert np.array_equal(chance.hash_rolls(sample, dice[:, ::-1]) == numbers, doubles)
    assert not (BoardHasher(6).hash_rolls(sample, dice) == numbers).any()
    assert not (chance.hash_boards(sample) == numbers).any()


def test_the_numbers_of_a_seed_stay_what_recorded_games_were_played_with():
    start = Position.start().board[None]
    assert BoardHasher(7).hash_boards(start)[0] == 14715141245426462445
    assert BoardHasher(7).hash_rolls(start, np.array([[3, 1]], np.int8))[0] == 12545106824964237545
