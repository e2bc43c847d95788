"""The likelihood of a mean, against a search over all distributions of two and three results."""

import numpy as np
import pytest

from gammond.tools.tournament.statistics.likelihood import (
    UNSEEN_COUNT,
    compute_likelihood_loss,
    find_likely_means,
)


def search_loss(counts, values, mean):
    """Try the chances of the middle one of three results; those of the others follow from the mean."""
    low, middle, _ = values
    spread = values[2] - low
    chance = np.linspace(0, 1, 200_001)[1:-1]
    above = (mean - low - chance * (middle - low)) / spread
    chances = np.stack([1 - chance - above, chance, above])
    chances = chances[:, (chances > 0).all(axis=0)]
    shares = counts / counts.sum()
    return (counts * np.log(shares)).sum() - (counts @ np.log(chances)).max()


@pytest.mark.parametrize("counts", [(5, 90, 5), (1, 30, 69), (40, 1, 2), (200, 500, 300)])
@pytest.mark.parametrize("mean", [0.45, 0.5, 0.52])
def test_it_is_what_the_likeliest_chances_with_that_mean_lose(counts, mean):
    counts, values = np.array(counts, float), np.array([0.0, 0.5, 1.0])
    found = compute_likelihood_loss(counts, values, np.array([0.0, 1.0]), mean)
    assert float(found) == pytest.approx(search_loss(counts, values, mean), rel=1e-3, abs=1e-3)


def test_the_mean_of_the_results_loses_nothing():
    counts, values = np.array([3, 4, 1]), np.array([-2.0, 0.5, 4.0])
    mean = float(counts @ values / counts.sum())
    found = compute_likelihood_loss(counts, values, np.array([-4.0, 4.0]), mean)
    assert float(found) == pytest.approx(0.0, abs=1e-3)


def test_a_mean_beyond_all_results_is_unlikely_and_not_impossible():
    split, extremes = np.array([0.5]), np.array([0.0, 1.0])
    found = float(compute_likelihood_loss(np.array([50]), split, extremes, 0.51))
    unseen = UNSEEN_COUNT * (np.log(50 / UNSEEN_COUNT) + np.log(0.02))
    assert found == pytest.approx(-50 * np.log(1 - 0.02) + unseen, abs=0.05)


@pytest.mark.parametrize("counts", [(3, 4, 1), (0, 9, 0), (0, 0, 5), (400, 1, 0)])
def test_the_farthest_means_lose_what_is_allowed_and_those_beyond_more(counts):
    counts, values, extremes = np.array(counts), np.array([-2.0, 0.5, 4.0]), (-2.0, 4.0)
    mean = float(counts @ values / counts.sum())
    for end, extreme in zip(find_likely_means(counts, values, extremes, 1.5), extremes, strict=True):
        if mean == extreme:
            assert end == mean
        else:
            found = compute_likelihood_loss(counts, values, np.array(extremes), end)
            assert float(found) == pytest.approx(1.5, abs=1e-6)
            assert abs(extreme - end) < abs(extreme - mean)


def test_many_rows_are_what_each_is_alone():
    generator = np.random.default_rng(2)
    counts, values = generator.integers(0, 9, (4, 6)), np.linspace(-3, 3, 6)
    extremes = np.array([[-3.0, 3.0], [-4.0, 4.0], [-5.0, 5.0], [-3.0, 6.0]])
    together = compute_likelihood_loss(counts, values, extremes, 0.2)
    for row in range(4):
        alone = compute_likelihood_loss(counts[row], values, extremes[row], 0.2)
        assert float(alone) == pytest.approx(together[row])
