"""The fitness functions of the GenGammon project: its worked examples, and the cases it leaves open."""

import numpy as np
import pytest

from gammond.tools.heritage.gengammon.agreement import (
    FITNESSES,
    compute_ranked_first,
    fitness_by_rank,
    fitness_by_rank_and_distance,
    fitness_by_rank_and_nearness,
    fitness_by_rating,
)
from tests.tools.heritage.gengammon.teaching import rank_by_ratings

ALL = sorted(FITNESSES)


def placed(*tests):
    """Each test is the ratings of its plays, the expert's first."""
    counts = [len(each) for each in tests]
    offsets = np.cumsum([0, *counts])
    return rank_by_ratings(
        np.concatenate([np.array(each, np.float32) for each in tests]), offsets, offsets[:-1]
    )


def of_sixteen(expert, above, highest, lowest=0.0):
    """Ratings of sixteen plays: the expert's, so many above it up to the highest, all others lower."""
    higher = [highest - step * (highest - expert) / (above + 1) for step in range(above)]
    lower = np.linspace(lowest, expert, 16 - above, endpoint=False)[: 15 - above]
    return [expert, *higher, *lower]


def test_version_1_gives_the_example_of_the_document():
    ratings = [990.0, 1000.0, 0.0, *range(991, 1000), 991.5, 992.5, 993.5, 994.5]
    assert len(ratings) == 16
    assert fitness_by_rating(placed(ratings)) == pytest.approx([0.99])
    assert fitness_by_rank(placed(ratings)) == pytest.approx([1 / 15])


@pytest.mark.parametrize(("rank", "said"), [(3, 0.8666), (2, 0.9333)])
def test_version_2_gives_the_examples_of_the_document(rank, said):
    found = fitness_by_rank(placed(of_sixteen(100.0, rank - 1, 120.0)))
    assert found == pytest.approx([(16 - rank) / 15])
    assert np.floor(found * 10000) / 10000 == pytest.approx([said])


def test_version_3_gives_the_example_of_the_document():
    found = fitness_by_rank_and_distance(placed(of_sixteen(100.0, 2, 120.0)))
    assert found == pytest.approx([13 / 15 + (120 - 100) / (16 * 120)])
    assert 0.8666 <= found[0] < 0.9333


@pytest.mark.parametrize("version", ALL)
def test_first_is_1_and_last_is_0_but_for_the_distance_of_version_3(version):
    first, last = FITNESSES[version](placed([3.0, 1.0, 2.0], [1.0, 2.0, 3.0]))
    assert first == 1.0
    assert last == pytest.approx(2 / 3 / 3 if version == "3" else 0.0)


@pytest.mark.parametrize("version", ALL)
def test_where_there_is_one_play_it_agrees(version):
    assert FITNESSES[version](placed([-2.0], [0.0], [4.0])).tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("version", ALL)
def test_an_evaluator_that_rates_everything_the_same_gets_half(version):
    assert FITNESSES[version](placed([2.0] * 5, [0.0] * 2)) == pytest.approx([0.5, 0.5])


def test_ties_count_as_the_mean_of_their_ranks_by_lot():
    found = placed([2.0, 3.0, 2.0, 2.0, 1.0])
    assert (found.candidates, found.above, found.equal) == ([5], [1], [2])
    assert fitness_by_rank(found) == pytest.approx([np.mean([(5 - rank) / 4 for rank in (2, 3, 4)])])


def test_ties_for_the_first_place_share_it():
    assert compute_ranked_first(placed([2.0, 2.0, 1.0], [2.0, 3.0, 2.0], [2.0, 1.0])).tolist() == [
        0.5,
        0.0,
        1.0,
    ]


@pytest.mark.parametrize("version", ["3", "3-nearness"])
def test_no_second_score_of_version_3_reaches_the_next_rank(version):
    rng = np.random.default_rng(3)
    counts = rng.integers(1, 30, 4000)
    offsets = np.cumsum([0, *counts])
    ratings = (rng.normal(size=(3, offsets[-1])) * 10.0 ** rng.integers(-3, 4, (3, 1))).astype(np.float32)
    ratings[1] -= 5.0
    ratings[2] = np.round(ratings[2])
    found = rank_by_ratings(ratings, offsets, offsets[:-1] + rng.integers(0, counts))
    second = FITNESSES[version](found) - fitness_by_rank(found)
    assert (second >= 0).all()
    assert (second[:, counts > 1] < 1 / (counts[counts > 1] - 1)).all()
    assert (second[found.above == 0] == 0).all()


def test_version_3_prefers_the_farther_of_two_and_nearness_the_nearer():
    near, far = placed(of_sixteen(110.0, 2, 120.0)), placed(of_sixteen(60.0, 2, 120.0))
    assert fitness_by_rank_and_distance(near)[0] < fitness_by_rank_and_distance(far)[0]
    assert fitness_by_rank_and_nearness(near)[0] > fitness_by_rank_and_nearness(far)[0]


def test_a_highest_rating_that_is_not_positive_is_allowed():
    found = fitness_by_rank_and_distance(placed([-3.0, -2.0], [-1.0, 0.0], [-9.0, -2.0]))
    assert found == pytest.approx([0.5 / 2, 1.0 / 2, 1.0 / 2])


def test_many_evaluators_are_placed_at_once_as_one_by_one():
    rng = np.random.default_rng(1)
    offsets = np.array([0, 3, 4, 9])
    chosen = np.array([1, 3, 8])
    ratings = rng.integers(0, 4, (6, 9)).astype(np.float32)
    together = rank_by_ratings(ratings, offsets, chosen)
    for at, own in enumerate(ratings):
        alone = rank_by_ratings(own, offsets, chosen)
        for version in ALL:
            assert FITNESSES[version](together)[at].tolist() == FITNESSES[version](alone).tolist()
        slow = [
            [int((own[a:b] > own[c]).sum()), int((own[a:b] == own[c]).sum()) - 1]
            for a, b, c in zip(offsets[:-1], offsets[1:], chosen, strict=True)
        ]
        assert np.stack([alone.above, alone.equal], axis=1).tolist() == slow
