"""Layers read from ONNX files, and files that have others."""

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from gammond.engine.errors import DataFileError
from gammond.nets.manifest import MANIFEST_FILE, read_manifest
from gammond.nets.onnx_layers import read_layers, read_shared_tensors, read_weights
from gammond.nets.onnx_model import OnnxModel
from gammond.tools.train.weights.layers import LayeredNet
from gammond.tools.train.weights.onnx_files import net_to_onnx, share_tensors
from tests.nets.net_files import write_net


def test_layers_of_the_nets_of_evaluators_are_those_that_the_package_onnx_reads():
    for entry in read_manifest().evaluator_nets:
        file = MANIFEST_FILE.parent / entry.file
        content = file.read_bytes()
        layers = read_layers(content, read_shared_tensors(content, file.parent))
        graph = onnx.load(str(file)).graph
        tensors = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
        assert [len(layer.biases) for layer in layers[:-1]] == list(entry.hidden)
        assert layers[-1].activation == "Sigmoid"
        for number, layer in enumerate(layers, 1):
            np.testing.assert_array_equal(layer.weights, tensors[f"w{number}"])
            np.testing.assert_array_equal(layer.biases, tensors[f"b{number}"])
        if "rows" in tensors:
            np.testing.assert_array_equal(layers[0].patterns.weights, tensors["rows"])
            np.testing.assert_array_equal(layers[0].patterns.scales, tensors["scales"])


def test_a_truncated_file_has_no_layers(tmp_path):
    content = write_net(tmp_path / "net.onnx", (6, 4, 5)).read_bytes()
    assert read_layers(content) is not None
    for size in range(len(content) - 20):
        assert read_layers(content[:size]) is None


def write_sharing_nets(folder):
    """Write two nets that differ in their last layers alone; return their contents by name."""
    first, *middle, last = LayeredNet.make_untrained("patterns285", (64, 8), np.random.default_rng(1)).layers
    nets = {
        "a": LayeredNet("patterns285", (first, *middle, last)),
        "b": LayeredNet("patterns285", (first, *middle, (last[0] * 2, last[1]))),
    }
    whole = {name: net_to_onnx(net, name) for name, net in nets.items()}
    contents, files = share_tensors(whole)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return whole, contents, next(iter(files))


def test_a_tensor_that_nets_share_lies_in_one_file_and_once_in_memory(tmp_path):
    whole, contents, name = write_sharing_nets(tmp_path)
    assert len(contents["a"]) + (tmp_path / name).stat().st_size < len(whole["a"]) + 500
    shared = {each: read_shared_tensors(content, tmp_path) for each, content in contents.items()}
    assert shared["a"]["rows"] is shared["b"]["rows"]
    for each, content in contents.items():
        (tmp_path / f"{each}.onnx").write_bytes(content)
        onnx.checker.check_model(str(tmp_path / f"{each}.onnx"))
        for layer, expected in zip(read_layers(content, shared[each]), read_layers(whole[each]), strict=True):
            np.testing.assert_array_equal(layer.weights, expected.weights)
        np.testing.assert_array_equal(shared[each]["rows"], read_layers(whole[each])[0].patterns.weights)
        inputs = np.random.default_rng(2).integers(0, 2, (7, 285)).astype(np.float32)
        expected = OnnxModel(each, whole[each], 285, 5).run(inputs)
        np.testing.assert_array_equal(OnnxModel(each, content, 285, 5, shared[each]).run(inputs), expected)


def test_a_net_without_its_shared_tensors_is_no_net(tmp_path):
    _, contents, _ = write_sharing_nets(tmp_path)
    assert read_layers(contents["a"]) is None
    with pytest.raises(DataFileError, match="is not a model that onnxruntime can load"):
        OnnxModel("a", contents["a"], 285, 5).check()


def change_external_data(content, change):
    model = onnx.load_model_from_string(content)
    (rows,) = (each for each in model.graph.initializer if each.name == "rows")
    change(rows.external_data, {pair.key: pair for pair in rows.external_data})
    return model.SerializeToString()


def test_shared_tensors_that_are_missing_changed_or_elsewhere_are_refused(tmp_path):
    _, contents, name = write_sharing_nets(tmp_path)
    content, data = contents["a"], (tmp_path / name).read_bytes()
    changes = [
        lambda pairs, by_key: pairs.remove(by_key["checksum"]),
        *(
            lambda pairs, by_key, name=name: setattr(by_key["location"], "value", name)
            for name in ("../rows.bin", "/etc/passwd", ".rows", "")
        ),
    ]
    for change in changes:
        with pytest.raises(DataFileError, match="expected weights in a whole file beside the net"):
            read_shared_tensors(change_external_data(content, change), tmp_path)
    for changed in (data[:-1], data + b"x", b"\1" + data[1:]):
        (tmp_path / name).write_bytes(changed)
        with pytest.raises(DataFileError, match="another SHA-1 than the net says"):
            read_shared_tensors(content, tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(DataFileError, match=f"{name} cannot be read: No such file"):
        read_shared_tensors(content, tmp_path)


def test_random_bytes_have_no_layers():
    generator = np.random.default_rng(1)
    for size in range(300):
        assert read_layers(generator.bytes(size)) is None


def set_tensor(graph, name, values):
    (tensor,) = (each for each in graph.initializer if each.name == name)
    tensor.CopyFrom(numpy_helper.from_array(values, name))


def add_attribute(node, name, value):
    node.attribute.append(onnx.helper.make_attribute(name, value))


@pytest.mark.parametrize(
    "change",
    [
        lambda graph: setattr(graph.node[1], "op_type", "Tanh"),
        lambda graph: add_attribute(graph.node[0], "alpha", 2.0),
        lambda graph: graph.node[2].input.__setitem__(0, "x"),
        lambda graph: graph.node[3].output.__setitem__(0, "other"),
        lambda graph: graph.node.append(onnx.helper.make_node("Identity", ["outcome"], ["more"])),
        lambda graph: set_tensor(graph, "w1", np.ones((3, 5), np.float32)),
        lambda graph: set_tensor(graph, "w0", np.ones((6, 4))),
        lambda graph: graph.input.append(
            onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n", 6])
        ),
    ],
    ids=["operator", "scale", "skipped", "no end", "more nodes", "width", "doubles", "more inputs"],
)
def test_other_nets_have_no_layers(change, tmp_path):
    model = onnx.load(str(write_net(tmp_path / "net.onnx", (6, 4, 5))))
    model.graph.name = "another"  # names do not matter
    assert [layer.weights.shape for layer in read_layers(model.SerializeToString())] == [(6, 4), (4, 5)]
    change(model.graph)
    assert read_layers(model.SerializeToString()) is None


def _make_pattern_net(change=lambda graph: None):
    generator = np.random.default_rng(2)
    net = LayeredNet.make_untrained("patterns285", (6, 4), generator)
    model = onnx.load_from_string(net_to_onnx(net, "a"))
    change(model.graph)
    return net, read_layers(model.SerializeToString())


def test_rows_that_are_added_by_their_numbers_are_read_with_their_scales():
    net, layers = _make_pattern_net()
    for layer, (weights, biases) in zip(layers, net.round_patterns().layers, strict=True):
        rows = layer.weights
        if layer.patterns is not None:
            rows = np.concatenate([rows, layer.patterns.weights * layer.patterns.scales])
        np.testing.assert_array_equal(rows, weights)
        np.testing.assert_array_equal(layer.biases, biases)
        assert rows.dtype == layer.biases.dtype == np.float32


@pytest.mark.parametrize(
    "change",
    [
        lambda graph: graph.node[1].input.__setitem__(0, "values"),
        lambda graph: setattr(graph.node[4].attribute[0], "i", 1),
        lambda graph: add_attribute(graph.node[2], "axis", 1),
        lambda graph: setattr(graph.node[0].attribute[0], "i", 0),
        lambda graph: setattr(graph.node[1].attribute[0], "i", onnx.TensorProto.INT32),
        lambda graph: set_tensor(graph, "sizes", np.array([247, 38])),
        lambda graph: set_tensor(graph, "axes", np.array([2])),
        lambda graph: graph.node[7].input.__setitem__(1, "value_sums"),
        lambda graph: graph.node[7].input.__setitem__(1, "whole_sums"),
        lambda graph: set_tensor(graph, "scales", np.ones((11333, 1), np.float32)),
    ],
    ids=[
        *("other numbers", "kept dimensions", "columns", "rows split", "rounded", "split elsewhere"),
        *("other sums", "no sums", "no scales", "scaled rows"),
    ],
)
def test_rows_that_are_added_in_another_way_have_no_layers(change):
    assert _make_pattern_net(change)[1] is None


def test_tensors_are_read_by_name_and_those_that_a_file_lacks_are_an_error(tmp_path):
    content = write_net(tmp_path / "net.onnx").read_bytes()
    (weights,) = read_weights("tiny", content, ["w1"])
    assert weights.shape == (8, 5)
    with pytest.raises(DataFileError, match="net tiny lacks the weights w9: export it again"):
        read_weights("tiny", content, ["w1", "w9"])
    with pytest.raises(DataFileError, match="lacks the weights w1"):
        read_weights("tiny", b"no net", ["w1"])
