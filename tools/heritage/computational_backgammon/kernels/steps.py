"""Gradient steps of nets.

`gammond.tools.heritage.computational_backgammon.kernels.evaluation` evaluates them;
`gammond.nets.heritage.computational_backgammon.net` describes mirrored nets.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import fastmath, kernel
from gammond.engine.kernels.nets.sparse import OneLayerWeights
from gammond.engine.kernels.nets.tesauro196 import SIDE_INPUTS, list_active_inputs
from gammond.tools.heritage.computational_backgammon.kernels.evaluation import (
    EvaluationBuffers,
    LearningParameters,
    NetsByKind,
    equity,
    evaluate_position,
)

_ZERO = np.float32(0.0)
_HALF = np.float32(0.5)
_ONE = np.float32(1.0)


@kernel
def learn_position(
    boards: NDArray[np.int8],
    at: int,
    nets: NetsByKind,
    learning: LearningParameters,
    buffers: EvaluationBuffers,
) -> float:
    """Evaluate a position and take a step towards the target; return the squared error of equity."""
    kind = evaluate_position(boards, at, nets, learning, buffers)
    error = equity(buffers.target) - equity(buffers.nodes)
    take_step(boards, at, nets[kind], learning, buffers.units[kind], buffers)
    return float(error * error)


@fastmath
def take_step(
    boards: NDArray[np.int8],
    at: int,
    net: OneLayerWeights,
    learning: LearningParameters,
    units: NDArray[np.float32],
    buffers: EvaluationBuffers,
) -> None:
    """Take one gradient step on the squared error of a position just evaluated, towards the target."""
    w1, b1, w2, b2 = net
    nodes, target, deltas, back = buffers.nodes, buffers.target, buffers.deltas, buffers.back
    count = nodes.shape[0]
    hidden = units.shape[1]
    for k in range(count):
        deltas[k] = (target[k] - nodes[k]) * nodes[k] * (_ONE - nodes[k])
    if count == 3 and learning.weighs_gammons:
        deltas[1] *= target[0]
        deltas[2] *= _ONE - target[0]
    for h in range(hidden):
        back[h] = _ZERO
    for k in range(count):
        for h in range(hidden):
            back[h] += deltas[k] * w2[k, h]
    beta = np.float32(learning.beta)
    for h in range(hidden):
        back[h] *= beta * units[0, h] * (_ONE - units[0, h])
        if learning.has_turn:
            b1[h] += back[h]
    alpha = np.float32(learning.alpha)
    if learning.is_mirrored:
        _step_mirrored_nodes(w2, b2, units, deltas, alpha)
    else:
        for k in range(count):
            b2[k] += alpha * deltas[k]
            for h in range(hidden):
                w2[k, h] += alpha * deltas[k] * units[0, h]
    for i in range(list_active_inputs(boards[at], buffers.rows, buffers.factors)):
        row, factor = buffers.rows[i], buffers.factors[i]
        for h in range(hidden):
            w1[row, h] += factor * back[h]
        if learning.is_mirrored:
            mirror = row - SIDE_INPUTS if row >= SIDE_INPUTS else row + SIDE_INPUTS
            for h in range(hidden):
                w1[mirror, h] -= factor * back[h]


@fastmath
def _step_mirrored_nodes(
    w2: NDArray[np.float32],
    b2: NDArray[np.float32],
    units: NDArray[np.float32],
    deltas: NDArray[np.float32],
    alpha: np.float32,
) -> None:
    """Change the weights of the nodes so that turning the hidden units, u to 1 - u, turns the nodes."""
    half = b2.shape[0] // 2
    for k in range(half + 1):
        other = half + k
        delta = deltas[k]
        if k > 0:
            delta -= deltas[other]
        level = b2[k]
        for h in range(units.shape[1]):
            level += _HALF * w2[k, h]
            w2[k, h] += alpha * delta * (units[0, h] - _HALF)
        if k == 0:
            level = _ZERO
        else:
            level += alpha * (deltas[k] + deltas[other])
            b2[other] = level
        b2[k] = level
        for h in range(units.shape[1]):
            b2[k] -= _HALF * w2[k, h]
            if k > 0:
                w2[other, h] = -w2[k, h]
                b2[other] += _HALF * w2[k, h]
