"""Intervals and p-values of paired games, against tables and simulated players."""

import math

import numpy as np
import pytest

from gammond.tools.tournament.statistics.scores import (
    WIN_SHARE_LIMITS,
    compute_p_value,
    estimate_mean,
    two_sided_p_value,
)


@pytest.mark.parametrize(
    ("distance", "freedom", "chance"),
    [
        (12.706, 1, 0.05),
        (2.571, 5, 0.05),
        (4.032, 5, 0.01),
        (2.042, 30, 0.05),
        (1.962, 1000, 0.05),
        (1.960, 5000, 0.05),
        (0.0, 7, 1.0),
    ],
)
def test_the_chance_beyond_is_that_of_printed_tables(distance, freedom, chance):
    assert two_sided_p_value(distance, freedom) == pytest.approx(chance, rel=5e-3)


def test_the_normal_distribution_takes_over_without_a_step():
    assert two_sided_p_value(3.0, 1999) == pytest.approx(two_sided_p_value(3.0, 2000), rel=0.02)


def test_an_interval_is_as_wide_as_the_table_says():
    found = estimate_mean(np.tile([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 500))
    error = math.sqrt(35 / 12 / 3000)
    assert (found.mean, found.standard_error) == (3.5, pytest.approx(error, rel=1e-3))
    assert (found.low, found.high) == pytest.approx((3.5 - 1.96 * error, 3.5 + 1.96 * error), abs=1e-3)


def test_a_single_pair_has_no_error():
    found = estimate_mean(np.array([1.5]))
    assert found.mean == 1.5
    assert all(math.isnan(each) for each in (found.standard_error, found.low, found.high))
    assert math.isnan(compute_p_value(np.array([1.5])))


def test_pairs_that_are_all_alike_are_as_certain_as_their_number_allows():
    assert compute_p_value(np.zeros(10)) == 1.0
    assert compute_p_value(np.full(10, 0.5), expected=0.5) == 1.0
    assert compute_p_value(np.full(3, 0.5)) == 2 / 2**3
    assert compute_p_value(np.full(10, 0.5)) == 2 / 2**10
    assert compute_p_value(np.full(100, 0.5)) < 1e-9
    won, split = (estimate_mean(np.full(5, share), WIN_SHARE_LIMITS) for share in (1.0, 0.5))
    assert won.high == 1.0
    assert 0.4 < won.low < 0.5
    assert 0.2 < split.low < split.mean == 0.5 < split.high < 0.8


def test_a_pair_that_is_not_split_among_many_proves_nothing():
    shares = np.array([1.0] + [0.5] * 99)
    assert compute_p_value(shares, 0.5) == 1.0
    assert compute_p_value(np.array([1.0] * 4 + [0.0] + [0.5] * 95), 0.5) == 12 / 32


@pytest.mark.parametrize("pairs", [20, 200])
def test_equal_players_are_found_unequal_as_often_as_the_level_says(pairs):
    generator = np.random.default_rng(8)
    tests = 400
    found = [compute_p_value(generator.normal(0, 2, pairs)) for _ in range(tests)]
    for level in (0.05, 0.5):
        share = float(np.mean(np.array(found) < level))
        assert abs(share - level) < 4 * math.sqrt(level * (1 - level) / tests)


@pytest.mark.slow
@pytest.mark.parametrize("chances", [(0.49, 0.02, 0.49), (0.25, 0.5, 0.25), (0.03, 0.94, 0.03)])
@pytest.mark.parametrize("pairs", [3, 6, 12, 60])
def test_equal_players_are_hardly_ever_found_unequal_by_few_pairs(pairs, chances):
    generator = np.random.default_rng(3)
    drawn = [generator.choice([0.0, 0.5, 1.0], pairs, p=chances) for _ in range(600)]
    share = np.mean([compute_p_value(each, 0.5) < 0.05 for each in drawn])
    assert share < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 600)


@pytest.mark.parametrize(
    ("chances", "pairs"),
    [
        ((0.01, 0.09, 0.90), 5),
        ((0.01, 0.95, 0.04), 20),
        ((0.001, 0.049, 0.95), 20),
        ((0.03, 0.94, 0.03), 100),
    ],
)
def test_intervals_hold_the_truth_where_nearly_all_pairs_come_out_alike(chances, pairs):
    generator = np.random.default_rng(4)
    truth = chances[2] + chances[1] / 2
    drawn = (generator.choice([0.0, 0.5, 1.0], pairs, p=chances) for _ in range(100))
    found = [estimate_mean(each, WIN_SHARE_LIMITS) for each in drawn]
    assert np.mean([each.low <= truth <= each.high for each in found]) > 0.85


def test_intervals_hold_the_truth_as_often_as_they_say():
    generator = np.random.default_rng(9)
    found = [estimate_mean(generator.normal(1, 2, 12)) for _ in range(200)]
    share = np.mean([each.low <= 1 <= each.high for each in found])
    assert abs(share - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 200)


@pytest.mark.parametrize("wins", [500, 520, 540, 560])
def test_of_games_that_have_nothing_in_common_it_says_what_the_binomial_distribution_does(wins):
    """Equal players win half of 1,000 games; of paired games only pairs have nothing in common."""
    games = 1000
    ways = [math.comb(games, fewer) for fewer in range(games - wins + 1)]
    expected = min(1.0, 2 * sum(ways) / 2**games)
    won = np.random.default_rng(wins).permutation(np.arange(games) < wins)
    found = compute_p_value(won.reshape(-1, 2).mean(axis=1), 0.5)
    assert found == pytest.approx(expected, rel=0.3)


def test_pairs_tell_more_than_the_binomial_distribution_where_dice_decide_who_wins():
    """A player that wins 40 pairs of games outright, and shares 460 as the dice want it."""
    shares = np.array([1.0] * 40 + [0.5] * 460)
    assert compute_p_value(shares, 0.5) < 1e-9
    wins = int(2 * shares.sum())
    assert 2 * sum(math.comb(1000, fewer) for fewer in range(1000 - wins + 1)) / 2**1000 > 0.005
