"""The sequential test: bounds, errors as rare as it promises, and games saved."""

import math

import numpy as np
import pytest

from gammond.engine.errors import ValueRangeError
from gammond.engine.play.paired_scores import PairedScores
from gammond.tools.tournament.statistics.sprt import (
    PAIRS_BETWEEN_LOOKS,
    SequentialTest,
    SprtResult,
    SprtVerdict,
)


def games(elo, generator, count):
    """Games won or lost by a player that is so many Elo stronger."""
    share = 1 / (1 + 10 ** (-elo / 400))
    kinds = np.where(generator.random(count) < share, 1, -1).astype(np.int8)
    return PairedScores(kinds.astype(np.float64), kinds)


@pytest.mark.slow
@pytest.mark.parametrize(("elo", "wrong"), [(0.0, SprtVerdict.ACCEPTED), (20.0, SprtVerdict.REJECTED)])
def test_it_errs_no_more_often_than_it_promises(elo, wrong):
    test = SequentialTest(0, 20, alpha=0.1, beta=0.1)
    generator = np.random.default_rng(4)
    tries = 200
    evaluated = [test.run(games(elo, generator, 10_000)) for _ in range(tries)]
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


def make_pairs(won, split, lost):
    """Pairs of games of which so many were won, split and lost, each kind spread evenly over the others."""
    outcomes = np.random.default_rng(6).permutation(np.repeat([1, 0, -1], (won, split, lost)))
    kinds = np.stack([np.where(outcomes < 0, -1, 1), np.where(outcomes > 0, 1, -1)], axis=-1)
    return PairedScores(kinds.ravel().astype(np.float64), kinds.ravel().astype(np.int8))


def find_likeliest(won, split, lost, share):
    """The log-likelihood of the likeliest chances with a share of wins, of a fine grid of all of them."""
    splits = np.linspace(0, 2 * min(share, 1 - share), 400_003)[1:-1]
    counts, chances = (won, split, lost), (share - splits / 2, splits, 1 - share - splits / 2)
    return max(sum(max(count, 0.001) * np.log(chance) for count, chance in zip(counts, chances, strict=True)))


@pytest.mark.parametrize(
    "counts", [(20, 60, 20), (9, 88, 3), (0, 98, 2), (3, 97, 0), (0, 100, 0), (70, 25, 5)]
)
def test_the_ratio_is_that_of_the_likeliest_outcomes_with_each_share_of_wins(counts):
    low, high = (1 / (1 + 10 ** (-elo / 400)) for elo in (-10, 5))
    by_definition = find_likeliest(*counts, high) - find_likeliest(*counts, low)
    test = SequentialTest(-10, 5, alpha=1e-9, beta=1e-9)
    found = test.run(make_pairs(*counts))
    assert found == SprtResult(SprtVerdict.UNDECIDED, pytest.approx(by_definition, abs=0.03), 200)
    # A game counts 1 point, so that points are twice the wins above one half.
    in_points = SequentialTest(2 * low - 1, 2 * high - 1, in_elo=False, alpha=1e-9, beta=1e-9)
    assert in_points.run(make_pairs(*counts)).llr == pytest.approx(found.llr, abs=1e-6)


def test_many_pairs_have_the_ratio_of_two_normal_means():
    values = np.random.default_rng(6).normal(0.1, 1.0, 20_000)
    scores = PairedScores(values, np.sign(values).astype(np.int8))
    evaluated = SequentialTest(0.08, 0.12, False, 1e-9, 1e-9).run(scores)
    halves = values.reshape(-1, 2).mean(axis=1)
    by_normal = (((halves - 0.08) ** 2 - (halves - 0.12) ** 2) / (2 * halves.var())).sum()
    assert evaluated == SprtResult(SprtVerdict.UNDECIDED, pytest.approx(by_normal, abs=0.05), 20_000)


@pytest.mark.parametrize("bounds", [(0, 5), (-10, 5)])
def test_fifty_split_pairs_decide_nothing(bounds):
    evaluated = SequentialTest(*bounds).run(make_pairs(0, 50, 0))
    assert evaluated.verdict is SprtVerdict.UNDECIDED
    assert abs(evaluated.llr) < 1
    points = [bound / 100 for bound in bounds]
    assert SequentialTest(*points, in_elo=False).run(make_pairs(0, 50, 0)).verdict is SprtVerdict.UNDECIDED


@pytest.mark.slow
@pytest.mark.parametrize("split", [0.90, 0.97])
@pytest.mark.parametrize("elo", [0, 5])
def test_it_errs_no_more_often_where_most_pairs_are_split(split, elo):
    test = SequentialTest(0, 5)
    share = 1 / (1 + 10 ** (-elo / 400))
    chances = [1 - share - split / 2, split, share - split / 2]
    generator, tries, errors = np.random.default_rng(elo), 1000, 0
    counts = np.zeros((tries, 3), np.int64)
    rejects, accepts = test.llr_bounds
    while len(counts):
        counts += generator.multinomial(PAIRS_BETWEEN_LOOKS, chances, len(counts))
        ratios = test.compute_llrs(counts, np.array([-0.5, 0.0, 0.5]))
        errors += int((ratios <= rejects).sum() if elo else (ratios >= accepts).sum())
        counts = counts[(ratios > rejects) & (ratios < accepts)]
    assert errors / tries <= 0.06


def test_scores_that_nobody_could_tell_beforehand_widen_the_range_of_what_may_come():
    test = SequentialTest(-0.1, 0.1, in_elo=False)
    small = PairedScores(np.tile([1.0, -1.0, 0.0, 0.0], 200), np.tile([1, -1, 0, 0], 200).astype(np.int8))
    large = PairedScores(small.values * 64, small.kinds)
    assert abs(test.run(large).llr) <= abs(test.run(small).llr) + 1e-9
    outside = PairedScores(np.full(1000, 7.5), np.ones(1000, np.int8))
    assert test.run(outside).verdict is SprtVerdict.ACCEPTED
    assert test.run(outside.swap_players()).verdict is SprtVerdict.REJECTED


def test_games_that_an_earlier_run_used_need_not_be_looked_at_again():
    scores = games(30.0, np.random.default_rng(9), 20_000)
    test = SequentialTest(0, 50)
    whole = test.run(scores)
    assert whole.games > 3 * 2 * PAIRS_BETWEEN_LOOKS
    early = test.run(scores.take_first(whole.games - 2 * PAIRS_BETWEEN_LOOKS))
    assert early.verdict is SprtVerdict.UNDECIDED
    assert test.run(scores, early.games) == whole
    assert test.run(scores.take_first(early.games + 2), early.games).llr == early.llr


def test_what_comes_behind_a_decision_changes_nothing():
    scores = games(100.0, np.random.default_rng(7), 4000)
    test = SequentialTest(0, 50)
    evaluated = test.run(scores)
    assert evaluated.verdict is SprtVerdict.ACCEPTED
    assert evaluated.games < 4000
    assert evaluated.games % (2 * PAIRS_BETWEEN_LOOKS) == 0
    assert test.run(scores.take_first(evaluated.games)) == evaluated
    assert test.run(scores.take_first(evaluated.games - 2)).verdict is SprtVerdict.UNDECIDED


def test_a_smaller_error_rate_moves_the_bound_that_it_is_of():
    rejects, accepts = SequentialTest(0, 20, alpha=0.01, beta=0.2).llr_bounds
    assert (rejects, accepts) == pytest.approx((math.log(20 / 99), math.log(80)))


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
