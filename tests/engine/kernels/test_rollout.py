import numpy as np
import pytest

from engine.kernels.rollout import average_over_rolls
from engine.rules.dice import ROLL_WEIGHTS


@pytest.mark.nojit
def test_means_are_weighted_sums_over_the_rolls_of_each_position():
    values = np.random.default_rng(1).random((3 * 21, 5))
    means = np.empty((3, 5))
    average_over_rolls(values, ROLL_WEIGHTS, means)
    for position in range(3):
        rows = values[21 * position : 21 * position + 21]
        for column in range(5):
            expected = sum(weight * row[column] for weight, row in zip(ROLL_WEIGHTS, rows, strict=True))
            assert means[position, column] == pytest.approx(expected, abs=1e-14)
