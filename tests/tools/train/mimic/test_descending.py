"""Backpropagation: it learns, and goes on as if it had never stopped."""

import msgspec
import numpy as np

from tests.tools.train.mimic.teaching import packed, random_player
from tools.train.mimic.descending import Descender
from tools.train.mimic.packing import agreements
from tools.train.mimic.settings import MimicSettings

SMALL = MimicSettings(method="backprop", epochs=6, batch=32)


def test_it_learns_an_expert_and_agrees_with_his_unseen_moves():
    teacher = random_player(3)
    learned, unseen = packed(1500, 1, teacher), packed(500, 11, teacher)
    descender = Descender(SMALL)
    every = np.arange(500)
    (before,) = agreements(unseen, [descender.net], "2", every, threads=1)
    losses = [descender.learn(learned, threads=1) for _ in range(SMALL.epochs)]
    (after,) = agreements(unseen, [descender.net], "2", every, threads=1)
    assert losses[-1] < losses[0] - 0.3
    assert after.first > before.first + 0.08
    assert after.fitness > before.fitness + 0.08


def test_it_goes_on_as_if_it_had_never_stopped_whatever_the_threads():
    learned = packed(200, 1)
    whole = Descender(SMALL)
    for _ in range(2):
        whole.learn(learned, threads=1)
    begun, rest = Descender(SMALL), Descender(SMALL)
    begun.learn(learned, threads=3)
    rest.go_on_from(begun.epoch, begun.arrays())
    rest.learn(learned, threads=2)
    np.testing.assert_array_equal(rest.net.weights, whole.net.weights)
    assert rest.epoch == 2


def test_the_rate_falls_to_nothing():
    learned = packed(64, 2)
    descender = Descender(msgspec.structs.replace(SMALL, epochs=40, batch=64))
    steps = []
    for _ in range(40):
        before = descender.net.weights
        descender.learn(learned, threads=1)
        steps.append(np.abs(descender.net.weights - before).max())
    assert steps[-1] < steps[0] / 50


def test_idle_lanes_stay_idle():
    descender = Descender(SMALL)
    descender.learn(packed(64, 3), threads=1)
    assert not descender.arrays()["weights"][:, 26:].any()
