"""Nets evaluated in compiled loops, from the weights in their ONNX files."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import as_kernel_array
from engine.kernels.disk_cache import find_folder, processor_name
from engine.kernels.vectors import GROUP
from engine.rules.outcome import Outcomes
from engine.rules.position import CHECKERS, Board
from engine.rules.rules import STANDARD_RULES
from engine.runtime.thread_turns import release_turn
from nets.encoders import Encoder
from nets.kernels import packed_nets as kernel_packed
from nets.kernels import patterns as kernel_patterns
from nets.kernels import routing as kernel_routing
from nets.kernels import tesauro196 as kernel_tesauro
from nets.kernels.packed_nets import PackedNets
from nets.net_evaluator import NetEvaluator
from nets.onnx_layers import Layer, read_layers
from nets.onnx_model import OnnxModel

TOLERANCE = 1e-5
"""The most by which an outcome may differ from the runtime's."""

_ENCODERS = {
    "tesauro196": 0,
    "race226": 0,
    "race263": kernel_packed.PATTERNS,
    "expert248": kernel_packed.FEATURES,
    "patterns285": kernel_packed.FEATURES | kernel_packed.PATTERNS,
}
"""Encoders in kernels, by what they have besides places with a row for each number of checkers."""

_ACTIVATIONS = {"Relu": kernel_packed.RELU, "Sigmoid": kernel_packed.SIGMOID}
_ALL_TO_FIRST = np.zeros(kernel_routing.NET_CLASSES, np.int64)
_ALIGNMENT = 16
"""In weights: vectors of 64 bytes begin at whole cache lines."""


class CompiledRoutes(NamedTuple):
    """What `nets.kernels.routing` needs to evaluate positions of all phases but races that are known exactly.

    Attributes:
        packed: The nets.
        net_of_class: ``int64[NET_CLASSES]``, the net of each class of positions.
    """

    packed: PackedNets
    net_of_class: NDArray[np.int64]


class CompiledNet:
    """A net with the five cumulative probabilities as outputs, for positions of any phase but finished ones.

    Args:
        name: Its name in replies.
        encoder: Makes its inputs.
        layers: Its layers; `can_compile` them.
        model: The same net for the runtime, the reference; None for a net that comes from no file.
    """

    plies = 0

    def __init__(
        self, name: str, encoder: Encoder, layers: Sequence[Layer], model: OnnxModel | None = None
    ) -> None:
        self.name = name
        self.encoder = encoder
        self.layers = layers
        self.model = model

    @cached_property
    def _packed(self) -> PackedNets:
        """Its own arrays, made when it is asked by itself: a router packs its nets together."""
        return pack_nets([self])

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions, as `Evaluator.evaluate`; the outputs are not sanitised."""
        boards = as_kernel_array(boards, np.int8)
        outcomes = np.empty((len(boards), 5), np.float32)
        with release_turn():
            kernel_routing.evaluate_classes(
                self._packed, _ALL_TO_FIRST, boards, np.zeros(len(boards), np.int8), True, outcomes
            )
        return outcomes

    def agrees_with_runtime(self) -> bool:
        """Return whether the outcomes of a few positions are those of the runtime, if it has the net.

        Raises:
            DataFileError: The runtime cannot load the net.
        """
        if self.model is None:
            return True
        boards = _make_test_boards()
        expected = self.model.run(self.encoder.encode(boards))
        return bool(np.allclose(self.evaluate(boards), expected, rtol=0, atol=TOLERANCE))


def make_net_evaluator(
    name: str, encoder: Encoder, model: OnnxModel, sha256: str | None = None
) -> CompiledNet | NetEvaluator:
    """Make the evaluator of a net: compiled if its shape is known, otherwise by the runtime.

    Args:
        name: Its name in replies.
        encoder: Makes its inputs.
        model: The net, with the encoder's inputs and five outputs.
        sha256: The hash of its file, for nets that are loaded again and again: see `check_once`.

    Raises:
        DataFileError: The model is not a net with these inputs and outputs.
    """
    layers = read_layers(model.content)
    if layers and can_compile(encoder, layers):
        net = CompiledNet(name, encoder, layers, model)
        if check_once(net, sha256) if sha256 else net.agrees_with_runtime():
            return net
        sys.stderr.write(
            f"gammond: net {name} evaluates differently in compiled loops on this processor, so onnxruntime "
            "runs it; please report this\n"
        )
    model.check()
    return NetEvaluator(name, encoder, model)


def can_compile(encoder: Encoder, layers: Sequence[Layer]) -> bool:
    """Return whether a net can be a `CompiledNet`."""
    return (
        encoder.id in _ENCODERS
        and len(layers[0].weights) == encoder.values
        and (0 if layers[0].patterns is None else len(layers[0].patterns)) == encoder.pattern_rows
        and len(layers[-1].biases) == kernel_packed.OUTCOMES
    )


def check_once(net: CompiledNet, sha256: str) -> bool:
    """Return whether a net agrees with the runtime, which a file in the cache of kernels remembers.

    The runtime takes a tenth of a second to load, so it is asked once for each net, version of the kernels
    and kind of processor.

    Args:
        net: The net.
        sha256: The hash of its file.

    Raises:
        DataFileError: As `CompiledNet.agrees_with_runtime`.
    """
    folder = find_folder(kernel_routing.__name__)
    mark = folder and Path(folder, f"checked-{sha256[:16]}-{processor_name()}")
    if mark and mark.exists():
        return True
    if not net.agrees_with_runtime():
        return False
    if mark:
        with contextlib.suppress(OSError):
            mark.touch()
    return True


def pack_nets(nets: Sequence[CompiledNet]) -> PackedNets:
    """Pack nets into the arrays of the kernels, numbered in their order.

    Args:
        nets: One or more.
    """
    weights = _Weights()
    first_layers = [_make_first_layer(net) for net in nets]
    places = _pack_first_layers(first_layers, weights)
    layers: list[tuple[int, ...]] = []
    ranges = []
    for net, first_layer, place in zip(nets, first_layers, places, strict=True):
        first = len(layers)
        for number, layer in enumerate(net.layers):
            if number:
                inputs, rows = _round_up(len(layer.weights)), weights.add_matrix(layer.weights)
                biases = weights.add_biases(layer.biases)
            else:
                inputs, rows, *_ = place
                biases = weights.add_biases(first_layer.biases)
            layers.append((inputs, len(layer.biases), _ACTIVATIONS[layer.activation], biases, rows))
        ranges.append((_ENCODERS[net.encoder.id], first, len(layers), *place[2:]))
    widths = [_round_up(layer[1]) for layer in layers]
    return PackedNets(weights.pack(), np.array(layers, np.int64), np.array(ranges, np.int64), max(widths))


class _FirstLayer(NamedTuple):
    """The weights of a first layer as kernels add them.

    Attributes:
        rows: ``float32[n, units]``, those of places, then those of features.
        biases: ``float32[units]``, with the rows of patterns without checkers, which are not added.
        patterns: ``float32[m, units]``, those of patterns; None for a layer without any.
    """

    rows: NDArray[np.float32]
    biases: NDArray[np.float32]
    patterns: NDArray[np.float32] | None

    def shares_patterns(self, other: _FirstLayer) -> bool:
        """Return whether another layer has the same rows of patterns."""
        own, others = self.patterns, other.patterns
        return own is not None and others is not None and (own is others or np.array_equal(own, others))


def _make_first_layer(net: CompiledNet) -> _FirstLayer:
    layer = net.layers[0]
    biases = layer.biases
    if layer.patterns is not None:
        biases = biases + layer.patterns[kernel_patterns.EMPTY_ROWS].sum(axis=0)
    return _FirstLayer(_make_place_rows(layer.weights, net.encoder.id), biases, layer.patterns)


class _Weights:
    """The weights of nets in the order in which they are added."""

    def __init__(self) -> None:
        self._parts: list[NDArray[np.float32]] = []
        self._size = 0

    def add_biases(self, biases: NDArray[np.float32]) -> int:
        """Add the biases of a layer; return their place."""
        return self._add(np.pad(biases, (0, _round_up(len(biases)) - len(biases))))

    def add_matrix(self, matrix: NDArray[np.float32]) -> int:
        """Add the weights of a layer, by groups of units; return their place."""
        rows = np.zeros((_round_up(len(matrix)), _round_up(matrix.shape[1])), np.float32)
        rows[: len(matrix), : matrix.shape[1]] = matrix
        return self._add(rows.reshape(len(rows), -1, GROUP).transpose(1, 0, 2))

    def pack(self) -> NDArray[np.float32]:
        """Return all of them, from a whole cache line on."""
        packed = np.empty(self._size + _ALIGNMENT, np.float32)
        start = -packed.ctypes.data // packed.itemsize % _ALIGNMENT
        packed = packed[start : start + self._size]
        np.concatenate(self._parts, out=packed)
        return packed

    def _add(self, part: NDArray[np.float32]) -> int:
        place = self._size
        self._parts.append(part.ravel())
        self._size += part.size
        return place


def _pack_first_layers(layers: Sequence[_FirstLayer], weights: _Weights) -> list[tuple[int, int, int, int]]:
    """Add the weights of first layers, of those with the same patterns in one matrix.

    Returns:
        For each layer the number of rows of its matrix, the place of that, and where in it the rows of the
        layer's own places and those of its patterns begin.
    """
    groups: list[list[int]] = []
    for number, layer in enumerate(layers):
        alike = next((each for each in groups if layer.shares_patterns(layers[each[0]])), None)
        groups.append([number]) if alike is None else alike.append(number)
    places = [(0, 0, 0, 0)] * len(layers)
    for numbers in groups:
        parts = [layers[number].rows for number in numbers]
        starts = np.cumsum([0, *map(len, parts)]).tolist()
        patterns = layers[numbers[0]].patterns
        if patterns is not None:
            empty = patterns[kernel_patterns.EMPTY_ROWS]
            parts.append(patterns - np.repeat(empty, kernel_patterns.ROWS_OF_PATTERN, axis=0))
        matrix = np.concatenate(parts)
        place = weights.add_matrix(matrix)
        for number, start in zip(numbers, starts, strict=False):
            places[number] = _round_up(len(matrix)), place, start, starts[-1]
    return places


def _make_place_rows(weights: NDArray[np.float32], encoder_id: str) -> NDArray[np.float32]:
    """Return a first layer's rows for each number of checkers on each place, then those of other inputs."""
    counts = np.arange(1, 16, dtype=np.float32)[:, None]
    of_places = []
    others = weights[kernel_tesauro.INPUTS :]
    of_off = np.zeros((2, CHECKERS, weights.shape[1]), np.float32)
    if encoder_id in ("race226", "race263"):
        of_off, others = others.reshape(of_off.shape), others[:0]
    for number, first in enumerate((0, kernel_tesauro.SIDE_INPUTS)):
        side = weights[first : first + kernel_tesauro.SIDE_INPUTS]
        points = side[: kernel_tesauro.BAR_INPUT].reshape(24, 4, -1)
        off, bar = side[kernel_tesauro.OFF_INPUT], side[kernel_tesauro.BAR_INPUT]
        of_places += [
            (counts / 15 * off + of_off[number])[:, None],
            np.einsum("nk,pku->npu", kernel_tesauro.POINT_UNITS[1:], points),
            (counts / 2 * bar)[:, None],
        ]
    rows = np.concatenate(of_places, axis=1).reshape(kernel_tesauro.PLACE_ROWS, -1)
    return np.concatenate([rows, others])


def _round_up(number: int) -> int:
    return -(-number // GROUP) * GROUP


def _make_test_boards() -> Board:
    """Make positions: the opening with a back checker of either side on any point, on the bar or off."""
    boards = np.repeat(STANDARD_RULES.starting_position.board[None], 52, axis=0)
    for i, board in enumerate(boards):
        board[i // 26, 24] -= 1
        board[i // 26, i % 26] += 1
    return boards
