"""The 21 rolls, reading a roll, and the sources of rolls."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gammond.engine.errors import FormatError, ValueRangeError
from gammond.engine.rules.dice import ROLL_WEIGHTS, ROLLS, SeededDice, parse_roll
from gammond.engine.rules.seeded_random import BoardHasher


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
