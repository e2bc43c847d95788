"""Nets as ONNX files: the one module of the tools that knows the package ``onnx``."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError, missing_package
from engine.rules.outcome import LOSE_G, WIN, WIN_G
from nets.encoders import get_encoder
from nets.heritage.computational_backgammon.net import ClassicNet
from nets.heritage.gengammon.net import WEIGHTS_OUTPUT, GengammonNet
from nets.heritage.phase_features.net import PhaseNet
from nets.onnx_layers import read_layers
from nets.onnx_model import OUTPUT_NAME, OnnxModel
from tools.train.weights.layers import ENCODER, OUTPUTS, LayeredNet
from tools.train.weights.random_positions import sample_random_positions

_OPSET = 17
_IR_VERSION = 8


def net_to_onnx(net: LayeredNet, name: str) -> bytes:
    """Make the ONNX file of a net: ``inputs float32[n, inputs]`` to ``outcome float32[n, 5]``.

    The rows of patterns are rounded (`LayeredNet.round_patterns`). A net with one hidden layer on
    `tesauro196` gives its weights as outputs too, so that `nets.pruning_net` can read them from the same
    file.

    Raises:
        UnsupportedError: The package ``onnx`` is not installed.
    """
    onnx = _import_onnx()
    helper, numpy_helper, float32 = onnx.helper, onnx.numpy_helper, onnx.TensorProto.FLOAT
    encoder = get_encoder(net.encoder_id)
    weights: dict[str, NDArray[Any]] = {}
    nodes, units = [], "inputs"
    for i, (matrix, bias) in enumerate(net.layers, 1):
        is_last = i == len(net.layers)
        number = "" if i == 1 else str(i)
        sums, result = ("logits", OUTPUT_NAME) if is_last else (f"sums{number}", f"hidden{number}")
        if i == 1 and encoder.patterns:
            nodes += _make_pattern_nodes(helper, onnx.TensorProto, sums)
            weights |= {"sizes": np.array([encoder.values, encoder.patterns]), "axes": np.array([1])}
            matrix = matrix[: encoder.values]
            (weights["rows"], weights["scales"]), bias = net.quantize_patterns()
        else:
            nodes.append(helper.make_node("Gemm", [units, f"w{i}", f"b{i}"], [sums]))
        weights[f"w{i}"], weights[f"b{i}"] = np.ascontiguousarray(matrix), bias
        nodes.append(helper.make_node("Sigmoid" if is_last else "Relu", [sums], [result]))
        units = result
    outputs = [helper.make_tensor_value_info(OUTPUT_NAME, float32, ["n", OUTPUTS])]
    if has_weight_outputs(net):
        outputs += [helper.make_tensor_value_info(key, float32, a.shape) for key, a in weights.items()]
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info("inputs", float32, ["n", net.inputs])],
        outputs,
        [numpy_helper.from_array(array, key) for key, array in weights.items()],
    )
    return _serialize_checked(onnx, graph)


def _make_pattern_nodes(helper: Any, kinds: Any, sums: str) -> list[Any]:  # noqa: ANN401  (onnx has no types)
    """Make the nodes of a first layer that adds rows of weights by their numbers, up to its sums."""
    make = helper.make_node
    return [
        make("Split", ["inputs", "sizes"], ["values", "numbers"], axis=1),
        make("Cast", ["numbers"], ["places"], to=kinds.INT64),
        make("Gather", ["rows", "places"], ["added"]),
        make("Cast", ["added"], ["whole"], to=kinds.FLOAT),
        make("ReduceSum", ["whole", "axes"], ["whole_sums"], keepdims=0),
        make("Mul", ["whole_sums", "scales"], ["pattern_sums"]),
        make("Gemm", ["values", "w1", "b1"], ["value_sums"]),
        make("Add", ["value_sums", "pattern_sums"], [sums]),
    ]


def scorer_to_onnx(net: GengammonNet, name: str) -> bytes:
    """Make the ONNX file of a net with one output: ``inputs float32[n, 52]`` to ``outcome float32[n, 1]``.

    It gives its weights as an output too.

    Raises:
        UnsupportedError: The package ``onnx`` is not installed.
    """
    onnx = _import_onnx()
    helper, numpy_helper, float32 = onnx.helper, onnx.numpy_helper, onnx.TensorProto.FLOAT
    weights = np.ascontiguousarray(net.weights.T)
    units = "Softsign" if net.activation == "softsign" else "Identity"
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["inputs", WEIGHTS_OUTPUT], ["sums"]),
            helper.make_node(units, ["sums"], ["hidden"]),
            helper.make_node("ReduceSum", ["hidden", "axes"], [OUTPUT_NAME], keepdims=1),
        ],
        name,
        [helper.make_tensor_value_info("inputs", float32, ["n", len(weights)])],
        [
            helper.make_tensor_value_info(OUTPUT_NAME, float32, ["n", 1]),
            helper.make_tensor_value_info(WEIGHTS_OUTPUT, float32, weights.shape),
        ],
        [
            numpy_helper.from_array(weights, WEIGHTS_OUTPUT),
            numpy_helper.from_array(np.array([1], np.int64), "axes"),
        ],
    )
    return _serialize_checked(onnx, graph)


def phase_net_to_onnx(net: PhaseNet, name: str) -> bytes:
    """Make the ONNX file of a phase net: ``inputs float32[n, 48]`` to ``outcome float32[n, 1]``.

    It gives its weights as outputs too.

    Raises:
        UnsupportedError: The package ``onnx`` is not installed.
    """
    onnx = _import_onnx()
    helper, numpy_helper, float32 = onnx.helper, onnx.numpy_helper, onnx.TensorProto.FLOAT
    weights = net.to_arrays()
    graph = helper.make_graph(
        [
            helper.make_node("Gemm", ["inputs", "w1", "b1"], ["sums"]),
            helper.make_node("Relu", ["sums"], ["hidden"]),
            helper.make_node("Gemm", ["hidden", "w2", "b2"], ["sums2"]),
            helper.make_node("Relu", ["sums2"], ["hidden2"]),
            helper.make_node("Unsqueeze", ["w3", "axes"], ["column"]),
            helper.make_node("Gemm", ["hidden2", "column", "b3"], [OUTPUT_NAME]),
        ],
        name,
        [helper.make_tensor_value_info("inputs", float32, ["n", len(net.w1)])],
        [
            helper.make_tensor_value_info(OUTPUT_NAME, float32, ["n", 1]),
            *(helper.make_tensor_value_info(key, float32, array.shape) for key, array in weights.items()),
        ],
        [
            *(numpy_helper.from_array(array, key) for key, array in weights.items()),
            numpy_helper.from_array(np.array([1], np.int64), "axes"),
        ],
    )
    return _serialize_checked(onnx, graph)


def classic_net_to_onnx(net: ClassicNet, name: str) -> bytes:
    """Make the ONNX file of a classic net: ``inputs float32[n, 196]`` to ``outcome float32[n, 5]``.

    Raises:
        UnsupportedError: The package ``onnx`` is not installed.
    """
    onnx = _import_onnx()
    helper, float32 = onnx.helper, onnx.TensorProto.FLOAT
    w1, b1, w2, b2 = net.weights
    arrays = {"w1": w1, "b1": b1, "w2": np.ascontiguousarray(w2.T), "b2": b2}
    nodes = [
        helper.make_node("Gemm", ["inputs", "w1", "b1"], ["sums"]),
        helper.make_node("Sigmoid", ["sums"], ["hidden"]),
        helper.make_node("Gemm", ["hidden", "w2", "b2"], ["logits"]),
        helper.make_node("Sigmoid", ["logits"], [OUTPUT_NAME if net.outputs == 5 else "nodes"]),
    ]
    parts = "nodes"
    if net.outputs == 2:  # shares become chances
        nodes += [
            helper.make_node("Split", ["nodes"], ["win", "share_won", "share_lost"], axis=1),
            helper.make_node("Mul", ["win", "share_won"], ["gammon"]),
            helper.make_node("Sub", ["one", "win"], ["lose"]),
            helper.make_node("Mul", ["lose", "share_lost"], ["lose_gammon"]),
            helper.make_node("Concat", ["win", "gammon", "lose_gammon"], ["chances"], axis=1),
        ]
        arrays["one"] = np.ones((1, 1), np.float32)
        parts = "chances"
    if net.outputs < 5:  # each chance goes to its place, the others are 0
        arrays["places"] = np.eye(OUTPUTS, dtype=np.float32)[[WIN, WIN_G, LOSE_G][: len(b2)]]
        nodes.append(helper.make_node("MatMul", [parts, "places"], [OUTPUT_NAME]))
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info("inputs", float32, ["n", len(w1)])],
        [helper.make_tensor_value_info(OUTPUT_NAME, float32, ["n", OUTPUTS])],
        [onnx.numpy_helper.from_array(array, key) for key, array in arrays.items()],
    )
    return _serialize_checked(onnx, graph)


def has_weight_outputs(net: LayeredNet) -> bool:
    """Whether the net's file gives its weights, for the sparse kernels."""
    return net.encoder_id == ENCODER and len(net.hidden) == 1


def compute_max_difference(net: LayeredNet | ClassicNet, content: bytes) -> float:
    """Compare an ONNX file with the weights it was made of on positions of random games, in any output.

    What rounding rows of patterns makes does not count.
    """
    boards = sample_random_positions(2000, seed=1)
    inputs = get_encoder(net.encoder_id).encode(boards)
    rounded = net if isinstance(net, ClassicNet) else net.round_patterns()
    expected = rounded.evaluate(boards) if isinstance(rounded, ClassicNet) else rounded.forward(inputs)
    written = OnnxModel("export", content, inputs.shape[1], OUTPUTS).run(inputs)
    return float(np.abs(written - expected).max())


def read_onnx(content: bytes, encoder_id: str, name: str) -> LayeredNet:
    """Take the weights from a file that `net_to_onnx` made.

    Args:
        content: The file.
        encoder_id: What its inputs are.
        name: What errors call it.

    Raises:
        DataFileError: It is another kind of net.
    """
    layers = read_layers(content)
    if layers is None or any(layer.activation != "Relu" for layer in layers[:-1]):
        raise DataFileError(
            f"expected net {name} as layers of Gemm and Relu, the last with Sigmoid", field="net"
        )
    first, *others = layers
    rows = first.weights
    if first.patterns is not None:
        rows = np.concatenate([rows, first.patterns.weights * first.patterns.scales])
    return LayeredNet(
        encoder_id, ((rows, first.biases), *((layer.weights, layer.biases) for layer in others))
    )


def _serialize_checked(onnx: ModuleType, graph: object) -> bytes:
    """Make a model of a graph, and check that it is whole."""
    opset = onnx.helper.make_opsetid("", _OPSET)
    model = onnx.helper.make_model(
        graph, producer_name="gammond", opset_imports=[opset], ir_version=_IR_VERSION
    )
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content


def _import_onnx() -> ModuleType:
    try:
        import onnx
        import onnx.checker
        import onnx.helper
        import onnx.numpy_helper
    except ImportError as error:
        raise missing_package("files of nets need", "onnx", "export") from error
    module: ModuleType = onnx
    return module
