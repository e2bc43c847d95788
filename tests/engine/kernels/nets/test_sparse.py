"""The sparse layers and the fast sigmoid against matrix products and the exact function."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.kernels.nets import sparse as kernel_sparse
from gammond.engine.kernels.values import compute_equity
from gammond.nets.encoders import encode_tesauro196
from tests.nets.bare_nets import logits_of, random_net, sigmoid
from tests.support import boards


@pytest.mark.nojit
@pytest.mark.parametrize("hidden", [5, 16, 40])
def test_first_and_second_layer_equal_a_matrix_product(hidden):
    net = random_net(1, hidden)
    sample = boards.random_boards(30, seed=5)
    sums = np.empty((2, hidden), np.float32)
    rows, factors = np.empty(30, np.int64), np.empty(30, np.float32)
    logits = np.empty((5, len(sample)), np.float32)
    for i in range(len(sample)):
        kernel_sparse.compute_first_layer(sample, i, net, rows, factors, sums, 1)
        expected = encode_tesauro196(sample[i : i + 1])[0] @ net[0] + net[1]
        np.testing.assert_allclose(sums[1], expected, atol=5e-6)
        kernel_sparse.compute_second_layer(sums, 1, net[2], net[3], logits, i)
    np.testing.assert_allclose(logits.T, logits_of(net, sample), atol=2e-5)


@pytest.mark.nojit
def test_the_sigmoid_is_within_two_ten_millionths():
    x = np.concatenate([np.linspace(-100, 100, 4001), np.linspace(-1, 1, 1000)]).astype(np.float32)
    found = [float(kernel_sparse.sigmoid(value)) for value in x]
    np.testing.assert_allclose(found, sigmoid(x.astype(np.float64)), rtol=0, atol=2e-7)
    assert min(found) >= 0
    assert max(found) <= 1


@pytest.mark.nojit
def test_a_certain_logit_is_exactly_one_and_its_negative_zero():
    assert kernel_sparse.sigmoid(kernel_sparse.CERTAIN_LOGIT) == 1
    assert kernel_sparse.sigmoid(-kernel_sparse.CERTAIN_LOGIT) == 0


@pytest.mark.nojit
def test_equities_of_many_are_those_of_each_outcome():
    logits = np.random.default_rng(3).normal(0, 4, (5, 48)).astype(np.float32)
    equities = np.empty(48, np.float32)
    kernel_sparse.compute_equities(logits, 37, equities)
    values = np.empty((2, 5), np.float32)
    for i in range(37):
        kernel_sparse.compute_outcome(logits, i, values, 1)
        np.testing.assert_allclose(values[1], sigmoid(logits[:, i].astype(np.float64)), rtol=0, atol=2e-7)
        assert equities[i] == pytest.approx(compute_equity(values, 1), abs=1e-6)
