"""Elo of a table: known cases, recovery of simulated strengths, and honest errors."""

import math

import numpy as np
import pytest

from gammond.engine.match_analysis.elo import ELO_PER_LOGIT, estimate_elo

GAMES = 2000.0


def table(logits, generator=None, games=GAMES):
    """Wins between players of these strengths, expected or by chance, and their variances."""
    strengths = np.array(logits)
    share = 1 / (1 + np.exp(strengths[None] - strengths[:, None]))
    expected = games * share
    np.fill_diagonal(expected, 0.0)
    variances = expected * (1 - share)
    if generator is None:
        return expected, variances
    wins = np.triu(generator.binomial(int(games), share), 1).astype(float)
    return wins + np.tril((games - wins.T), -1), variances


def test_two_players_differ_by_the_elo_of_their_wins():
    wins = np.array([[0.0, 750.0], [250.0, 0.0]])
    variances = np.array([[0.0, 187.5], [187.5, 0.0]])
    elo, errors = estimate_elo(wins, variances)
    assert elo.tolist() == pytest.approx([0.0, -400 * math.log10(3)])
    assert errors.tolist() == pytest.approx([0.0, ELO_PER_LOGIT / math.sqrt(187.5)])


def test_strengths_are_found_again_from_expected_wins():
    logits = [0.0, 0.7, -1.1, 2.5]
    elo, _ = estimate_elo(*table(logits))
    assert elo.tolist() == pytest.approx([ELO_PER_LOGIT * each for each in logits], abs=1e-6)


def test_the_anchor_is_0_and_moves_nothing_else():
    first, _ = estimate_elo(*table([0.0, 0.7, -1.1]))
    third, errors = estimate_elo(*table([0.0, 0.7, -1.1]), anchor=2)
    assert third[2] == errors[2] == 0.0
    assert np.diff(third) == pytest.approx(np.diff(first), abs=1e-6)


def test_the_errors_are_as_large_as_the_spread_of_many_tables():
    logits = [0.0, 0.5, -0.8]
    generator = np.random.default_rng(3)
    found = [estimate_elo(*table(logits, generator)) for _ in range(300)]
    spread = np.std([elo for elo, _ in found], axis=0)
    claimed = np.mean([errors for _, errors in found], axis=0)
    assert spread[1:] == pytest.approx(claimed[1:], rel=0.15)


def test_a_player_that_won_nothing_counts_half_a_game():
    wins = np.array([[0.0, 100.0], [0.0, 0.0]])
    elo, errors = estimate_elo(wins, np.zeros((2, 2)))
    assert elo[1] == pytest.approx(-400 * math.log10(99.5 / 0.5))
    assert errors[1] == pytest.approx(ELO_PER_LOGIT / math.sqrt(100 * 0.005 * 0.995))


def test_players_far_apart_are_rated_too():
    elo, errors = estimate_elo(*table([0.0, 9.0, -9.0, 4.0], games=1e7))
    assert elo.tolist() == pytest.approx([ELO_PER_LOGIT * each for each in (0, 9, -9, 4)], abs=0.1)
    assert np.isfinite(errors).all()


def test_players_without_games_have_no_elo_and_spoil_none():
    wins = np.zeros((4, 4))
    wins[0, 1], wins[1, 0], wins[2, 3], wins[3, 2] = 60, 40, 30, 70
    elo, errors = estimate_elo(wins, np.where(wins > 0, 24.0, 0.0))
    assert elo[1] == pytest.approx(-400 * math.log10(1.5))
    assert np.isnan(elo[2:]).all()
    assert np.isnan(errors[2:]).all()


def test_players_are_compared_through_others():
    wins = np.zeros((3, 3))
    wins[0, 1], wins[1, 0], wins[1, 2], wins[2, 1] = 60, 40, 75, 25
    elo, _ = estimate_elo(wins, np.where(wins > 0, 24.0, 0.0))
    assert elo[2] == pytest.approx(-400 * math.log10(1.5) - 400 * math.log10(3))
