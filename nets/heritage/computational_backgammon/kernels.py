"""Nets of sigmoid hidden units and any number of sigmoid nodes, on `tesauro196` inputs.

A net is a tuple as in `gammond.engine.kernels.nets.sparse`: w1 ``float32[196, h]``, b1 ``float32[h]``, w2
``float32[n, h]``, b2 ``float32[n]``. `gammond.nets.heritage.computational_backgammon.net` explains its n
nodes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import fastmath, kernel
from gammond.engine.kernels.nets.sparse import OneLayerWeights, compute_first_layer, sigmoid
from gammond.engine.kernels.nets.tesauro196 import MAX_ACTIVE_INPUTS

_ZERO = np.float32(0.0)


@fastmath
def forward_one(
    boards: NDArray[np.int8],
    at: int,
    net: OneLayerWeights,
    rows: NDArray[np.int64],
    factors: NDArray[np.float32],
    units: NDArray[np.float32],
    nodes: NDArray[np.float32],
    row: int,
) -> None:
    """Write the hidden units and the nodes of one position.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: The place of the position.
        net: The net.
        rows: scratch, ``int64[MAX_ACTIVE_INPUTS]``.
        factors: scratch, ``float32[MAX_ACTIVE_INPUTS]``.
        units: out, ``float32[1, h]``.
        nodes: out, ``float32[m, nodes]``.
        row: The row of `nodes` to write.
    """
    _, _, w2, b2 = net
    compute_first_layer(boards, at, net, rows, factors, units, 0)
    for h in range(units.shape[1]):
        units[0, h] = sigmoid(units[0, h])
    for k in range(b2.shape[0]):
        total = _ZERO
        for h in range(units.shape[1]):
            total += units[0, h] * w2[k, h]
        nodes[row, k] = sigmoid(total + b2[k])


@kernel
def forward(boards: NDArray[np.int8], net: OneLayerWeights, nodes: NDArray[np.float32]) -> None:
    """Write the nodes of positions.

    Args:
        boards: ``int8[n, 2, 26]``.
        net: The net.
        nodes: out, ``float32[n, nodes]``.
    """
    rows = np.empty(MAX_ACTIVE_INPUTS, np.int64)
    factors = np.empty(MAX_ACTIVE_INPUTS, np.float32)
    units = np.empty((1, net[1].shape[0]), np.float32)
    for at in range(boards.shape[0]):
        forward_one(boards, at, net, rows, factors, units, nodes, at)
