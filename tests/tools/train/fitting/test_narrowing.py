"""Nets without the hidden units that count least."""

import numpy as np
import pytest

from gammond.engine.errors import ValueRangeError
from gammond.nets.encoders import get_encoder
from gammond.tools.train.fitting.recipe import narrow_nets
from gammond.tools.train.weights.layers import LayeredNet
from gammond.tools.train.weights.random_positions import sample_random_positions


def _make_nets(hidden=(24, 16)):
    nets = {
        key: LayeredNet.make_untrained("tesauro196", hidden, np.random.default_rng(seed))
        for seed, key in enumerate("ab")
    }
    for net in nets.values():
        net.layers[1][0][:] = np.random.default_rng(7).normal(size=net.layers[1][0].shape)
    return nets


def _outputs(net):
    return net.forward(get_encoder(net.encoder_id).encode(sample_random_positions(200, seed=3)))


def test_nets_that_are_narrow_enough_stay_as_they_are():
    nets = _make_nets()
    for hidden in ((), (24, 16), (30, 40)):
        assert narrow_nets(nets, hidden) == nets


def test_units_that_count_nothing_are_left_out_and_the_outputs_stay():
    nets = _make_nets()
    for net in nets.values():
        net.layers[1][0][::3] = 0.0
    narrow = narrow_nets(nets, (16, 16))
    for key, net in nets.items():
        assert narrow[key].hidden == (16, 16)
        kept = np.arange(24) % 3 > 0
        np.testing.assert_array_equal(narrow[key].layers[0][0], net.layers[0][0][:, kept])
        np.testing.assert_allclose(_outputs(narrow[key]), _outputs(net), atol=1e-6)


def test_a_unit_that_is_the_same_everywhere_goes_into_the_biases():
    nets = _make_nets()
    for net in nets.values():
        net.layers[0][0][:, 5], net.layers[0][1][5] = 0.0, 2.0
    narrow = narrow_nets(nets, (23, 16))
    for key, net in nets.items():
        np.testing.assert_allclose(_outputs(narrow[key]), _outputs(net), atol=1e-6)


def test_a_unit_stays_in_all_nets_if_it_counts_much_in_one():
    nets = _make_nets()
    for net in nets.values():
        net.layers[1][0][4] = 0.0
    nets["b"].layers[1][0][4] = 50.0
    narrow = narrow_nets(nets, (8, 16))
    for key, net in nets.items():
        columns = net.layers[0][0][:, 4][:, None] == narrow[key].layers[0][0]
        assert columns.all(axis=0).any()


@pytest.mark.parametrize("hidden", [(24, 8), (12, 8)])
def test_layers_behind_the_first_are_narrowed_too(hidden):
    for net in narrow_nets(_make_nets(), hidden).values():
        assert net.hidden == hidden


def test_nets_of_different_layers_are_not_narrowed():
    nets = {"a": _make_nets()["a"], "b": _make_nets((24, 20))["b"]}
    assert narrow_nets(nets, (30, 30)) == nets
    with pytest.raises(ValueRangeError, match="expected nets with the same hidden layers"):
        narrow_nets(nets, (24, 8))
