"""ONNX files of layered nets: exact, readable again, with weights only where the sparse kernels take them."""

import numpy as np
import pytest

from gammond.engine.errors import DataFileError
from gammond.nets.compiled_net import CompiledNet, read_net_weights
from gammond.nets.encoders import get_encoder
from gammond.nets.onnx_layers import read_layers
from gammond.nets.onnx_model import OnnxModel
from gammond.tools.train.weights.layers import LayeredNet
from gammond.tools.train.weights.onnx_files import compute_max_difference, export_net, net_to_onnx, read_onnx
from gammond.tools.train.weights.random_positions import sample_random_positions

pytest.importorskip("onnx", reason="files of nets need the package onnx (extra 'train')")

KINDS = [
    ("tesauro196", (16,)),
    ("expert248", (16,)),
    ("tesauro196", (16, 8)),
    ("expert248", (24, 16, 8)),
    ("patterns285", (16, 8)),
]


def decode_net(encoder_id: str, hidden: tuple[int, ...]) -> LayeredNet:
    return LayeredNet.make_untrained(encoder_id, hidden, np.random.Generator(np.random.PCG64(3)))


@pytest.mark.parametrize(("encoder_id", "hidden"), KINDS)
def test_a_file_runs_as_its_net_and_gives_the_net_back(encoder_id, hidden):
    net = decode_net(encoder_id, hidden)
    content = net_to_onnx(net, "a")
    assert compute_max_difference(export_net(net), content) <= 1e-6
    back = read_onnx(content, encoder_id, "a")
    assert (back.hidden, back.digest) == (net.hidden, net.round_patterns().digest)
    boards = sample_random_positions(50, seed=2)
    compiled = CompiledNet("a", get_encoder(encoder_id), read_layers(content))
    outcomes = OnnxModel("a", content, net.inputs, 5).run(get_encoder(encoder_id).encode(boards))
    np.testing.assert_allclose(compiled.evaluate(boards), outcomes, rtol=0, atol=1e-6)
    if (encoder_id, len(hidden)) == ("tesauro196", 1):  # which the sparse kernels take
        w1, _, w2, _ = read_net_weights("a", read_layers(content))
        np.testing.assert_array_equal(w1, net.layers[0][0])
        np.testing.assert_array_equal(w2.T, net.layers[1][0])
    else:
        with pytest.raises(DataFileError, match="expected one hidden layer"):
            read_net_weights("a", read_layers(content))


def test_a_file_of_another_net_differs():
    net = decode_net("expert248", (16, 8))
    (weights, bias), *others = net.layers
    other = LayeredNet("expert248", ((weights * np.float32(1.001), bias), *others))
    assert compute_max_difference(export_net(net), net_to_onnx(other, "a")) > 1e-5


def test_a_net_that_is_not_made_of_layers_is_refused():
    from onnx import TensorProto, helper

    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 5]) for name in ("a", "b")]
    graph = helper.make_graph([helper.make_node("Sigmoid", ["a"], ["b"])], "g", ports[:1], ports[1:])
    content = helper.make_model(graph).SerializeToString()
    with pytest.raises(DataFileError, match="expected net odd as layers"):
        read_onnx(content, "tesauro196", "odd")
