"""Backpropagation: it learns, and goes on as if it had never stopped."""

import msgspec
import numpy as np
import pytest

from gammond.tools.heritage.gengammon.agreement import measure_agreements
from gammond.tools.heritage.gengammon.backprop import BackpropLearner
from gammond.tools.heritage.gengammon.settings import MimicSettings
from tests.tools.heritage.gengammon.teaching import packed, random_player

SMALL = MimicSettings(method="backprop", epochs=6, batch=32)


@pytest.mark.slow
def test_it_learns_an_expert_and_agrees_with_his_unseen_moves():
    teacher = random_player(3)
    learned, unseen = packed(1500, 1, teacher), packed(500, 11, teacher)
    descender = BackpropLearner(SMALL)
    every = np.arange(500)
    (before,) = measure_agreements(unseen, [descender.net], "2", every, threads=1)
    losses = [descender.train_epoch(learned, threads=1) for _ in range(SMALL.epochs)]
    (after,) = measure_agreements(unseen, [descender.net], "2", every, threads=1)
    assert losses[-1] < losses[0] - 0.3
    assert after.ranked_first > before.ranked_first + 0.08
    assert after.fitness > before.fitness + 0.08


@pytest.mark.slow
def test_the_rate_falls_to_nothing():
    learned = packed(64, 2)
    descender = BackpropLearner(msgspec.structs.replace(SMALL, epochs=40, batch=64))
    steps = []
    for _ in range(40):
        before = descender.net.weights
        descender.train_epoch(learned, threads=1)
        steps.append(np.abs(descender.net.weights - before).max())
    assert steps[-1] < steps[0] / 50


def test_idle_lanes_stay_idle():
    descender = BackpropLearner(SMALL)
    descender.train_epoch(packed(64, 3), threads=1)
    assert not descender.state_dict()["weights"][:, 26:].any()
