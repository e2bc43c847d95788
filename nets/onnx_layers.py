"""Read the layers of a net from an ONNX file, without the runtime.

Only a chain is read: a matrix product with biases (``Gemm``), then ReLU or sigmoid, from the one input to the
output `OUTPUT_NAME`. The first layer may take some of the inputs as numbers of rows to add (``Split``,
``Gather``, ``ReduceSum``, ``Mul``), whole numbers of 8 bits with a scale for each unit. Such files need a few
fields of the format's many. A tensor that several nets share may lie in a file beside them (ONNX's external
data), which a process reads once.

*Source:* onnx.proto of https://github.com/onnx/onnx, and the encoding of protocol buffers,
https://protobuf.dev/programming-guides/encoding.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.runtime.files import read_data_file
from gammond.nets.onnx_model import MAX_NET_BYTES, OUTPUT_NAME

_Tensor = NDArray[Any]
_Message = dict[str, list[Any]]
"""The fields of a message by name, each as a list: numbers, texts, views of bytes, or messages."""

_Schema = Mapping[int, tuple[str, Any]]
"""The fields of a message that are read: by number the name, and the type or the schema."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED_SIZES = {_FIXED64: 8, _FIXED32: 4}

_ATTRIBUTE: _Schema = {1: ("name", str), 3: ("number", int)}
_NODE: _Schema = {
    1: ("inputs", str),
    2: ("outputs", str),
    4: ("operator", str),
    5: ("attributes", _ATTRIBUTE),
}
_PLACE: _Schema = {1: ("key", str), 2: ("value", str)}
_TENSOR: _Schema = {
    1: ("dims", int),
    2: ("type", int),
    8: ("name", str),
    9: ("bytes", memoryview),
    13: ("place", _PLACE),
}
_GRAPH: _Schema = {1: ("nodes", _NODE), 5: ("tensors", _TENSOR), 11: ("inputs", {1: ("name", str)})}
_MODEL: _Schema = {7: ("graph", _GRAPH)}

_FLOAT32, _INT8, _INT64 = 1, 3, 7
_TYPES = {_FLOAT32: "<f4", _INT8: "<i1", _INT64: "<i8"}

_LOCATION, _CHECKSUM = "location", "checksum"
"""Keys of a tensor that is all of another file: the file's name, and the SHA-1 of its bytes."""

_SHARED: WeakValueDictionary[str, NDArray[Any]] = WeakValueDictionary()
"""The tensors of other files that nets of this process use, by checksum, type and shape."""


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


def read_shared_tensors(content: bytes, folder: Path) -> dict[str, NDArray[Any]]:
    """Read the tensors of a net that lie in files beside it, each once while a net of this process uses it.

    Args:
        content: The bytes of the ``.onnx`` file.
        folder: The folder of the file.

    Returns:
        Them by name, read-only; none for a file that is no net.

    Raises:
        DataFileError: A file is missing, lies elsewhere, or is not the one that the net was made with.
    """
    try:
        shared = [tensor for tensor in _read_graph(content)["tensors"] if tensor["place"]]
        return {tensor["name"][0]: _read_shared_tensor(tensor, folder) for tensor in shared}
    except (KeyError, IndexError, ValueError, TypeError):
        return {}


def read_weights(name: str, content: bytes, names: Sequence[str]) -> list[NDArray[np.float32]]:
    """Read tensors of a net of any shape.

    Args:
        name: The net's name in errors.
        content: The bytes of the ``.onnx`` file.
        names: Names of its tensors, none of which lies in another file.

    Raises:
        DataFileError: It lacks one of them.
    """
    try:
        tensors = _read_own_tensors(_read_graph(content))
    except (KeyError, IndexError, ValueError, TypeError):
        tensors = {}
    if missing := [each for each in names if each not in tensors]:
        raise DataFileError(
            f"net {name} lacks the weights {', '.join(missing)}: export it again", field="net"
        )
    return [np.ascontiguousarray(tensors[each], np.float32) for each in names]


def read_layers(content: bytes, shared: Mapping[str, NDArray[Any]] | None = None) -> Sequence[Layer] | None:
    """Read the layers of a net.

    Args:
        content: The bytes of the ``.onnx`` file.
        shared: Its tensors that lie in other files, of `read_shared_tensors`.

    Returns:
        The layers from the input to the output; None if the file is no such chain, or no net at all.
    """
    try:
        return _read_chain(_read_graph(content), shared or {})
    except (KeyError, IndexError, ValueError, TypeError):
        return None


def _read_chain(graph: _Message, shared: Mapping[str, _Tensor]) -> Sequence[Layer] | None:
    """Read the layers from the output back to the input; None if operators are left over."""
    tensors = {**shared, **_read_own_tensors(graph)}
    names = [value["name"][0] for value in graph["inputs"]]
    (inputs,) = (name for name in names if name not in tensors)
    made = {output: node for node in graph["nodes"] for output in node["outputs"]}
    layers: list[Layer] = []
    current = OUTPUT_NAME
    while current != inputs:
        (activation,) = made[current]["operator"]
        if activation not in ("Relu", "Sigmoid"):
            return None
        (sums,) = _take(made, current, activation)
        if activation == "Relu" and made[sums]["operator"] == ["Add"]:
            layer, current = _take_pattern_layer(made, tensors, sums)
            if current != inputs:  # of a later layer
                return None
        else:
            current, weights, biases = _take(made, sums, "Gemm")
            layer = Layer(tensors[weights], tensors[biases], activation)
        layers.insert(0, layer)
    is_single = all(layer.weights.dtype == np.float32 for layer in layers)
    return layers if not made and is_single and _fit_together(layers) else None


def _take(made: dict[str, _Message], name: str, operator: str, **attributes: int) -> list[str]:
    """Take the operator that makes a value out of those that are left, and return the names of its inputs.

    Raises:
        KeyError: None does.
        IndexError: It has an attribute that is no number.
        ValueError: It is another operator, or has other attributes.
    """
    node = made.pop(name)
    found = {each["name"][0]: each["number"][0] for each in node["attributes"]}
    if node["operator"] != [operator] or found != attributes:
        raise ValueError(f"expected {operator} with the attributes {attributes}")
    inputs: list[str] = node["inputs"]
    return inputs


def _take_pattern_layer(
    made: dict[str, _Message], tensors: Mapping[str, _Tensor], sums: str
) -> tuple[Layer, str]:
    """Take a layer that adds rows by their numbers; raise ValueError for another one.

    The first of its inputs are values, which are multiplied by weights, the others are the numbers.

    Returns:
        The layer, and the name of its inputs.
    """
    products, scaled = _take(made, sums, "Add")
    values, weights, biases = _take(made, products, "Gemm")
    added, scales = _take(made, scaled, "Mul")
    widened, axes = _take(made, added, "ReduceSum", keepdims=0)
    (gathered,) = _take(made, widened, "Cast", to=_FLOAT32)
    rows, whole = _take(made, gathered, "Gather")
    (numbers,) = _take(made, whole, "Cast", to=_INT64)
    is_split = made[values]["outputs"] == [values, numbers]
    inputs, sizes = _take(made, values, "Split", axis=1)
    del made[numbers]
    layer = Layer(tensors[weights], tensors[biases], "Relu", AddedRows(tensors[rows], tensors[scales]))
    is_whole = tensors[rows].dtype == np.int8 and tensors[scales].dtype == np.float32
    units = layer.weights.shape[1:]
    shapes = tensors[rows].shape[1:], tensors[scales].shape, tensors[axes].tolist()
    is_right = tensors[sizes].tolist()[0] == len(layer.weights) and shapes == (units, units, [1])
    if not (is_split and is_whole and is_right):
        raise ValueError("expected rows of weights for the inputs that are values, and others to add")
    return layer, inputs


def _fit_together(layers: Sequence[Layer]) -> bool:
    """Return whether the shapes are those of a net."""
    inputs = layers[0].weights.shape[:1]
    for layer in layers:
        if layer.weights.shape != inputs + layer.biases.shape or layer.biases.ndim != 1:
            return False
        inputs = layer.biases.shape
    return True


def _read_graph(content: bytes) -> _Message:
    graph: _Message = _read_message(memoryview(content), _MODEL)["graph"][0]
    return graph


def _read_own_tensors(graph: _Message) -> dict[str, _Tensor]:
    """Read the tensors that lie in the file itself; raise ValueError for numbers of unknown types."""
    found = {}
    for tensor in graph["tensors"]:
        if not tensor["place"]:
            kind, shape = _read_type(tensor)
            numbers = np.frombuffer(tensor["bytes"][0], kind).reshape(shape)
            is_copied = numbers.itemsize > 1  # those of 8 bits are most of a file, and read-only as they are
            found[tensor["name"][0]] = numbers.astype(numbers.dtype.newbyteorder("="), copy=is_copied)
    return found


def _read_shared_tensor(tensor: _Message, folder: Path) -> _Tensor:
    """Return a tensor that is all of another file."""
    place = {pair["key"][0]: pair["value"][0] for pair in tensor["place"]}
    name, checksum, (kind, shape) = place[_LOCATION], place.get(_CHECKSUM, ""), _read_type(tensor)
    is_beside = name == Path(name).name and not name.startswith(".")
    if not (is_beside and name and checksum) or place.keys() & {"offset", "length"}:
        raise DataFileError(
            f"expected weights in a whole file beside the net, with its checksum, got {name[:80]!r}",
            field="net",
        )
    key = f"{checksum} {kind} {shape}"
    if (known := _SHARED.get(key)) is not None:
        return known
    content = read_data_file(folder / name, MAX_NET_BYTES, f"weights {name}", "net")
    if hashlib.sha1(content, usedforsecurity=False).hexdigest() != checksum:
        raise DataFileError(f"weights {name} have another SHA-1 than the net says, {checksum}", field="net")
    if len(content) != math.prod(shape) * np.dtype(kind).itemsize:
        raise DataFileError(f"weights {name}: expected numbers {kind[1:]} of shape {shape}", field="net")
    numbers = np.frombuffer(content, kind).reshape(shape)
    return _SHARED.setdefault(key, numbers.astype(numbers.dtype.newbyteorder("="), copy=False))


def _read_type(tensor: _Message) -> tuple[str, list[int]]:
    """Return the type of the numbers of a tensor, and its shape; raise ValueError for one not in `_TYPES`."""
    (number,) = tensor["type"]
    if number not in _TYPES:
        raise ValueError("expected float32, int8 or int64")
    return _TYPES[number], tensor["dims"]


def _read_message(content: memoryview, schema: _Schema) -> _Message:
    """Read the fields of a message that its schema has; raise ValueError or IndexError if it is damaged."""
    fields: _Message = {name: [] for name, _ in schema.values()}
    at = 0
    while at < len(content):
        key, at = _read_varint(content, at)
        value, at = _read_value(content, at, key & 7)
        if key >> 3 in schema:
            name, form = schema[key >> 3]
            fields[name] += _decode(value, form)
    return fields


def _read_value(content: memoryview, at: int, kind: int) -> tuple[memoryview | int, int]:
    """Read a field by the kind of its encoding, bytes as a view; return it and the place after it."""
    if kind == _VARINT:
        return _read_varint(content, at)
    size = _FIXED_SIZES.get(kind, len(content))
    if kind == _BYTES:
        size, at = _read_varint(content, at)
    if at + size > len(content):
        raise ValueError("truncated")
    return content[at : at + size], at + size


def _decode(value: memoryview | int, form: type | _Schema) -> list[Any]:
    """Return the values of a field: one, or several whole numbers in a row."""
    if isinstance(value, int) or form is int:
        if form is not int:
            raise ValueError("expected bytes")
        return [value] if isinstance(value, int) else _read_varints(value)
    if isinstance(form, Mapping):
        return [_read_message(value, form)]
    return [bytes(value).decode() if form is str else value]


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
