"""Changed sums of hidden units, and the logits after them, against matrix products."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.kernels import kernel
from gammond.engine.kernels.row_sums import add_terms, write_logits_after_terms

HIDDEN = [1, 5, 15, 16, 17, 31, 32, 33, 64, 128]


@kernel
def _add_two(weights, rows, shares, sums, row, target):
    add_terms(weights, (rows[0], rows[1]), (shares[0], shares[1]), sums, row, target)


@kernel
def _add_four(weights, rows, shares, sums, row, target):
    inputs = (rows[0], rows[1], rows[2], rows[3])
    add_terms(weights, inputs, (shares[0], shares[1], shares[2], shares[3]), sums, row, target)


@kernel
def _logits_after_two(weights, rows, shares, sums, row, weights2, biases, logits, column):
    inputs, factors = (rows[0], rows[1]), (shares[0], shares[1])
    write_logits_after_terms(weights, inputs, factors, sums, row, weights2, biases, logits, column)


@kernel
def _logits_after_four(weights, rows, shares, sums, row, weights2, biases, logits, column):
    inputs, factors = (rows[0], rows[1], rows[2], rows[3]), (shares[0], shares[1], shares[2], shares[3])
    write_logits_after_terms(weights, inputs, factors, sums, row, weights2, biases, logits, column)


def _make(hidden):
    """A first layer, a change of four inputs, sums, and a second layer with its biases."""
    generator = np.random.default_rng(hidden)
    weights = generator.normal(size=(9, hidden)).astype(np.float32)
    shares = generator.normal(size=4).astype(np.float32)
    sums = generator.normal(size=(4, hidden)).astype(np.float32)
    weights2 = generator.normal(size=(5, hidden)).astype(np.float32)
    biases = generator.normal(size=5).astype(np.float32)
    return weights, np.array([8, 0, 3, 8]), shares, sums, weights2, biases


@pytest.mark.nojit
@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize(("add", "rows"), [(_add_two, 2), (_add_four, 4)])
def test_rows_times_their_shares_are_added_to_one_row_alone(hidden, add, rows):
    weights, places, shares, sums, _, _ = _make(hidden)
    before = sums.copy()
    add(weights, places, shares, sums, 1, 2)
    expected = before[1] + shares[:rows].astype(np.float64) @ weights[places[:rows]]
    np.testing.assert_allclose(sums[2], expected, rtol=0, atol=3e-6)
    assert np.array_equal(sums[[0, 1, 3]], before[[0, 1, 3]])


@pytest.mark.nojit
@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize(("write", "rows"), [(_logits_after_two, 2), (_logits_after_four, 4)])
def test_logits_are_those_of_the_changed_sums(hidden, write, rows):
    weights, places, shares, sums, weights2, biases = _make(hidden)
    before = sums.copy()
    logits = np.full((5, 3), 7.0, np.float32)
    write(weights, places, shares, sums, 3, weights2, biases, logits, 1)
    changed = before[3] + shares[:rows].astype(np.float64) @ weights[places[:rows]]
    np.testing.assert_allclose(logits[:, 1], weights2 @ np.maximum(changed, 0) + biases, rtol=0, atol=3e-5)
    assert (logits[:, [0, 2]] == 7.0).all()
    assert np.array_equal(sums, before)
