"""The sparse first layer and the judge of children against matrix products."""

from __future__ import annotations

import numpy as np
import pytest

from engine.moves import expand_rolls
from engine.position import Phase, phases
from nets.encoders import encode_tesauro196
from nets.kernels import sparse as kernel_sparse
from tests import boards


def random_net(seed, hidden):
    generator = np.random.default_rng(seed)
    shapes = (196, hidden), (hidden,), (5, hidden), (5,)
    return tuple(generator.normal(0, 0.3, shape).astype(np.float32) for shape in shapes)


CONTACT, RACE = random_net(1, 16), random_net(2, 8)


def outputs(net, sample):
    w1, b1, w2, b2 = net
    hidden = np.maximum(encode_tesauro196(sample) @ w1 + b1, 0)
    return 1 / (1 + np.exp(-(hidden @ w2.T + b2)))


@pytest.mark.nojit
def test_first_and_second_layer_equal_a_matrix_product():
    sample = boards.random_boards(60, seed=5)
    expected = outputs(CONTACT, sample)
    hidden = np.empty(16, np.float32)
    rows, factors = np.empty(30, np.int64), np.empty(30, np.float32)
    values = np.empty((1, 5), np.float32)
    for i in range(len(sample)):
        kernel_sparse.first_layer(sample, i, CONTACT, rows, factors, hidden)
        kernel_sparse.second_layer(hidden, CONTACT, values, 0)
        np.testing.assert_allclose(values[0], expected[i], atol=2e-6)


@pytest.mark.nojit
def test_the_chosen_child_is_the_one_with_the_least_equity():
    sample = boards.random_boards(120, seed=6)
    sample = sample[phases(sample) != Phase.OVER]
    dice = boards.random_rolls(len(sample), seed=7)
    children, moves, offsets = expand_rolls(sample, dice)
    values = outputs(CONTACT, children)
    race = phases(children) == Phase.RACE
    values[race] = outputs(RACE, children[race])
    equity = 2 * values[:, 0] - 1 + values[:, 1] + values[:, 2] - values[:, 3] - values[:, 4]
    checked = 0
    for i in range(len(sample)):
        part = slice(offsets[i], offsets[i + 1])
        if (phases(children[part]) == Phase.OVER).any():
            continue
        found = np.empty((2, 5), np.float32)
        judged = np.empty(offsets[i + 1] - offsets[i], np.float32)
        best = kernel_sparse.judge_children(
            sample, i, children[part], moves[part], len(judged), CONTACT, RACE, judged, found
        )
        np.testing.assert_allclose(judged, equity[part], atol=3e-6)
        assert equity[part][best] == pytest.approx(equity[part].min(), abs=3e-6)
        np.testing.assert_allclose(found[1], values[part][best], atol=2e-6)
        checked += 1
    assert checked > 100
