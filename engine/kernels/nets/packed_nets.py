"""Nets with any number of layers, packed together, so that one compiled form serves all of them.

Most inputs and most hidden units are zero, so a layer adds the rows of weights of those that are not. The
first layer has a row for each number of checkers on each place: the sum of the rows of their inputs. A few
positions go through a layer together, 64 units at a time, whose weights then stay in the fastest cache. Each
position's sums are added up in the same order wherever it is, so its outcome does not depend on the others.

The first layer of a net with patterns adds the rows of `gammond.engine.kernels.nets.patterns` too, which are
whole numbers of 8 bits with a scale for each unit. Nets that have the same ones share them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import borrowing, inlined, kernel
from gammond.engine.kernels.nets import expert248 as kernel_expert
from gammond.engine.kernels.nets import patterns as kernel_patterns
from gammond.engine.kernels.nets import tesauro196 as kernel_tesauro
from gammond.engine.kernels.nets.sparse import sigmoid
from gammond.engine.kernels.vectors import GROUP, add_byte_rows, add_narrow_rows, add_rows, list_nonzero

FEATURES, PATTERNS = 1, 2
"""What a packed net has besides places, added up: its encoder."""

RELU, SIGMOID = range(2)
"""What becomes of the sums of a layer."""

BLOCK = 32
"""Positions that go through a layer together."""

OUTCOMES = 5

# Columns of `PackedNets.nets`.
_ENCODER, _FIRST_LAYER, _END_LAYER, _PATTERNS, _SCALES = range(5)

# Columns of `PackedNets.layers`: the number of rows of weights, and of units; what becomes of the
# sums; and the places of the biases and of the rows of the first group of units.
_INPUTS, _UNITS, _ACTIVATION, _BIASES, _ROWS = range(5)

_MOST_LISTED = kernel_tesauro.MAX_ACTIVE_INPUTS + 2 * kernel_expert.SIDE_FEATURES
"""Rows that a first layer adds at most."""

_ZERO = np.float32(0.0)
_NO_BOUND = np.float32(-np.inf)


class PackedNets(NamedTuple):
    """Nets with five outputs; made by `gammond.nets.compiled_net.pack_nets`.

    Attributes:
        weights: ``float32[w]``: of each layer the biases, and for each group of units, `LANES` in the last
            layer, a row for each input, in whole groups; in a first layer
            `gammond.engine.kernels.nets.tesauro196.PLACE_ROWS` rows, and one for each feature of
            `gammond.engine.kernels.nets.expert248`; and the scales of patterns.
        patterns: ``int8[p]``: for each group of units a row for each pattern.
        layers: ``int64[l, 5]``, the layers of all nets.
        nets: ``int64[k, 5]``: what a net has besides places, where its layers begin and end, and the places
            of its patterns and of their scales.
        width: The most units of a layer, in whole groups.
    """

    weights: NDArray[np.float32]
    patterns: NDArray[np.int8]
    layers: NDArray[np.int64]
    nets: NDArray[np.int64]
    width: int


NO_NETS = PackedNets(
    np.empty(0, np.float32), np.empty(0, np.int8), np.empty((0, 5), np.int64), np.empty((0, 5), np.int64), 0
)


class BlockBuffers(NamedTuple):
    """Buffers for `BLOCK` positions; made by `make_block_buffers`.

    Attributes:
        values: ``float32[2, BLOCK, width]``, scratch: inputs and outputs of a layer by turns.
        rows: ``uint16[BLOCK, k]``, scratch: the rows of weights that a layer adds.
        factors: ``float32[BLOCK, k]``, scratch: their factors.
        counts: ``int64[BLOCK]``, scratch.
        patterns: ``uint16[BLOCK, kernel_patterns.MOST_LISTED]``, scratch: the rows of patterns.
        pattern_counts: ``int64[BLOCK]``, scratch.
        pattern_sums: ``float32[BLOCK * GROUP]``, scratch: of each position those of a group of units.
    """

    values: NDArray[np.float32]
    rows: NDArray[np.uint16]
    factors: NDArray[np.float32]
    counts: NDArray[np.int64]
    patterns: NDArray[np.uint16]
    pattern_counts: NDArray[np.int64]
    pattern_sums: NDArray[np.float32]


@kernel
def make_block_buffers(packed: PackedNets) -> BlockBuffers:
    """Make the buffers for some nets."""
    return BlockBuffers(
        values=np.empty((2, BLOCK, packed.width), np.float32),
        rows=np.empty((BLOCK, max(packed.width, _MOST_LISTED) + GROUP), np.uint16),
        factors=np.empty((BLOCK, max(packed.width, _MOST_LISTED) + GROUP), np.float32),
        counts=np.empty(BLOCK, np.int64),
        patterns=np.empty((BLOCK, kernel_patterns.MOST_LISTED), np.uint16),
        pattern_counts=np.empty(BLOCK, np.int64),
        pattern_sums=np.empty(BLOCK * GROUP, np.float32),
    )


@borrowing
def evaluate_block(packed: PackedNets, net: int, boards: NDArray[np.int8], buffers: BlockBuffers) -> int:
    """Evaluate positions with one net, without making the outcomes consistent.

    Args:
        packed: The nets.
        net: The number of the net.
        boards: ``int8[n, 2, 26]``, the positions, 1 to `BLOCK`.
        buffers: Scratch.

    Returns:
        The half of ``buffers.values`` with the outcomes in its first rows and columns.
    """
    inputs, outputs = buffers.values[0], buffers.values[1]
    rows, factors, counts = buffers.rows, buffers.factors, buffers.counts
    count = boards.shape[0]
    encoder = packed.nets[net, _ENCODER]
    for i in range(count):
        counts[i] = kernel_tesauro.list_points(boards, i, rows, factors, i)
    if encoder & FEATURES:
        kernel_expert.write_features(boards, 0, inputs)
        for i in range(count):
            for k in range(2 * kernel_expert.SIDE_FEATURES, GROUP):
                inputs[i, k] = _ZERO
            counts[i] = list_nonzero(inputs, i, GROUP, kernel_tesauro.PLACE_ROWS, counts[i], rows, factors)
    if encoder & PATTERNS:
        for i in range(count):
            buffers.pattern_counts[i] = kernel_patterns.list_patterns(boards, i, buffers.patterns, i)
    first, last = packed.nets[net, _FIRST_LAYER], packed.nets[net, _END_LAYER] - 1
    for layer in range(first, last):
        _run_hidden_layer(
            packed, net, layer, layer == first and encoder & PATTERNS != 0, count, buffers, outputs
        )
        inputs, outputs = outputs, inputs
        for i in range(count):
            counts[i] = list_nonzero(inputs, i, packed.layers[layer + 1, _INPUTS], 0, 0, rows, factors)
    _run_last_layer(packed, last, count, buffers, outputs)
    return (last - first + 1) % 2


@inlined
def _run_hidden_layer(
    packed: PackedNets,
    net: int,
    layer: int,
    has_patterns: bool,
    count: int,
    buffers: BlockBuffers,
    outputs: NDArray[np.float32],
) -> None:
    """Write the outputs of a layer for the first lists of rows."""
    weights, rows, factors, counts = packed.weights, buffers.rows, buffers.factors, buffers.counts
    sums = buffers.pattern_sums
    rows_of_group = packed.layers[layer, _INPUTS]
    least = _ZERO if packed.layers[layer, _ACTIVATION] == RELU else _NO_BOUND
    for first in range(0, packed.layers[layer, _UNITS], GROUP):
        bias = packed.layers[layer, _BIASES] + first
        base = packed.layers[layer, _ROWS] + first * rows_of_group
        if not has_patterns:
            for i in range(count):
                add_rows(weights, bias, weights, base, rows, factors, i, counts[i], least, outputs, first)
            continue
        own = packed.nets[net, _PATTERNS] + first * kernel_patterns.ROWS
        scale = packed.nets[net, _SCALES] + first
        for i in range(count):
            listed = buffers.pattern_counts[i]
            add_byte_rows(
                packed.patterns, own, buffers.patterns, i, listed, weights, bias, scale, sums, i * GROUP
            )
        for i in range(count):
            add_rows(sums, i * GROUP, weights, base, rows, factors, i, counts[i], least, outputs, first)
    _apply_sigmoid(packed, layer, count, outputs)


@inlined
def _run_last_layer(
    packed: PackedNets, layer: int, count: int, buffers: BlockBuffers, outputs: NDArray[np.float32]
) -> None:
    """Write the outcomes for the first lists of rows."""
    weights, rows, factors, counts = packed.weights, buffers.rows, buffers.factors, buffers.counts
    bias, base = packed.layers[layer, _BIASES], packed.layers[layer, _ROWS]
    least = _ZERO if packed.layers[layer, _ACTIVATION] == RELU else _NO_BOUND
    for i in range(count):
        add_narrow_rows(weights, bias, weights, base, rows, factors, i, counts[i], least, outputs, 0)
    _apply_sigmoid(packed, layer, count, outputs)


@inlined
def _apply_sigmoid(packed: PackedNets, layer: int, count: int, outputs: NDArray[np.float32]) -> None:
    """Replace the sums of a layer that asks for it."""
    if packed.layers[layer, _ACTIVATION] == SIGMOID:
        for i in range(count):
            for k in range(packed.layers[layer, _UNITS]):
                outputs[i, k] = sigmoid(outputs[i, k])
