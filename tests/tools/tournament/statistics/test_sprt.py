"""The sequential test: bounds, errors as rare as it promises, and games saved."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.errors import ValueRangeError
from tools.tournament.statistics.scores import PairedScores
from tools.tournament.statistics.sprt import PAIRS_BETWEEN_LOOKS, SequentialTest, SprtResult, SprtVerdict


def games(elo, generator, count):
    """Games won or lost by a player that is so many Elo stronger."""
    share = 1 / (1 + 10 ** (-elo / 400))
    kinds = np.where(generator.random(count) < share, 1, -1).astype(np.int8)
    return PairedScores(kinds.astype(np.float64), kinds)


@pytest.mark.parametrize(("elo", "wrong"), [(0.0, SprtVerdict.ACCEPTED), (20.0, SprtVerdict.REJECTED)])
def test_it_errs_no_more_often_than_it_promises(elo, wrong):
    test = SequentialTest(0, 20, alpha=0.1, beta=0.1)
    generator = np.random.default_rng(4)
    tries = 200
    evaluated = [test.run(games(elo, generator, 16_000)) for _ in range(tries)]
    errors = np.mean([each.verdict is wrong for each in evaluated])
    assert errors < 0.1 + 3 * math.sqrt(0.09 / tries)
    assert np.mean([each.verdict is SprtVerdict.UNDECIDED for each in evaluated]) < 0.02
    assert np.mean([each.games for each in evaluated]) < 4000


def test_points_are_tested_by_what_games_count_and_not_by_wins():
    generator = np.random.default_rng(5)
    kinds = np.where(generator.random(4000) < 0.45, 1, -1).astype(np.int8)
    scores = PairedScores(kinds * np.where(kinds > 0, 2.0, 1.0), kinds)
    assert SequentialTest(0, 50).run(scores).verdict is SprtVerdict.REJECTED
    assert SequentialTest(0, 0.2, in_elo=False).run(scores).verdict is SprtVerdict.ACCEPTED


def test_the_ratio_is_that_of_two_normal_means():
    generator = np.random.default_rng(6)
    values = generator.normal(0.1, 1.0, 2 * PAIRS_BETWEEN_LOOKS)
    scores = PairedScores(values, np.sign(values).astype(np.int8))
    evaluated = SequentialTest(-0.1, 0.2, in_elo=False).run(scores)
    pairs = values.reshape(-1, 2).mean(axis=1)
    by_definition = (((pairs + 0.1) ** 2 - (pairs - 0.2) ** 2) / (2 * pairs.var(ddof=1))).sum()
    assert evaluated == SprtResult(
        SprtVerdict.UNDECIDED, pytest.approx(by_definition), 2 * PAIRS_BETWEEN_LOOKS
    )


def test_nothing_is_decided_before_the_first_look():
    scores = games(200.0, np.random.default_rng(8), 4000)
    assert SequentialTest(0, 50).run(scores).games < 1000
    late = SequentialTest(0, 50, first_look=500)
    assert late.run(scores).games == 1000
    assert late.run(scores.take_first(998)) == SprtResult(SprtVerdict.UNDECIDED, 0.0, 998)


def test_what_comes_behind_a_decision_changes_nothing():
    scores = games(100.0, np.random.default_rng(7), 4000)
    test = SequentialTest(0, 50)
    evaluated = test.run(scores)
    assert evaluated.verdict is SprtVerdict.ACCEPTED
    assert evaluated.games < 4000
    assert evaluated.games % (2 * PAIRS_BETWEEN_LOOKS) == 0
    assert test.run(scores.take_first(evaluated.games)) == evaluated
    assert test.run(scores.take_first(evaluated.games - 2)).verdict is SprtVerdict.UNDECIDED


def test_too_few_games_decide_nothing():
    assert SequentialTest(0, 50).run(PairedScores.empty()) == SprtResult(SprtVerdict.UNDECIDED, 0.0, 0)
    few = games(400.0, np.random.default_rng(1), 2 * PAIRS_BETWEEN_LOOKS - 2)
    assert SequentialTest(0, 50).run(few).verdict is SprtVerdict.UNDECIDED


def test_a_player_that_never_loses_is_accepted_at_the_first_look():
    always = PairedScores(np.ones(400), np.ones(400, np.int8))
    evaluated = SequentialTest(0, 50).run(always)
    assert (evaluated.verdict, evaluated.games) == (SprtVerdict.ACCEPTED, 2 * PAIRS_BETWEEN_LOOKS)


@pytest.mark.parametrize(
    "bounds", [(5.0, 5.0), (5.0, 0.0), (0.0, math.nan), (0.0, math.inf), (-3000.0, 0.0), (0.0, 3000.0)]
)
def test_bounds_that_cannot_be_are_refused(bounds):
    with pytest.raises(ValueRangeError, match="two different numbers in order") as caught:
        SequentialTest(*bounds)
    assert caught.value.field == "sprt"


@pytest.mark.parametrize("rate", [0.0, 0.5, -0.1, 1.0, math.nan])
@pytest.mark.parametrize("name", ["alpha", "beta"])
def test_error_rates_that_cannot_be_are_refused(name, rate):
    with pytest.raises(ValueRangeError, match="between 0 and") as caught:
        SequentialTest(0, 5, **{name: rate})
    assert caught.value.field == name
