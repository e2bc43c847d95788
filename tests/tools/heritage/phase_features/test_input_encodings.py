"""Inputs of nets in training: gated or not, normalised or not, and the phase nets with the same outputs."""

import numpy as np
import pytest

from gammond.nets.heritage.phase_features.features import (
    FEATURE_MAXIMA,
    FEATURES,
    INPUTS,
    compute_phase_features,
    encode_gated_inputs,
)
from gammond.tools.heritage.phase_features.trainer import GATED, INPUT_ENCODINGS
from tests.support import boards

SAMPLE = boards.random_boards(300, seed=1)


def test_the_usual_inputs_are_those_of_the_phase_net():
    assert INPUT_ENCODINGS["gated"] is GATED
    np.testing.assert_array_equal(GATED.encode(SAMPLE), encode_gated_inputs(SAMPLE))


def test_plain_inputs_are_the_features_without_the_phase():
    np.testing.assert_array_equal(INPUT_ENCODINGS["plain"].encode(SAMPLE), compute_phase_features(SAMPLE)[0])


def test_counts_are_in_the_block_of_the_phase_and_whole():
    counts = INPUT_ENCODINGS["counts"].encode(SAMPLE)
    np.testing.assert_array_equal(counts, np.round(counts))
    np.testing.assert_allclose(counts / np.tile(FEATURE_MAXIMA, 3), encode_gated_inputs(SAMPLE), rtol=1e-6)
    assert counts.max() > 100


@pytest.mark.parametrize("name", INPUT_ENCODINGS)
def test_the_first_layer_of_the_phase_net_makes_of_gated_inputs_what_the_own_one_makes_of_its_inputs(name):
    kind = INPUT_ENCODINGS[name]
    assert kind.width == (FEATURES if name == "plain" else INPUTS)
    weights = np.random.default_rng(2).normal(size=(kind.width, 5)).astype(np.float32)
    made = encode_gated_inputs(SAMPLE) @ kind.to_phase_net_layer(weights)
    np.testing.assert_allclose(made, kind.encode(SAMPLE) @ weights, rtol=1e-3, atol=1e-3)
