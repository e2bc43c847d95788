"""Gradient descent of a phase net."""

import functools

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.nets.heritage.phase_features.net import PhaseNet, draw_weights
from gammond.nets.heritage.phase_features.players import PhaseHeuristicScorer
from gammond.tools.heritage.phase_features.report import compute_mean_squared_error
from gammond.tools.heritage.phase_features.trainer import INPUT_ENCODINGS, PhaseNetTrainer
from tests.support import boards

SAMPLE = boards.random_boards(500, seed=1)


@functools.cache
def targets():
    return PhaseHeuristicScorer().score_boards(SAMPLE)


def untrained(hidden=(6, 5)):
    return PhaseNet.untrained(np.random.default_rng(2), hidden)


def untrained_layers(kind, hidden=(6, 5)):
    return draw_weights(np.random.default_rng(2), kind.width, hidden)


def learn(descent, rate, times=1):
    for number in range(times):
        generator = np.random.default_rng([3, number])
        loss = descent.train_epoch(SAMPLE, targets(), 50, lambda share: rate, generator)
    return loss


def test_the_slopes_are_those_of_the_loss():
    """Adam's first step goes down each slope by the rate; a change of one weight by little shows its sign."""
    net = untrained()
    descent = PhaseNetTrainer(net.weights)
    descent.train_epoch(SAMPLE, targets(), len(SAMPLE), lambda share: 1e-3, np.random.default_rng(1))
    for name, before, after in zip(net.to_arrays(), net.weights, descent.net.weights, strict=True):
        place = np.unravel_index(np.argmax(np.abs(after - before)), before.shape)
        errors = []
        for change in (-1e-2, 1e-2):
            changed = before.copy()
            changed[place] += change
            moved = PhaseNet.from_arrays(net.to_arrays() | {name: changed})
            errors.append(compute_mean_squared_error(moved, SAMPLE, targets()))
        assert abs(after[place] - before[place]) == pytest.approx(1e-3, rel=0.05)
        assert np.sign(after[place] - before[place]) == -np.sign(errors[1] - errors[0])


def test_the_error_falls_and_the_reported_loss_is_the_mean_over_the_positions():
    descent = PhaseNetTrainer(untrained((64, 64)).weights)
    before = compute_mean_squared_error(descent.net, SAMPLE, targets())
    assert learn(descent, 1e-12) == pytest.approx(before, rel=1e-3)
    learn(descent, 1e-3, times=40)
    assert compute_mean_squared_error(descent.net, SAMPLE, targets()) < 0.01 * before


def test_the_net_that_it_began_with_and_the_nets_it_gave_stay_as_they_are():
    net = untrained()
    kept = [array.copy() for array in net.weights]
    descent = PhaseNetTrainer(net.weights)
    given = descent.net
    learn(descent, 1e-2)
    for one, other, before in zip(net.weights, given.weights, kept, strict=True):
        np.testing.assert_array_equal(one, before)
        np.testing.assert_array_equal(other, before)


@pytest.mark.parametrize(("own", "other"), [("gated", "plain"), ("gated", "counts"), ("counts", "gated")])
def test_the_state_of_a_net_that_sees_something_else_is_refused(own, other):
    descent = PhaseNetTrainer(untrained_layers(INPUT_ENCODINGS[own]), INPUT_ENCODINGS[own])
    with pytest.raises(DataFileError, match="on these inputs"):
        PhaseNetTrainer.resume(descent.net, INPUT_ENCODINGS[other], descent.state_dict())


@pytest.mark.parametrize("kind", INPUT_ENCODINGS.values(), ids=INPUT_ENCODINGS)
def test_the_net_outputs_what_its_layers_compute_from_their_own_inputs(kind):
    descent = PhaseNetTrainer(untrained_layers(kind), kind)
    learn(descent, 1e-3)
    layers = [descent.state_dict().get("inputs_w1", descent.net.weights.w1), *descent.net.weights[1:]]
    units = kind.encode(SAMPLE)
    for place in (0, 2):
        units = np.maximum(units @ layers[place] + layers[place + 1], 0)
    np.testing.assert_allclose(
        descent.net.score_boards(SAMPLE), units @ layers[4] + layers[5], rtol=1e-3, atol=1e-3
    )


@pytest.mark.parametrize("kind", [INPUT_ENCODINGS["gated"], INPUT_ENCODINGS["plain"]], ids=["gated", "plain"])
def test_what_it_sees_is_enough_to_learn_from(kind):
    descent = PhaseNetTrainer(untrained_layers(kind, (64, 64)), kind)
    before = compute_mean_squared_error(descent.net, SAMPLE, targets())
    learn(descent, 1e-3, times=40)
    assert compute_mean_squared_error(descent.net, SAMPLE, targets()) < 0.1 * before
