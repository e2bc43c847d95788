"""Nets in fitting side by side: each learns from its own positions, and goes on from a state."""

import numpy as np
import pytest

from gammond.nets.manifest import CONTACT_CLASSES
from gammond.nets.router import classify_contact
from gammond.tools.common.files import write_arrays
from gammond.tools.train.fitting.net_set_fitter import NetSetFitter, compute_fit_metrics
from gammond.tools.train.fitting.recipe import Recipe
from gammond.tools.train.labels.shards import Labels
from gammond.tools.train.weights.layers import LayeredNet
from gammond.tools.train.weights.net_set import NetSet
from gammond.tools.train.weights.random_positions import sample_random_positions

pytestmark = pytest.mark.training


def net(hidden: int = 8, seed: int = 1) -> LayeredNet:
    return LayeredNet.make_untrained("tesauro196", [hidden], np.random.default_rng(seed))


def start() -> NetSet:
    return NetSet("start", {**{plan: net() for plan in CONTACT_CLASSES}, "race": net(4)})


def labels(count: int = 400) -> Labels:
    """Positions with labels by contact class, so that each net has something of its own to learn."""
    boards = sample_random_positions(count, seed=3)
    targets = np.zeros((count, 5), np.float32)
    targets[:, 0] = 0.2 + 0.2 * classify_contact(boards)
    return Labels(boards, targets, np.zeros(count, np.uint8), ("selfplay",))


def fits(nets: NetSet, state=None) -> NetSetFitter:
    return NetSetFitter(nets, Recipe(batch=32, rate=1e-2, final_rate=1e-2), "cpu", 1, state)


def learn(some: NetSetFitter, done: int = 1, steps: int = 90) -> float:
    return some.train(labels(), steps, done, 4)


def test_each_plan_learns_its_own_positions():
    some = fits(start())
    before, _ = some.compute_metrics(labels())
    assert learn(some) < before.loss
    learned = some.make_averaged("learned")
    assert learned.nets["race"] is not None
    for place, plan in enumerate(CONTACT_CLASSES):
        own = labels().select(classify_contact(labels().boards) == place)
        assert compute_fit_metrics(learned.nets[plan], own).loss < 0.5 * compute_fit_metrics(net(), own).loss
    assert len({each.digest for each in learned.nets.values()}) == len(CONTACT_CLASSES) + 1
    np.testing.assert_array_equal(learned.nets["race"].layers[0][0], net(4).layers[0][0])


def test_the_error_of_all_is_that_over_all_positions():
    nets = NetSet("start", {**{plan: net(seed=n) for n, plan in enumerate(CONTACT_CLASSES)}, "race": net(4)})
    whole, _ = fits(nets).compute_metrics(labels())
    parts = [
        (plan, labels().select(classify_contact(labels().boards) == n))
        for n, plan in enumerate(CONTACT_CLASSES)
    ]
    losses = [len(own) * compute_fit_metrics(nets.nets[plan], own).loss for plan, own in parts]
    squares = [
        len(own) * compute_fit_metrics(nets.nets[plan], own).equity_rmse ** 2
        for plan, own in parts
        if len(own)
    ]
    assert whole.loss == pytest.approx(sum(losses) / 400)
    assert whole.equity_rmse == pytest.approx((sum(squares) / 400) ** 0.5)


def test_nets_that_begin_with_the_same_rows_of_patterns_share_them_to_the_end():
    parts = {
        plan: net(seed=number).with_encoder("patterns285") for number, plan in enumerate(CONTACT_CLASSES)
    }
    whole = fits(NetSet("start", {**parts, "race": net(4)}))
    learn(whole, done=1)
    resumed = fits(whole.make_averaged("resumed"), state=whole.state_dict())
    for each in (whole, resumed):
        learn(each, done=2)
    first, *others = [whole.make_averaged("a").nets[plan] for plan in CONTACT_CLASSES]
    assert np.abs(first.layers[0][0][248:]).max() > 0
    for other in others:
        assert other.has_patterns_of(first)
        assert np.abs(other.layers[0][0][:248] - first.layers[0][0][:248]).max() > 0
    assert whole.make_averaged("a").digest == resumed.make_averaged("a").digest


def test_steps_are_reported_to_the_end_and_shared_as_the_labels_are():
    reported = []
    fits(start()).train(labels(), 40, 0, 1, lambda step, loss: reported.append(step))
    assert reported == list(range(1, len(reported) + 1))
    assert 40 <= len(reported) < 40 + len(CONTACT_CLASSES)


def test_nets_narrower_than_the_parents_begin_without_some_of_its_units(tmp_path):
    write_arrays(tmp_path / "one.npz", NetSet("one", {"contact": net(), "race": net(4)}).to_arrays())
    nets = Recipe(parent=str(tmp_path / "one.npz"), hidden=(5,)).make_initial_nets("narrow").nets
    assert nets["contact"].hidden == (5,)
    columns = nets["contact"].layers[0][0].T.tolist()
    assert all(column in net().layers[0][0].T.tolist() for column in columns)


def test_contact_is_split_into_plans_that_begin_as_one_net(tmp_path):
    one = NetSet("one", {"contact": net(), "race": net(4)})
    write_arrays(tmp_path / "one.npz", one.to_arrays())
    settings = Recipe(parent=str(tmp_path / "one.npz"), split="plans", hidden=(12,))
    nets = settings.make_initial_nets("split").nets
    assert set(nets) == {*CONTACT_CLASSES, "race"}
    inputs = np.random.default_rng(1).random((20, 196), np.float32)
    for plan in CONTACT_CLASSES:
        assert nets[plan].hidden == (12,)
        np.testing.assert_allclose(nets[plan].forward(inputs), net().forward(inputs), atol=1e-6)
