"""Layered nets: their outputs, and growing them without changing these."""

import numpy as np
import pytest

from gammond.engine.errors import DataFileError, UnsupportedError, ValueRangeError
from gammond.nets.encoders import get_encoder
from gammond.tools.train.weights.layers import LayeredNet
from gammond.tools.train.weights.random_positions import sample_random_positions
from gammond.tools.train.weights.td_nets import make_untrained_td_net

BOARDS = sample_random_positions(300, seed=5)


def generator(seed: int = 1) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def outputs(net: LayeredNet) -> np.ndarray:
    return net.forward(get_encoder(net.encoder_id).encode(BOARDS))


@pytest.mark.parametrize("encoder_id", ["tesauro196", "expert248"])
def test_a_net_of_self_play_has_the_same_outputs_in_layers_whatever_further_inputs_it_reads(encoder_id):
    network = make_untrained_td_net(12, generator())
    net = network.copy(is_contiguous=True).with_encoder(encoder_id)
    assert (net.inputs, net.hidden) == (get_encoder(encoder_id).inputs, (12,))
    expected = network.forward(get_encoder("tesauro196").encode(BOARDS))
    np.testing.assert_allclose(outputs(net), expected, atol=1e-6)


@pytest.mark.parametrize("hidden", [(9,), (20,), (9, 9), (9, 30), (16, 12, 9), (24, 24, 24)])
def test_a_net_grows_wider_and_deeper_without_changing_its_outputs(hidden):
    net = LayeredNet.make_untrained("tesauro196", (9,), generator())
    grown = net.expand("expert248", hidden, generator(2))
    assert grown.hidden == hidden
    np.testing.assert_allclose(outputs(grown), outputs(net), atol=1e-6)


def test_added_units_see_their_inputs_and_count_nothing_yet():
    grown = LayeredNet.make_untrained("tesauro196", (6, 5), generator()).widen((8, 7), generator(2))
    assert (np.abs(grown.layers[0][0][:, 6:]).sum(axis=0) > 0).all()
    assert (np.abs(grown.layers[1][0][:, 5:]).sum(axis=0) > 0).all()
    assert (grown.layers[1][0][6:, :5] == 0).all()
    assert (grown.layers[2][0][5:] == 0).all()


@pytest.mark.parametrize("hidden", [(8,), (9, 8), ()])
def test_a_net_cannot_shrink(hidden):
    with pytest.raises(ValueRangeError, match="expected hidden layers at least as wide"):
        LayeredNet.make_untrained("tesauro196", (9,), generator()).expand("tesauro196", hidden, generator())


def test_a_net_cannot_read_inputs_of_which_its_own_are_not_the_first():
    with pytest.raises(
        UnsupportedError, match="expected an encoder that begins with the inputs of tesauro196"
    ):
        LayeredNet.make_untrained("tesauro196", (9,), generator()).with_encoder("wildbg202")


@pytest.mark.parametrize("hidden", [(), (0,), (8, -1)])
def test_a_net_has_hidden_layers_that_have_units(hidden):
    with pytest.raises(ValueRangeError, match="expected one hidden layer or more"):
        LayeredNet.make_untrained("tesauro196", hidden, generator())


def test_an_untrained_net_begins_with_even_chances_and_few_backgammons():
    win, win_g, win_bg, lose_g, lose_bg = outputs(
        LayeredNet.make_untrained("tesauro196", (64, 32), generator())
    ).mean(axis=0)
    assert 0.3 < win < 0.7
    assert 0.1 < win_g < 0.45
    assert 0.1 < lose_g < 0.45
    assert max(win_bg, lose_bg) < 0.1


def test_a_net_comes_back_from_its_arrays():
    net = LayeredNet.make_untrained("expert248", (7, 6), generator())
    back = LayeredNet.from_arrays("race", net.to_arrays("race"))
    assert (back.encoder_id, back.hidden, back.digest) == ("expert248", (7, 6), net.digest)


def test_nets_of_other_weights_have_other_digests():
    net = LayeredNet.make_untrained("tesauro196", (7,), generator())
    assert net.digest == LayeredNet.make_untrained("tesauro196", (7,), generator()).digest
    assert net.digest != LayeredNet.make_untrained("tesauro196", (7,), generator(2)).digest


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"contact_w1": None}, "no contact_w1|shapes"),
        ({"contact_b0": None}, "expected an array contact_b0, got none"),
        ({"contact_encoder": None}, "expected an array contact_encoder, got none"),
        ({"contact_encoder": np.array("unheard-of")}, "expected an encoder"),
        ({"contact_b0": np.zeros(9, np.float32)}, "shapes"),
        ({"contact_b0": np.float32(0)}, "two dimensions"),
        ({"contact_b1": np.zeros(5)}, "float32"),
    ],
)
def test_arrays_that_make_no_net_are_refused(changes, message):
    arrays = LayeredNet.make_untrained("tesauro196", (8,), generator()).to_arrays("contact")
    for name, array in changes.items():
        arrays.pop(name) if array is None else arrays.update({name: array})
    with pytest.raises(DataFileError, match=message):
        LayeredNet.from_arrays("contact", arrays)
