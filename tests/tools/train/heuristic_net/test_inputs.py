"""What nets in training see: gated or not, normalised or not, and the phase nets that say the same."""

import numpy as np
import pytest

from nets.phase_features import FEATURES, INPUTS, MAXIMA, gated_inputs, phase_features
from tests import boards
from tools.train.heuristic_net.inputs import GATED, KINDS

SAMPLE = boards.random_boards(300, seed=1)


def test_the_usual_inputs_are_those_of_the_phase_net():
    assert KINDS["gated"] is GATED
    np.testing.assert_array_equal(GATED.encoded(SAMPLE), gated_inputs(SAMPLE))


def test_plain_inputs_are_the_features_without_the_phase():
    np.testing.assert_array_equal(KINDS["plain"].encoded(SAMPLE), phase_features(SAMPLE)[0])


def test_counts_are_in_the_block_of_the_phase_and_whole():
    counts = KINDS["counts"].encoded(SAMPLE)
    np.testing.assert_array_equal(counts, np.round(counts))
    np.testing.assert_allclose(counts / np.tile(MAXIMA, 3), gated_inputs(SAMPLE), rtol=1e-6)
    assert counts.max() > 100


@pytest.mark.parametrize("name", KINDS)
def test_the_first_layer_of_the_phase_net_makes_of_gated_inputs_what_the_own_one_makes_of_its_inputs(name):
    kind = KINDS[name]
    assert kind.width == (FEATURES if name == "plain" else INPUTS)
    weights = np.random.default_rng(2).normal(size=(kind.width, 5)).astype(np.float32)
    made = gated_inputs(SAMPLE) @ kind.first_layer(weights)
    np.testing.assert_allclose(made, kind.encoded(SAMPLE) @ weights, rtol=1e-3, atol=1e-3)
