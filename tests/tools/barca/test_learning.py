"""``gammond train barca-ascend`` and ``barca-fit``."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.formats.array_file import read_array_file
from gammond.tools import cli
from gammond.tools.barca.fit import VectorSamples, fit_vector
from gammond.tools.barca.weights import SPACE


def test_a_fit_finds_the_weights_that_made_the_results():
    generator = np.random.default_rng(1)
    conditions = generator.integers(-3, 4, (20_000, len(SPACE.names))).astype(np.int16)
    true = SPACE.start / 60.0
    chances = 1.0 / (1.0 + np.exp(-conditions @ true))
    results = (generator.random(len(chances)) < chances).astype(np.float32)
    found = fit_vector(VectorSamples(conditions, results))
    assert found[2] - found[0] == pytest.approx(120.0)
    assert np.abs(found - SPACE.start).max() < 8.0


@pytest.mark.slow
def test_a_fit_beats_the_vector_by_hand(tmp_path):
    options = ["--generations", "1", "--games", "1000", "--reference-games", "400"]
    assert cli.main(["train", "barca-fit", str(tmp_path / "run"), *options]) == 0
    best = read_array_file(tmp_path / "run" / "best.npz")
    assert best["ppg"] > 2 * best["ppg_error"] > 0.0
