"""Read the layers of a net from an ONNX file, without the runtime.

Only a chain is read: a matrix product with biases (``Gemm``), then ReLU or sigmoid, from the one input to the
output `OUTPUT_NAME`. The first layer may take some of the inputs as numbers of rows to add (``Split``,
``Gather``, ``ReduceSum``, ``Mul``), whole numbers of 8 bits with a scale for each unit. Such files need a few
fields of the format's many.

*Source:* onnx.proto of https://github.com/onnx/onnx, and the encoding of protocol buffers,
https://protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nets.onnx_model import OUTPUT_NAME

_Message = dict[int, list[memoryview | int]]
_Tensor = NDArray[Any]

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED_SIZES = {_FIXED64: 8, _FIXED32: 4}

# Numbers of fields, by message.
_MODEL_GRAPH = 7
_GRAPH_NODE, _GRAPH_INITIALIZER, _GRAPH_INPUT = 1, 5, 11
_NODE_INPUT, _NODE_OUTPUT, _NODE_OPERATOR, _NODE_ATTRIBUTE = 1, 2, 4, 5
_ATTRIBUTE_NAME, _ATTRIBUTE_NUMBER = 1, 3
_TENSOR_DIMS, _TENSOR_TYPE, _TENSOR_NAME, _TENSOR_BYTES = 1, 2, 8, 9
_VALUE_NAME = 1

_FLOAT32, _INT8, _INT64 = 1, 3, 7
_TYPES = {_FLOAT32: "<f4", _INT8: "<i1", _INT64: "<i8"}

_PATTERN_OPERATORS = [
    *("Split", "Cast", "Gather", "Cast", "ReduceSum", "Mul"),
    *("Gemm", "Add", "Relu"),
]
"""Operators of a first layer that adds rows by their numbers."""


class AddedRows(NamedTuple):
    """Rows of weights that a first layer adds by their numbers.

    Attributes:
        weights: ``int8[n, units]``.
        scales: ``float32[units]``, what the weights of each unit are multiplied by.
    """

    weights: NDArray[np.int8]
    scales: NDArray[np.float32]

    def are_those_of(self, other: AddedRows) -> bool:
        """Return whether other rows are the same."""
        return np.array_equal(self.weights, other.weights) and np.array_equal(self.scales, other.scales)


class Layer(NamedTuple):
    """A layer of a net.

    Attributes:
        weights: ``float32[inputs, units]``, without inputs that are numbers of rows.
        biases: ``float32[units]``.
        activation: ``Relu`` or ``Sigmoid``.
        patterns: The rows that a first layer adds by their numbers; None for a layer without any.
    """

    weights: NDArray[np.float32]
    biases: NDArray[np.float32]
    activation: str
    patterns: AddedRows | None = None


def read_layers(content: bytes) -> Sequence[Layer] | None:
    """Read the layers of a net.

    Args:
        content: The bytes of the ``.onnx`` file.

    Returns:
        The layers from the input to the output; None if the file is no such chain, or no net at all.
    """
    try:
        return _read_chain(_as_message(_read_message(memoryview(content))[_MODEL_GRAPH][0]))
    except (KeyError, IndexError, ValueError, TypeError):
        return None


def _read_chain(graph: _Message) -> Sequence[Layer] | None:
    tensors = dict(_read_tensor(_as_message(tensor)) for tensor in graph[_GRAPH_INITIALIZER])
    names = [_read_name(_as_message(value), _VALUE_NAME) for value in graph[_GRAPH_INPUT]]
    (current,) = (name for name in names if name not in tensors)
    nodes = [_Node.read(_as_message(node)) for node in graph[_GRAPH_NODE]]
    layers: list[Layer] = []
    first, rest = nodes[: len(_PATTERN_OPERATORS)], nodes[len(_PATTERN_OPERATORS) :]
    if [node.operator for node in first] == _PATTERN_OPERATORS:
        layers.append(_read_pattern_layer(first, tensors, current))
        (current,), nodes = first[-1].outputs, rest
    for product, function in zip(nodes[::2], nodes[1::2], strict=True):
        inputs, weights, biases = product.inputs
        is_linked = inputs == current and function.inputs == product.outputs
        has_attributes = product.attributes or function.attributes
        operators = [product.operator, function.operator]
        if has_attributes or not is_linked or operators not in (["Gemm", "Relu"], ["Gemm", "Sigmoid"]):
            return None
        layers.append(Layer(tensors[weights], tensors[biases], function.operator))
        (current,) = function.outputs
    is_single = all(layer.weights.dtype == np.float32 for layer in layers)
    return layers if current == OUTPUT_NAME and is_single and _fit_together(layers) else None


class _Node(NamedTuple):
    """An operator of a graph, with the names of what goes in and out, and its attributes that are numbers."""

    operator: str
    inputs: list[str]
    outputs: list[str]
    attributes: dict[str, int]

    @classmethod
    def read(cls, node: _Message) -> _Node:
        attributes = {}
        for content in node.get(_NODE_ATTRIBUTE, []):
            attribute = _as_message(content)
            (number,) = attribute[_ATTRIBUTE_NUMBER]
            attributes[_read_name(attribute, _ATTRIBUTE_NAME)] = int(number)
        inputs, outputs = ([_as_text(name) for name in node[field]] for field in (_NODE_INPUT, _NODE_OUTPUT))
        return cls(_read_name(node, _NODE_OPERATOR), inputs, outputs, attributes)


def _read_pattern_layer(nodes: Sequence[_Node], tensors: Mapping[str, _Tensor], inputs: str) -> Layer:
    """Read a first layer that adds rows by their numbers; raise ValueError for another one."""
    split, to_numbers, gather, widen, add_up, scale, product, add, relu = nodes
    values, numbers = split.outputs
    links = (
        (split.inputs[:1], [inputs]),
        (to_numbers.inputs, [numbers]),
        (gather.inputs[1:], to_numbers.outputs),
        (widen.inputs, gather.outputs),
        (add_up.inputs[:1], widen.outputs),
        (scale.inputs[:1], add_up.outputs),
        (product.inputs[:1], [values]),
        (add.inputs, product.outputs + scale.outputs),
        (relu.inputs, add.outputs),
    )
    expected = [{"axis": 1}, {"to": _INT64}, {}, {"to": _FLOAT32}, {"keepdims": 0}, {}, {}, {}, {}]
    if any(found != wanted for found, wanted in links) or [node.attributes for node in nodes] != expected:
        raise ValueError("expected rows of weights that are added by their numbers")
    sizes, axes = tensors[split.inputs[1]], tensors[add_up.inputs[1]]
    weights, biases = tensors[product.inputs[1]], tensors[product.inputs[2]]
    rows, scales = tensors[gather.inputs[0]], tensors[scale.inputs[1]]
    is_whole = rows.dtype == np.int8 and scales.dtype == np.float32 and sizes.tolist()[0] == len(weights)
    shapes = rows.shape[1:], scales.shape, axes.tolist()
    if not is_whole or shapes != (weights.shape[1:], weights.shape[1:], [1]):
        raise ValueError("expected rows of weights for the inputs that are values, and others to add")
    return Layer(weights, biases, "Relu", AddedRows(rows, scales))


def _fit_together(layers: Sequence[Layer]) -> bool:
    """Return whether the shapes are those of a net."""
    inputs = layers[0].weights.shape[:1]
    for layer in layers:
        if layer.weights.shape != inputs + layer.biases.shape or layer.biases.ndim != 1:
            return False
        inputs = layer.biases.shape
    return True


def _read_tensor(tensor: _Message) -> tuple[str, _Tensor]:
    """Read a named tensor; raise ValueError for numbers of other types than `_TYPES`."""
    (number,) = tensor[_TENSOR_TYPE]
    kind = _TYPES.get(int(number))
    if kind is None:
        raise ValueError("expected float32, int8 or int64")
    shape = []
    for dim in tensor.get(_TENSOR_DIMS, []):
        shape += [dim] if isinstance(dim, int) else _read_varints(dim)
    numbers = np.frombuffer(_as_bytes(tensor[_TENSOR_BYTES][0]), kind).reshape(shape)
    is_copied = number != _INT8  # most of a file, and read-only as it is
    return _read_name(tensor, _TENSOR_NAME), numbers.astype(numbers.dtype.newbyteorder("="), copy=is_copied)


def _read_message(content: memoryview) -> _Message:
    """Read the fields of a message by number; those of text, tensors and messages as views of the content."""
    fields: _Message = {}
    at = 0
    while at < len(content):
        key, at = _read_varint(content, at)
        kind = key & 7
        if kind == _VARINT:
            value, at = _read_varint(content, at)
            fields.setdefault(key >> 3, []).append(value)
            continue
        if kind == _BYTES:
            size, at = _read_varint(content, at)
        else:
            size = _FIXED_SIZES[kind]
        if at + size > len(content):
            raise ValueError("truncated")
        fields.setdefault(key >> 3, []).append(content[at : at + size])
        at += size
    return fields


def _read_varint(content: memoryview, at: int) -> tuple[int, int]:
    """Read a whole number; return it and the place after it."""
    value = shift = 0
    while True:
        byte = content[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value, at
        shift += 7


def _read_varints(content: memoryview) -> list[int]:
    numbers, at = [], 0
    while at < len(content):
        number, at = _read_varint(content, at)
        numbers.append(number)
    return numbers


def _read_name(message: _Message, field: int) -> str:
    return _as_text(message[field][0])


def _as_message(value: memoryview | int) -> _Message:
    return _read_message(_as_bytes(value))


def _as_text(value: memoryview | int) -> str:
    return bytes(_as_bytes(value)).decode()


def _as_bytes(value: memoryview | int) -> memoryview:
    if isinstance(value, int):
        raise ValueError("expected bytes")
    return value
