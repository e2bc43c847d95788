"""Packed nets against matrix products, alone and among others."""

import itertools

import numpy as np
import pytest

from gammond.engine.kernels.interrupts import NO_QUESTION
from gammond.engine.kernels.nets import patterns as kernel_patterns
from gammond.engine.kernels.nets import routing as kernel_routing
from gammond.engine.kernels.nets import sparse as kernel_sparse
from gammond.nets.compiled_net import CompiledNet, pack_nets
from gammond.nets.encoders import get_encoder
from gammond.nets.onnx_layers import AddedRows, Layer
from tests.nets.bare_nets import sigmoid
from tests.support import boards


def random_compiled_net(encoder_id, hidden, seed=0, activation="Relu"):
    """Make a net with random weights, and no runtime."""
    generator = np.random.default_rng(seed)
    encoder = get_encoder(encoder_id)
    sizes = list(itertools.pairwise((encoder.values, *hidden, 5)))
    layers = [
        Layer(
            (generator.normal(size=(inputs, units)) / np.sqrt(min(inputs, 200))).astype(np.float32),
            generator.normal(0, 0.1, units).astype(np.float32),
            "Sigmoid" if number == len(sizes) else activation,
        )
        for number, (inputs, units) in enumerate(sizes, 1)
    ]
    if encoder.patterns:
        rows = generator.integers(-127, 128, (encoder.pattern_rows, sizes[0][1])).astype(np.int8)
        rows[kernel_patterns.EMPTY_ROWS] = 0
        scales = generator.normal(0, 0.001, sizes[0][1]).astype(np.float32)
        layers[0] = layers[0]._replace(patterns=AddedRows(rows, scales))
    return CompiledNet(f"net{seed}", encoder, layers, model=None)


def outputs_of(net, sample):
    """Return what a net gives by matrix products, and sums of the rows of patterns."""
    inputs = net.encoder.encode(sample).astype(np.float64)
    values, numbers = np.split(inputs, [net.encoder.values], axis=1)
    for weights, biases, activation, patterns in net.layers:
        sums = values @ weights + biases
        if patterns is not None:
            sums += patterns.weights[numbers.astype(int)].astype(np.float64).sum(axis=1) * patterns.scales
        values = np.maximum(sums, 0) if activation == "Relu" else sigmoid(sums)
    return values


@pytest.mark.nojit
@pytest.mark.parametrize("activation", ["Relu", "Sigmoid"])
@pytest.mark.parametrize(
    ("encoder_id", "hidden"),
    [
        ("tesauro196", ()),
        ("tesauro196", (10,)),
        ("race226", (20, 10)),
        ("expert248", (64,)),
        ("expert248", (70, 130, 20)),
        ("patterns285", (70, 20)),
        ("race263", (70, 20)),
    ],
)
def test_outcomes_are_those_of_matrix_products(encoder_id, hidden, activation):
    net = random_compiled_net(encoder_id, hidden, activation=activation)
    sample = boards.random_boards(20, seed=1)
    np.testing.assert_allclose(net.evaluate(sample), outputs_of(net, sample), rtol=0, atol=2e-6)


def assert_each_answers_as_alone(packed, nets):
    sample = boards.random_boards(50, seed=2)
    for number, net in enumerate(nets):
        outcomes = np.empty((50, 5), np.float32)
        net_of_class = np.full(kernel_routing.NET_CLASSES, number)
        classes = np.zeros(50, np.int8)
        kernel_routing.evaluate_classes(packed, net_of_class, NO_QUESTION, sample, classes, True, outcomes)
        assert outcomes.tobytes() == net.evaluate(sample).tobytes()
        np.testing.assert_allclose(outcomes, outputs_of(net, sample), rtol=0, atol=2e-6)


def test_several_nets_share_the_arrays():
    nets = [random_compiled_net("expert248", (256, 128), 1), random_compiled_net("tesauro196", (16,), 2)]
    assert_each_answers_as_alone(pack_nets([*nets, nets[0]]), [*nets, nets[0]])


def test_nets_share_the_rows_of_patterns_that_are_the_same():
    first, second, other = (random_compiled_net("patterns285", (64, 16), seed) for seed in (1, 2, 3))
    copied = AddedRows(*(each.copy() for each in first.layers[0].patterns))
    shared = second.layers[0]._replace(patterns=copied)
    second = CompiledNet("second", first.encoder, [shared, *second.layers[1:]])
    packed = pack_nets([first, other, second])
    assert packed.patterns.size == 2 * kernel_patterns.ROWS * 64
    assert_each_answers_as_alone(packed, [first, other, second])


def test_no_positions_have_no_outcomes():
    net = random_compiled_net("tesauro196", (8,))
    assert net.evaluate(np.empty((0, 2, 26), np.int8)).shape == (0, 5)


@pytest.mark.parametrize("rows", [1, 2, 15, 16, 17, 100])
def test_outcomes_are_the_same_bytes_whatever_the_batch_and_the_place(rows):
    net = random_compiled_net("expert248", (256, 128, 128))
    sample = boards.random_boards(500, seed=3)
    whole = net.evaluate(sample)
    parts = [net.evaluate(sample[start : start + rows]) for start in range(0, len(sample), rows)]
    assert np.concatenate(parts).tobytes() == whole.tobytes()
    order = np.random.default_rng(4).permutation(len(sample))
    assert net.evaluate(sample[order]).tobytes() == whole[order].tobytes()


@pytest.mark.nojit
def test_the_sigmoid_is_within_two_ten_millionths():
    x = np.concatenate([np.linspace(-100, 100, 4001), np.linspace(-1, 1, 1000)]).astype(np.float32)
    found = [float(kernel_sparse.sigmoid(value)) for value in x]
    np.testing.assert_allclose(found, sigmoid(x.astype(np.float64)), rtol=0, atol=2e-7)
    assert min(found) >= 0
    assert max(found) <= 1


@pytest.mark.nojit
def test_a_certain_logit_is_exactly_one_and_its_negative_zero():
    assert kernel_sparse.sigmoid(kernel_sparse.CERTAIN_LOGIT) == 1
    assert kernel_sparse.sigmoid(-kernel_sparse.CERTAIN_LOGIT) == 0
