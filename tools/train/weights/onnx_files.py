"""Nets as ONNX files: the one module of the tools that knows the package ``onnx``."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError, missing_package
from gammond.engine.evaluation.evaluator import Scorer
from gammond.engine.rules.position import Board
from gammond.nets.encoders import Inputs, get_encoder
from gammond.nets.onnx_layers import read_layers
from gammond.nets.onnx_model import OUTPUT_NAME, OnnxModel
from gammond.tools.common.wings import ExportedNet
from gammond.tools.train.weights.layers import OUTPUTS, LayeredNet
from gammond.tools.train.weights.random_positions import sample_random_positions

_MIN_SHARED_BYTES = 100_000
_OPSET = 17
_IR_VERSION = 8
_FLOAT32, _INT64 = 1, 7
"""Types of numbers."""

_SCORER_TOLERANCE = 1e-5
"""Largest difference of an exported net that rates plays, as a share of the largest rating."""


class OnnxNode(NamedTuple):
    """An operator of a graph, with the names of what goes in and comes out, and its attributes."""

    operator: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: Mapping[str, int] = MappingProxyType({})


def make_onnx(
    name: str, ports: tuple[int, int], nodes: Sequence[OnnxNode], tensors: Mapping[str, NDArray[Any]]
) -> bytes:
    """Make an ONNX file of a net: ``inputs float32[n, i]`` to ``outcome float32[n, o]``.

    Args:
        name: The net's.
        ports: i and o.
        nodes: From ``inputs`` to ``outcome``.
        tensors: What the nodes take besides, by name.

    Raises:
        UnsupportedError: The package ``onnx`` is not installed.
    """
    onnx = _import_onnx()
    helper, float32 = onnx.helper, onnx.TensorProto.FLOAT
    inputs, outputs = (
        helper.make_tensor_value_info(port, float32, ["n", size])
        for port, size in zip(("inputs", OUTPUT_NAME), ports, strict=True)
    )
    graph = helper.make_graph(
        [helper.make_node(*node[:3], **node.attributes) for node in nodes],
        name,
        [inputs],
        [outputs],
        [onnx.numpy_helper.from_array(array, key) for key, array in tensors.items()],
    )
    opset = helper.make_opsetid("", _OPSET)
    model = helper.make_model(graph, producer_name="gammond", opset_imports=[opset], ir_version=_IR_VERSION)
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content


def net_to_onnx(net: LayeredNet, name: str) -> bytes:
    """Make the ONNX file of a net, whose rows of patterns are rounded (`LayeredNet.round_patterns`).

    Raises:
        UnsupportedError: As `make_onnx`.
    """
    encoder = get_encoder(net.encoder_id)
    weights: dict[str, NDArray[Any]] = {}
    nodes, units = [], "inputs"
    for i, (matrix, bias) in enumerate(net.layers, 1):
        is_last = i == len(net.layers)
        number = "" if i == 1 else str(i)
        sums, result = ("logits", OUTPUT_NAME) if is_last else (f"sums{number}", f"hidden{number}")
        if i == 1 and encoder.patterns:
            nodes += [*_PATTERN_NODES, OnnxNode("Add", ["value_sums", "pattern_sums"], [sums])]
            weights |= {"sizes": np.array([encoder.values, encoder.patterns]), "axes": np.array([1])}
            matrix = matrix[: encoder.values]
            (weights["rows"], weights["scales"]), bias = net.quantize_patterns()
        else:
            nodes.append(OnnxNode("Gemm", [units, f"w{i}", f"b{i}"], [sums]))
        weights[f"w{i}"], weights[f"b{i}"] = np.ascontiguousarray(matrix), bias
        nodes.append(OnnxNode("Sigmoid" if is_last else "Relu", [sums], [result]))
        units = result
    return make_onnx(name, (net.inputs, OUTPUTS), nodes, weights)


_PATTERN_NODES = [
    OnnxNode("Split", ["inputs", "sizes"], ["values", "numbers"], {"axis": 1}),
    OnnxNode("Cast", ["numbers"], ["places"], {"to": _INT64}),
    OnnxNode("Gather", ["rows", "places"], ["added"]),
    OnnxNode("Cast", ["added"], ["whole"], {"to": _FLOAT32}),
    OnnxNode("ReduceSum", ["whole", "axes"], ["whole_sums"], {"keepdims": 0}),
    OnnxNode("Mul", ["whole_sums", "scales"], ["pattern_sums"]),
    OnnxNode("Gemm", ["values", "w1", "b1"], ["value_sums"]),
]
"""Operators of a first layer that adds rows of weights by their numbers, up to its two sums."""


def share_tensors(contents: Mapping[str, bytes]) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Move the large tensors that several nets have alike out of their files, each into one file.

    Args:
        contents: The files of the nets, by any key.

    Returns:
        The files of the nets by the same keys, and those of the tensors by name, to lie beside them.

    Raises:
        UnsupportedError: The package ``onnx`` is not installed.
    """
    onnx = _import_onnx()
    models = {key: onnx.load_model_from_string(content) for key, content in contents.items()}
    tensors = [tensor for model in models.values() for tensor in model.graph.initializer]
    uses = Counter(tensor.raw_data for tensor in tensors if len(tensor.raw_data) >= _MIN_SHARED_BYTES)
    files = {}
    for tensor in tensors:
        data = tensor.raw_data
        if uses[data] > 1:
            checksum = hashlib.sha1(data, usedforsecurity=False).hexdigest()
            name = f"{tensor.name}-{checksum[:16]}.bin"
            files[name] = data
            onnx.external_data_helper.set_external_data(tensor, name, checksum=checksum)
            tensor.ClearField("raw_data")
    return {
        key: model.SerializeToString() if files else contents[key] for key, model in models.items()
    }, files


def export_net(net: LayeredNet) -> ExportedNet:
    """Return a net as ``gammond export`` takes it; what rounding rows of patterns makes is no difference."""
    encode, rounded = get_encoder(net.encoder_id).encode, net.round_patterns()
    return ExportedNet(
        net.encoder_id,
        net.hidden,
        lambda name: net_to_onnx(net, name),
        lambda boards: rounded.forward(encode(boards)),
    )


def compute_max_difference(net: ExportedNet, content: bytes) -> float:
    """Compare an ONNX file with the net that it is made of on positions of random games, in any output."""
    boards = sample_random_positions(2000, seed=1)
    inputs = get_encoder(net.encoder_id).encode(boards)
    written = OnnxModel("export", content, inputs.shape[1], OUTPUTS).run(inputs)
    return float(np.abs(written - net.evaluate(boards)).max())


def check_scorer_onnx(
    name: str, content: bytes, net: Scorer, read_back: Scorer, encode: Callable[[Board], Inputs]
) -> bytes:
    """Compare the ONNX file of a net that rates plays with the net, on positions of random games.

    Args:
        name: The net's name in errors.
        content: The file.
        net: What it is made of.
        read_back: The net as its player reads it from the file.
        encode: Makes the inputs of the file.

    Returns:
        The file.

    Raises:
        DataFileError: The file differs from the net.
    """
    boards = sample_random_positions(2000, seed=1)
    inputs, expected = encode(boards), net.score_boards(boards)
    if not np.array_equal(read_back.score_boards(boards), expected):
        raise DataFileError(f"{name} has other weights than the net that it is made of")
    found = OnnxModel(name, content, inputs.shape[1], 1).run(inputs)[:, 0]
    difference = float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-30))
    if not difference <= _SCORER_TOLERANCE:
        raise DataFileError(f"{name} differs from its weights by {difference} of the largest rating")
    return content


def read_onnx(
    content: bytes, encoder_id: str, name: str, shared: Mapping[str, NDArray[Any]] | None = None
) -> LayeredNet:
    """Take the weights from a file that `net_to_onnx` made.

    Args:
        content: The file.
        encoder_id: What its inputs are.
        name: What errors call it.
        shared: Its tensors that lie in other files (`gammond.nets.onnx_layers.read_shared_tensors`).

    Raises:
        DataFileError: It is another kind of net.
    """
    layers = read_layers(content, shared)
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


def _import_onnx() -> ModuleType:
    try:
        import onnx
        import onnx.checker
        import onnx.external_data_helper
        import onnx.helper
        import onnx.numpy_helper
    except ImportError as error:
        raise missing_package("files of nets need", "onnx", "export") from error
    module: ModuleType = onnx
    return module
