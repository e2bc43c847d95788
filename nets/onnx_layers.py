"""Read the layers of a net from an ONNX file, without the runtime.

Only a chain is read: a matrix product with biases (``Gemm``), then ReLU or sigmoid, from the one input to the
output `OUTPUT_NAME`. Such files need a few fields of the format's many.

*Source:* onnx.proto of https://github.com/onnx/onnx, and the encoding of protocol buffers,
https://protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nets.onnx_model import OUTPUT_NAME

_Message = dict[int, list[bytes | int]]

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED_SIZES = {_FIXED64: 8, _FIXED32: 4}

# Numbers of fields, by message.
_MODEL_GRAPH = 7
_GRAPH_NODE, _GRAPH_INITIALIZER, _GRAPH_INPUT = 1, 5, 11
_NODE_INPUT, _NODE_OUTPUT, _NODE_OPERATOR, _NODE_ATTRIBUTE = 1, 2, 4, 5
_TENSOR_DIMS, _TENSOR_TYPE, _TENSOR_NAME, _TENSOR_BYTES = 1, 2, 8, 9
_VALUE_NAME = 1

_FLOAT32 = 1


class Layer(NamedTuple):
    """A layer of a net.

    Attributes:
        weights: ``float32[inputs, units]``.
        biases: ``float32[units]``.
        activation: ``Relu`` or ``Sigmoid``.
    """

    weights: NDArray[np.float32]
    biases: NDArray[np.float32]
    activation: str


def read_layers(content: bytes) -> Sequence[Layer] | None:
    """Read the layers of a net.

    Args:
        content: The bytes of the ``.onnx`` file.

    Returns:
        The layers from the input to the output; None if the file is no such chain, or no net at all.
    """
    try:
        return _read_chain(_as_message(_read_message(content)[_MODEL_GRAPH][0]))
    except (KeyError, IndexError, ValueError, TypeError):
        return None


def _read_chain(graph: _Message) -> Sequence[Layer] | None:
    tensors = dict(_read_tensor(_as_message(tensor)) for tensor in graph[_GRAPH_INITIALIZER])
    names = [_read_name(_as_message(value), _VALUE_NAME) for value in graph[_GRAPH_INPUT]]
    (current,) = (name for name in names if name not in tensors)
    nodes = [_as_message(node) for node in graph[_GRAPH_NODE]]
    layers: list[Layer] = []
    for product, function in zip(nodes[::2], nodes[1::2], strict=True):
        inputs, weights, biases = (_as_text(name) for name in product[_NODE_INPUT])
        operators = [_read_name(node, _NODE_OPERATOR) for node in (product, function)]
        is_linked = inputs == current and function[_NODE_INPUT] == product[_NODE_OUTPUT]
        has_attributes = _NODE_ATTRIBUTE in product or _NODE_ATTRIBUTE in function
        if has_attributes or not is_linked or operators not in (["Gemm", "Relu"], ["Gemm", "Sigmoid"]):
            return None
        layers.append(Layer(tensors[weights], tensors[biases], operators[1]))
        current = _read_name(function, _NODE_OUTPUT)
    return layers if current == OUTPUT_NAME and _fit_together(layers) else None


def _fit_together(layers: Sequence[Layer]) -> bool:
    """Return whether the shapes are those of a net."""
    inputs = layers[0].weights.shape[:1]
    for layer in layers:
        if layer.weights.shape != inputs + layer.biases.shape or layer.biases.ndim != 1:
            return False
        inputs = layer.biases.shape
    return True


def _read_tensor(tensor: _Message) -> tuple[str, NDArray[np.float32]]:
    """Read a named tensor of float32; raise ValueError for others."""
    if tensor[_TENSOR_TYPE] != [_FLOAT32]:
        raise ValueError("expected float32")
    shape = []
    for dim in tensor[_TENSOR_DIMS]:
        shape += [dim] if isinstance(dim, int) else _read_varints(dim)
    numbers = np.frombuffer(_as_bytes(tensor[_TENSOR_BYTES][0]), "<f4").reshape(shape)
    return _read_name(tensor, _TENSOR_NAME), numbers.astype(np.float32)


def _read_message(content: bytes) -> _Message:
    """Read the fields of a message by number; those of text, tensors and messages as bytes."""
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


def _read_varint(content: bytes, at: int) -> tuple[int, int]:
    """Read a whole number; return it and the place after it."""
    value = shift = 0
    while True:
        byte = content[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value, at
        shift += 7


def _read_varints(content: bytes) -> list[int]:
    numbers, at = [], 0
    while at < len(content):
        number, at = _read_varint(content, at)
        numbers.append(number)
    return numbers


def _read_name(message: _Message, field: int) -> str:
    return _as_text(message[field][0])


def _as_message(value: bytes | int) -> _Message:
    return _read_message(_as_bytes(value))


def _as_text(value: bytes | int) -> str:
    return _as_bytes(value).decode()


def _as_bytes(value: bytes | int) -> bytes:
    if isinstance(value, int):
        raise ValueError("expected bytes")
    return value
