"""Nets in compiled loops, by the weights in their ONNX files: to evaluate, and small ones to prune plays."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.evaluation.pruning import Replies
from gammond.engine.kernels import as_kernel_array
from gammond.engine.kernels.disk_cache import find_folders, hash_sources, identify_target
from gammond.engine.kernels.instructions import LANES
from gammond.engine.kernels.interrupts import NO_QUESTION
from gammond.engine.kernels.nets import packed_nets as kernel_packed
from gammond.engine.kernels.nets import patterns as kernel_patterns
from gammond.engine.kernels.nets import routing as kernel_routing
from gammond.engine.kernels.nets import tesauro196 as kernel_tesauro
from gammond.engine.kernels.nets.packed_nets import PackedNets
from gammond.engine.kernels.nets.play_evaluation import prune_plays
from gammond.engine.kernels.nets.sparse import OneLayerWeights
from gammond.engine.kernels.vectors import GROUP
from gammond.engine.rules.outcome import Outcomes
from gammond.engine.rules.position import CHECKERS, OFF, Board
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.runtime.threads import release_turn
from gammond.nets.encoders import Encoder, get_encoder
from gammond.nets.manifest import MANIFEST_FILE, NetEntry, read_net_file
from gammond.nets.onnx_layers import AddedRows, Layer, read_layers, read_shared_tensors
from gammond.nets.onnx_model import NetEvaluator, OnnxModel

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
_LARGEST_INPUT = 1e3
"""More than any encoder gives."""

_ALL_TO_FIRST = np.zeros(kernel_routing.NET_CLASSES, np.int64)
_ALIGNMENT = 64
"""Bytes: vectors begin at whole cache lines."""


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
                self._packed,
                _ALL_TO_FIRST,
                NO_QUESTION,
                boards,
                np.zeros(len(boards), np.int8),
                True,
                outcomes,
            )
        return outcomes

    def agrees_with_runtime(self) -> bool:
        """Return whether the outcomes of a few positions are those of the runtime, if it has the net.

        Raises:
            DataFileError: The runtime cannot load the net, or results of it may be no numbers.
        """
        if self.model is None:
            return True
        if not _stays_finite(self.layers):
            raise DataFileError(
                f"net {self.name} has weights that are no numbers, or so large that results may be none: "
                "make or export it again",
                field="net",
            )
        boards = _make_test_boards()
        expected = self.model.run(self.encoder.encode(boards))
        return bool(np.allclose(self.evaluate(boards), expected, rtol=0, atol=TOLERANCE))


def load_net(entry: NetEntry, folder: Path = MANIFEST_FILE.parent) -> CompiledNet | NetEvaluator:
    """Load a net after checking its file against the manifest: compiled if its shape is known, else as it is.

    Args:
        entry: Its entry.
        folder: The folder of the manifest.

    Raises:
        DataFileError: The file is missing, is not a net, lacks a file of weights that it shares with others,
            or differs from its entry in its hash, inputs, outputs or, if its shape is known, hidden layers.
    """
    name, content, encoder = entry.name, read_net_file(entry, folder), get_encoder(entry.encoder)
    try:
        shared = read_shared_tensors(content, (folder / entry.file).parent)
    except DataFileError as error:
        raise DataFileError(f"net {name}: {error.message}", field="net") from error
    model = OnnxModel(name, content, encoder.inputs, kernel_packed.OUTCOMES, shared)
    layers = read_layers(content, shared)
    if layers and can_compile(encoder, layers):
        hidden = tuple(len(layer.biases) for layer in layers[:-1])
        if hidden != entry.hidden:
            raise DataFileError(
                f"net {name}: {entry.file} has hidden layers of {_format_sizes(hidden)} units, the manifest "
                f"expects {_format_sizes(entry.hidden)}",
                field="net",
            )
        net = CompiledNet(name, encoder, layers, model)
        if check_once(net, entry.sha256):
            return net
        sys.stderr.write(
            f"gammond: net {name} evaluates differently in compiled loops on this processor, so onnxruntime "
            "runs it; please report this\n"
        )
    model.check()
    return NetEvaluator(name, encoder, model)


def _format_sizes(sizes: tuple[int, ...]) -> str:
    return ", ".join(map(str, sizes)) or "no"


def can_compile(encoder: Encoder, layers: Sequence[Layer]) -> bool:
    """Return whether a net can be a `CompiledNet`."""
    return (
        encoder.id in _ENCODERS
        and len(layers[0].weights) == encoder.values
        and len(layers[-1].biases) == kernel_packed.OUTCOMES
        and _has_rows_of(encoder, layers[0].patterns)
        and (layers[0].patterns is None or len(layers) > 1)
    )


def _has_rows_of(encoder: Encoder, patterns: AddedRows | None) -> bool:
    """Return whether rows are those of an encoder's patterns, and those without checkers zero."""
    if patterns is None or not encoder.patterns:
        return patterns is None and not encoder.patterns
    rows = patterns.weights
    return len(rows) == encoder.pattern_rows and not rows[kernel_patterns.EMPTY_ROWS].any()


def _stays_finite(layers: Sequence[Layer]) -> bool:
    """Return whether no unit can get beyond the numbers of ``float32``, whatever the position."""
    bounds: NDArray[np.float64] = np.full(len(layers[0].weights), _LARGEST_INPUT)
    for layer in layers:
        bounds = bounds @ np.abs(layer.weights.astype(np.float64)) + np.abs(layer.biases)
        if layer.patterns is not None:
            bounds += -np.iinfo(np.int8).min * len(layer.patterns.weights) * np.abs(layer.patterns.scales)
        if not (bounds < np.finfo(np.float32).max).all():
            return False
        if layer.activation == "Sigmoid":
            bounds = np.minimum(bounds, 1.0)
    return True


def check_once(net: CompiledNet, sha256: str) -> bool:
    """Return whether a net agrees with the runtime, which a file in the cache of kernels remembers.

    The runtime takes a tenth of a second to load, so it is asked once for each net, version of the sources,
    of the kernels and of this module, and kind of processor.

    Args:
        net: The net.
        sha256: The hash of its file.

    Raises:
        DataFileError: As `CompiledNet.agrees_with_runtime`.
    """
    name = f"checked-{sha256[:16]}-{hash_sources(__name__)}-{identify_target()}"
    marks = [folder / name for folder in find_folders(kernel_routing.__name__)]
    if any(mark.exists() for mark in marks):
        return True
    if not net.agrees_with_runtime():
        return False
    for mark in marks[-1:]:
        with contextlib.suppress(OSError):
            mark.touch()
    return True


def read_net_weights(name: str, layers: Sequence[Layer] | None) -> OneLayerWeights:
    """Return the weights of a net with one hidden layer, in the form of the kernels.

    Args:
        name: The net's name in errors.
        layers: Its layers, None if they are not known.

    Raises:
        DataFileError: It is another kind of net.
    """
    shapes = [layer.weights.shape for layer in layers or ()]
    activations = [layer.activation for layer in layers or ()]
    is_known = len(shapes) == 2 and shapes[0][0] == kernel_tesauro.INPUTS and shapes[1][1] == 5
    if not layers or not is_known or activations != ["Relu", "Sigmoid"]:
        raise DataFileError(
            f"net {name}: expected one hidden layer of ReLU on {kernel_tesauro.INPUTS} inputs and five "
            f"outputs, got weights of the shapes {', '.join(map(str, shapes)) or '(unknown)'}",
            field="net",
        )
    first, second = layers
    return first.weights, first.biases, np.ascontiguousarray(second.weights.T), second.biases


class PruningNet:
    """Prunes plays with a contact and a race net on `tesauro196` inputs; a `PlayPruner`.

    Its equities are those of the bare nets: only finished positions are exact.

    Args:
        name: Its name in documents and replies.
        contact: Weights of the net for contact.
        race: Weights of the net for races.

    Attributes:
        weights: Those of the nets for contact and for races.
    """

    def __init__(self, name: str, contact: OneLayerWeights, race: OneLayerWeights) -> None:
        self.name = name
        self.weights = contact, race

    def prune_plays(self, boards: Board, dice: NDArray[np.int8], keep: int, margin: float) -> Replies:
        """Return promising plays, as `gammond.engine.evaluation.pruning.PlayPruner.prune_plays`."""
        boards = as_kernel_array(boards, np.int8)
        dice = as_kernel_array(dice, np.int8)
        count, done = len(boards), 0
        rows = min(count * keep, 16 * count + 4096)
        children, moves = np.empty((rows, 2, 26), np.int8), np.empty((rows, 8), np.int8)
        equities, offsets = np.empty(rows, np.float32), np.zeros(count + 1, np.int64)
        while True:
            replies = children, moves, equities, offsets
            with release_turn():
                done = prune_plays(self.weights, keep, margin, boards, dice, done, replies)
            if done == count:
                break
            rows = 2 * rows + 4096
            children, moves = np.resize(children, (rows, 2, 26)), np.resize(moves, (rows, 8))
            equities = np.resize(equities, rows)
        used = int(offsets[-1])
        return Replies(children[:used], moves[:used], equities[:used], offsets)


def pack_nets(nets: Sequence[CompiledNet]) -> PackedNets:
    """Pack nets into the arrays of the kernels, numbered in their order.

    Args:
        nets: One or more.
    """
    weights, patterns = _Parts(np.float32), _Parts(np.int8)
    shared: list[tuple[AddedRows, int]] = []
    layers: list[tuple[int, ...]] = []
    ranges = []
    for net in nets:
        first = len(layers)
        for number, layer in enumerate(net.layers):
            rows = layer.weights if number else _make_place_rows(layer.weights, net.encoder.id)
            activation = _ACTIVATIONS[layer.activation]
            width = LANES if number == len(net.layers) - 1 else GROUP
            places = weights.add_vector(layer.biases), weights.add_matrix(_pad_rows(rows), width)
            layers.append((_round_up(len(rows)), len(layer.biases), activation, *places))
        pattern_places = 0, 0
        if (added := net.layers[0].patterns) is not None:
            place = next((place for each, place in shared if added.are_those_of(each)), None)
            if place is None:
                place = patterns.add_matrix(added.weights, GROUP)
                shared.append((added, place))
            pattern_places = place, weights.add_vector(added.scales)
        ranges.append((_ENCODERS[net.encoder.id], first, len(layers), *pattern_places))
    widths = [_round_up(layer[1]) for layer in layers]
    tables = np.array(layers, np.int64), np.array(ranges, np.int64)
    return PackedNets(weights.pack(), patterns.pack(), *tables, max(widths))


class _Parts:
    """Weights of nets in the order in which they are added."""

    def __init__(self, dtype: type[np.generic]) -> None:
        self._dtype = dtype
        self._parts: list[NDArray[Any]] = []
        self._size = 0

    def add_vector(self, vector: NDArray[Any]) -> int:
        """Add a number for each unit of a layer; return their place."""
        return self._add(np.pad(vector, (0, _round_up(len(vector)) - len(vector))))

    def add_matrix(self, matrix: NDArray[Any], width: int) -> int:
        """Add the weights of a layer, by groups of units as wide as given; return their place."""
        more = -matrix.shape[1] % width
        rows = np.pad(matrix, ((0, 0), (0, more)))
        return self._add(rows.reshape(len(rows), -1, width).transpose(1, 0, 2))

    def pack(self) -> NDArray[Any]:
        """Return all of them, from a whole cache line on."""
        room = np.empty(self._size + _ALIGNMENT, self._dtype)
        start = -room.ctypes.data % _ALIGNMENT // room.itemsize
        packed = room[start : start + self._size]
        if self._parts:
            np.concatenate(self._parts, out=packed)
        return packed

    def _add(self, part: NDArray[Any]) -> int:
        place = self._size
        self._parts.append(part.ravel())
        self._size += part.size
        return place


def _make_place_rows(weights: NDArray[np.float32], encoder_id: str) -> NDArray[np.float32]:
    """Return a first layer's rows for each number of checkers on each place, then those of other inputs."""
    others = weights[kernel_tesauro.INPUTS :]
    inputs = kernel_tesauro.PLACE_INPUTS[:, None] + np.arange(kernel_tesauro.UNITS)
    inputs = np.minimum(inputs, kernel_tesauro.SIDE_INPUTS - 1)  # beyond, the values are zero
    of_places = []
    for first in (0, kernel_tesauro.SIDE_INPUTS):
        of_inputs = weights[first + inputs]
        of_places.append(np.einsum("pnk,pku->npu", kernel_tesauro.PLACE_VALUES[:, 1:], of_inputs))
    if encoder_id in ("race226", "race263"):
        for rows_of_side, of_off in zip(of_places, others.reshape(2, CHECKERS, -1), strict=True):
            rows_of_side[:, OFF] += of_off
        others = others[:0]
    rows = np.concatenate(of_places, axis=1).reshape(kernel_tesauro.PLACE_ROWS, -1)
    return np.concatenate([rows, others])


def _pad_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.pad(rows, ((0, _round_up(len(rows)) - len(rows)), (0, 0)))


def _round_up(number: int) -> int:
    return -(-number // GROUP) * GROUP


def _make_test_boards() -> Board:
    """Make positions: the opening with a back checker of either side on any point, on the bar or off."""
    boards = np.repeat(STANDARD_RULES.starting_position.board[None], 52, axis=0)
    for i, board in enumerate(boards):
        board[i // 26, 24] -= 1
        board[i // 26, i % 26] += 1
    return boards
