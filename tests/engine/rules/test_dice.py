"""The 21 rolls, reading a roll, and the sources of rolls."""

import itertools

import numpy as np
import pytest

from gammond.engine.errors import FormatError, ValueRangeError
from gammond.engine.rules.dice import ROLL_WEIGHTS, ROLLS, SeededDice, parse_roll
from gammond.engine.rules.position import Position
from gammond.engine.rules.seeded_random import BoardHasher, mix64, to_integers_below, to_unit_floats
from tests.support import boards
from tests.support.evaluators import RacingEvaluator


def test_weights_are_the_chances_of_two_fair_dice():
    chances = dict.fromkeys(ROLLS, 0)
    for first, second in itertools.product(range(1, 7), repeat=2):
        chances[max(first, second), min(first, second)] += 1
    assert (np.rint(ROLL_WEIGHTS * 36) == list(chances.values())).all()
    assert ROLL_WEIGHTS.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("text", ["13", "1 3", "1-3", "1,3", " 1, 3 ", "1 - 3", "1\t3"])
def test_a_roll_is_read_in_every_usual_form_and_keeps_its_order(text):
    assert parse_roll(text) == (1, 3)


@pytest.mark.parametrize(
    "text",
    [
        *("", "3", "311", "3 1 1", "-3 1", "3--1", "3-,1", "3.1", "x1", "\u0663\u0661", "²1", "10 1"),
        pytest.param("3" * 10_000, id="long"),
    ],
)
def test_text_that_is_no_roll_is_refused_and_not_repeated_at_length(text):
    with pytest.raises(FormatError, match="expected two dice") as error:
        parse_roll(text)
    assert error.value.field == "dice"
    assert len(error.value.message) < 120


@pytest.mark.parametrize("text", ["70", "07", "0 1", "1 7", "99"])
def test_dice_outside_1_to_6_are_refused(text):
    with pytest.raises(ValueRangeError, match="expected dice of 1 to 6") as error:
        parse_roll(text)
    assert error.value.field == "dice"


def test_the_same_seed_gives_the_same_rolls_everywhere():
    dice = SeededDice(2024)
    assert [dice.roll() for _ in range(8)] == [(2, 5), (1, 2), (2, 2), (6, 5), (6, 6), (1, 1), (6, 1), (1, 2)]


@pytest.mark.parametrize("make", [SeededDice, BoardHasher])
def test_a_negative_seed_is_refused(make):
    with pytest.raises(ValueRangeError, match="0 or more, got -1"):
        make(-1)


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
