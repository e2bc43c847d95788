"""The 21 rolls, reading a roll, and the sources of rolls."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.errors import FormatError, ValueRangeError
from gammond.engine.rules.dice import ROLL_WEIGHTS, ROLLS, SeededDice, parse_roll, validate_roll


def test_there_are_21_distinct_rolls_with_the_larger_die_first():
    assert len(set(ROLLS)) == 21
    assert all(1 <= low <= high <= 6 for high, low in ROLLS)


def test_weights_are_the_chances_of_two_fair_dice():
    chances = dict.fromkeys(ROLLS, 0)
    for first in range(1, 7):
        for second in range(1, 7):
            chances[max(first, second), min(first, second)] += 1
    assert (np.rint(ROLL_WEIGHTS * 36) == list(chances.values())).all()
    assert ROLL_WEIGHTS.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("text", ["31", "3 1", "3-1", "3,1", " 3, 1 ", "3 - 1", "3\t1"])
def test_a_roll_is_read_in_every_usual_form(text):
    assert parse_roll(text) == (3, 1)


@pytest.mark.parametrize(
    "text", ["", "3", "311", "3 1 1", "-3 1", "3--1", "3-,1", "3.1", "x1", "\u0663\u0661", "²1", "10 1"]
)
def test_text_that_is_no_roll_is_refused(text):
    with pytest.raises(FormatError, match="expected two dice") as error:
        parse_roll(text)
    assert error.value.field == "dice"


def test_a_long_text_is_not_repeated_whole_in_the_error():
    with pytest.raises(FormatError) as error:
        parse_roll("3" * 10_000)
    assert len(error.value.message) < 120


@pytest.mark.parametrize("text", ["70", "07", "0 1", "1 7", "99"])
def test_dice_outside_1_to_6_are_refused(text):
    with pytest.raises(ValueRangeError, match="expected dice of 1 to 6") as error:
        parse_roll(text)
    assert error.value.field == "dice"


def test_a_roll_is_given_back_in_the_order_it_came():
    assert validate_roll(1, 6) == (1, 6)


def test_the_same_seed_gives_the_same_rolls_everywhere():
    dice = SeededDice(2024)
    assert [dice.roll() for _ in range(8)] == [(2, 5), (1, 2), (2, 2), (6, 5), (6, 6), (1, 1), (6, 1), (1, 2)]


def test_different_seeds_give_different_rolls():
    first, second = SeededDice(1), SeededDice(2)
    assert [first.roll() for _ in range(20)] != [second.roll() for _ in range(20)]


def test_seeded_dice_are_fair():
    dice = SeededDice(7)
    counts = np.zeros((6, 6))
    for _ in range(36_000):
        first, second = dice.roll()
        counts[first - 1, second - 1] += 1
    chi_square = ((counts - 1000) ** 2 / 1000).sum()
    assert 13.8 < chi_square < 66.6  # 35 degrees of freedom, one in a thousand on either side


def test_a_negative_seed_is_refused():
    with pytest.raises(ValueRangeError, match="0 or more"):
        SeededDice(-1)
