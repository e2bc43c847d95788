"""Levels: names, order, and errors like those of people."""

import math

import numpy as np
import pytest

from gammond.engine.analysis.levels import (
    DEFAULT_LEVEL,
    LEVELS,
    MAX_NOISE_POINTS,
    EvalSettings,
    choose_with_noise,
    find_level,
)
from gammond.engine.errors import ValueRangeError

SCORES = (0.10, 0.14, 0.02, 0.14 - 0.201, -0.3)


def shares(scores, noise_points, count=4000):
    """How often each is chosen by evenly spread numbers."""
    numbers = (np.arange(count) + 0.5) / count
    chosen = [choose_with_noise(scores, noise_points, float(number)) for number in numbers]
    return np.bincount(chosen, minlength=len(scores)) / count


def test_without_noise_the_best_is_chosen_and_the_first_among_equals():
    for number in (0.0, 0.5, 0.999):
        assert choose_with_noise(SCORES, 0.0, number) == 1
        assert choose_with_noise((0.2, 0.3, 0.3), 0.0, number) == 1


def test_weights_fall_by_e_for_each_noise_that_a_choice_is_behind():
    found = shares(SCORES, 0.05)
    weights = np.array([math.exp(-0.04 / 0.05), 1.0, math.exp(-0.12 / 0.05), 0.0, 0.0])
    assert np.abs(found - weights / weights.sum()).max() < 1e-3


def test_nothing_farther_behind_than_four_times_the_noise_is_ever_chosen():
    assert shares((0.0, -0.39, -0.41), 0.1)[1] > 0.0
    assert shares((0.0, -0.39, -0.41), 0.1)[2] == 0.0
    for number in (0.0, math.nextafter(1.0, 0.0)):
        assert choose_with_noise((0.0, -0.5), 0.1, number) == 0


def test_levels_go_from_the_weakest_to_the_strongest_and_can_be_played():
    weakest, *_, strongest = LEVELS
    assert (weakest, strongest) == ("beginner", "grandmaster")
    assert DEFAULT_LEVEL in LEVELS
    strength = [(-each.noise_points, each.plies) for each in LEVELS.values()]
    assert strength == sorted(strength)
    rates = [each.error_rate for each in LEVELS.values()]
    assert rates == sorted(rates, reverse=True)
    assert min(rates) > 0.0
    for name, level in LEVELS.items():
        assert find_level(name) is level
        assert 0.0 <= level.noise_points <= MAX_NOISE_POINTS
        assert EvalSettings(level.plies, level.filter_name).move_filter.name == level.filter_name


@pytest.mark.parametrize("name", ["Expert", "x" * 500])
def test_another_level_is_refused_with_the_names_that_there_are(name):
    with pytest.raises(ValueRangeError, match=r"beginner\|casual\|.*\|grandmaster") as caught:
        find_level(name)
    assert caught.value.field == "level"
    assert len(caught.value.message) < 300


@pytest.mark.parametrize(
    ("field", "options"),
    [
        ("plies", {"plies": 5}),
        ("plies", {"plies": -1}),
        ("filter", {"filter_name": "wide"}),
        ("candidates", {"candidates": 0}),
    ],
)
def test_impossible_settings_are_refused_by_field(field, options):
    with pytest.raises(ValueRangeError) as caught:
        EvalSettings(**options)
    assert caught.value.field == field
