"""Nets in fitting side by side: each learns from its own positions, and goes on from a state."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from nets.plans import PLANS, plans_of
from tools.train.epochs import error_of
from tools.train.fits import Fits
from tools.train.layers import LayeredNet
from tools.train.net_set import NetSet
from tools.train.positions import sample_positions
from tools.train.recipe import Recipe
from tools.train.shards import Labels

pytestmark = pytest.mark.training


def net(hidden: int = 8, seed: int = 1) -> LayeredNet:
    return LayeredNet.untrained("tesauro196", [hidden], np.random.default_rng(seed))


def start() -> NetSet:
    return NetSet("start", {**{plan: net() for plan in PLANS}, "race": net(4)})


def labels(count: int = 400) -> Labels:
    """Positions whose label tells their plan, so that each net has something of its own to learn."""
    boards = sample_positions(count, seed=3)
    targets = np.zeros((count, 5), np.float32)
    targets[:, 0] = 0.2 + 0.2 * plans_of(boards)
    return Labels(boards, targets, np.zeros(count, np.uint8), ("selfplay",))


def fits(nets: NetSet, state=None, phase: str = "contact") -> Fits:
    return Fits(nets, phase, partial(Recipe().fitter, "cpu", 1), state)


def learn(some: Fits, seed: int = 1, steps: int = 60) -> float:
    return some.learn(labels(), steps, 32, lambda share: 1e-2, np.random.default_rng(seed))


def test_each_plan_learns_its_own_positions():
    some = fits(start())
    before, _ = some.errors(labels())
    assert learn(some) < before.loss
    learned = some.averaged("learned")
    assert learned.nets["race"] is not None
    for place, plan in enumerate(PLANS):
        own = labels().rows(plans_of(labels().boards) == place)
        assert error_of(learned.nets[plan], own).loss < 0.5 * error_of(net(), own).loss
    assert len({each.digest for each in learned.nets.values()}) == len(PLANS) + 1
    np.testing.assert_array_equal(learned.nets["race"].layers[0][0], net(4).layers[0][0])


def test_the_error_of_all_is_that_over_all_positions():
    nets = NetSet("start", {**{plan: net(seed=n) for n, plan in enumerate(PLANS)}, "race": net(4)})
    whole, _ = fits(nets).errors(labels())
    parts = [(plan, labels().rows(plans_of(labels().boards) == n)) for n, plan in enumerate(PLANS)]
    losses = [len(own) * error_of(nets.nets[plan], own).loss for plan, own in parts]
    squares = [len(own) * error_of(nets.nets[plan], own).equity ** 2 for plan, own in parts if len(own)]
    assert whole.loss == pytest.approx(sum(losses) / 400)
    assert whole.equity == pytest.approx((sum(squares) / 400) ** 0.5)


def test_they_go_on_from_their_state_to_the_same_nets():
    whole = fits(start())
    learn(whole, seed=1)
    resumed = fits(whole.averaged("resumed"), state=whole.state())
    for each in (whole, resumed):
        learn(each, seed=2)
    assert whole.averaged("a").digest == resumed.averaged("a").digest


def test_steps_are_told_to_the_end_and_shared_as_the_labels_are():
    told = []
    fits(start()).learn(
        labels(), 40, 32, lambda share: 1e-3, np.random.default_rng(1), lambda step, loss: told.append(step)
    )
    assert told == list(range(1, len(told) + 1))
    assert 40 <= len(told) < 40 + len(PLANS)


def test_contact_is_split_into_plans_that_begin_as_one_net(tmp_path):
    one = NetSet("one", {"contact": net(), "race": net(4)})
    one.save(tmp_path / "one.npz")
    settings = Recipe(parent=str(tmp_path / "one.npz"), split="plans", hidden=(12,))
    nets = settings.first_nets("split").nets
    assert set(nets) == {*PLANS, "race"}
    inputs = np.random.default_rng(1).random((20, 196), np.float32)
    for plan in PLANS:
        assert nets[plan].hidden == (12,)
        np.testing.assert_allclose(nets[plan].outputs(inputs), net().outputs(inputs), atol=1e-6)
