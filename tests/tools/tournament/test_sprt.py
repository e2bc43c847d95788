"""The sequential test: bounds, errors as rare as it promises, and games saved."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.errors import ValueRangeError
from tools.tournament.scores import Scores
from tools.tournament.sprt import LOOK_PAIRS, Judged, SequentialTest, Verdict


def games(elo, generator, count):
    """Games won or lost by a player that is so many Elo stronger."""
    share = 1 / (1 + 10 ** (-elo / 400))
    kinds = np.where(generator.random(count) < share, 1, -1).astype(np.int8)
    return Scores(kinds.astype(np.float64), kinds)


@pytest.mark.parametrize(("elo", "wrong"), [(0.0, Verdict.ACCEPTED), (20.0, Verdict.REJECTED)])
def test_it_errs_no_more_often_than_it_promises(elo, wrong):
    test = SequentialTest(0, 20, alpha=0.1, beta=0.1)
    generator = np.random.default_rng(4)
    tries = 200
    judged = [test.judge(games(elo, generator, 16_000)) for _ in range(tries)]
    errors = np.mean([each.verdict is wrong for each in judged])
    assert errors < 0.1 + 3 * math.sqrt(0.09 / tries)
    assert np.mean([each.verdict is Verdict.UNDECIDED for each in judged]) < 0.02
    assert np.mean([each.games for each in judged]) < 4000


def test_points_are_tested_by_what_games_count_and_not_by_wins():
    generator = np.random.default_rng(5)
    kinds = np.where(generator.random(4000) < 0.45, 1, -1).astype(np.int8)
    scores = Scores(kinds * np.where(kinds > 0, 2.0, 1.0), kinds)
    assert SequentialTest(0, 50).judge(scores).verdict is Verdict.REJECTED
    assert SequentialTest(0, 0.2, in_elo=False).judge(scores).verdict is Verdict.ACCEPTED


def test_the_ratio_is_that_of_two_normal_means():
    generator = np.random.default_rng(6)
    values = generator.normal(0.1, 1.0, 2 * LOOK_PAIRS)
    scores = Scores(values, np.sign(values).astype(np.int8))
    judged = SequentialTest(-0.1, 0.2, in_elo=False).judge(scores)
    pairs = values.reshape(-1, 2).mean(axis=1)
    by_definition = (((pairs + 0.1) ** 2 - (pairs - 0.2) ** 2) / (2 * pairs.var(ddof=1))).sum()
    assert judged == Judged(Verdict.UNDECIDED, pytest.approx(by_definition), 2 * LOOK_PAIRS)


def test_nothing_is_decided_before_the_first_look():
    scores = games(200.0, np.random.default_rng(8), 4000)
    assert SequentialTest(0, 50).judge(scores).games < 1000
    late = SequentialTest(0, 50, first_look=500)
    assert late.judge(scores).games == 1000
    assert late.judge(scores.first(998)) == Judged(Verdict.UNDECIDED, 0.0, 998)


def test_what_comes_behind_a_decision_changes_nothing():
    scores = games(100.0, np.random.default_rng(7), 4000)
    test = SequentialTest(0, 50)
    judged = test.judge(scores)
    assert judged.verdict is Verdict.ACCEPTED
    assert judged.games < 4000
    assert judged.games % (2 * LOOK_PAIRS) == 0
    assert test.judge(scores.first(judged.games)) == judged
    assert test.judge(scores.first(judged.games - 2)).verdict is Verdict.UNDECIDED


def test_too_few_games_decide_nothing():
    assert SequentialTest(0, 50).judge(Scores.none()) == Judged(Verdict.UNDECIDED, 0.0, 0)
    few = games(400.0, np.random.default_rng(1), 2 * LOOK_PAIRS - 2)
    assert SequentialTest(0, 50).judge(few).verdict is Verdict.UNDECIDED


def test_a_player_that_never_loses_is_accepted_at_the_first_look():
    always = Scores(np.ones(400), np.ones(400, np.int8))
    judged = SequentialTest(0, 50).judge(always)
    assert (judged.verdict, judged.games) == (Verdict.ACCEPTED, 2 * LOOK_PAIRS)


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
