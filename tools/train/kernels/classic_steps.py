"""Gradient steps of the nets that `tools.train.kernels.classic_judging` judges with.

What a mirrored net is stands in `nets.classic`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import float_kernel, kernel
from nets.kernels.encode import SIDE_INPUTS, active_inputs
from nets.kernels.sparse import Net, is_race
from tools.train.kernels.classic_judging import Desk, Learning, equity, judge

_ZERO = np.float32(0.0)
_HALF = np.float32(0.5)
_ONE = np.float32(1.0)


@kernel
def learn(
    boards: NDArray[np.int8], at: int, contact: Net, race: Net, learning: Learning, desk: Desk
) -> float:
    """Judge a position and take a step towards the target; returns the squared error of equity."""
    if is_race(boards, at):
        judge(boards, at, race, desk.race_units, desk)
        error = equity(desk.target) - equity(desk.nodes)
        step(boards, at, race, learning, desk.race_units, desk)
    else:
        judge(boards, at, contact, desk.contact_units, desk)
        error = equity(desk.target) - equity(desk.nodes)
        step(boards, at, contact, learning, desk.contact_units, desk)
    return float(error * error)


@float_kernel
def step(
    boards: NDArray[np.int8], at: int, net: Net, learning: Learning, units: NDArray[np.float32], desk: Desk
) -> None:
    """One gradient step on the squared error of a position that has just been judged, towards the target."""
    w1, b1, w2, b2 = net
    nodes, target, deltas, back = desk.nodes, desk.target, desk.deltas, desk.back
    count = nodes.shape[0]
    hidden = units.shape[1]
    for k in range(count):
        deltas[k] = (target[k] - nodes[k]) * nodes[k] * (_ONE - nodes[k])
    if count == 3:  # a share of wins is learned from in so far as the game is won, one of losses likewise
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
        b1[h] += back[h]
    alpha = np.float32(learning.alpha)
    if learning.is_mirrored:
        _step_mirrored_nodes(w2, b2, units, deltas, alpha)
    else:
        for k in range(count):
            b2[k] += alpha * deltas[k]
            for h in range(hidden):
                w2[k, h] += alpha * deltas[k] * units[0, h]
    for i in range(active_inputs(boards[at], desk.rows, desk.factors)):
        row, factor = desk.rows[i], desk.factors[i]
        for h in range(hidden):
            w1[row, h] += factor * back[h]
        if learning.is_mirrored:
            mirror = row - SIDE_INPUTS if row >= SIDE_INPUTS else row + SIDE_INPUTS
            for h in range(hidden):
                w1[mirror, h] -= factor * back[h]


@float_kernel
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
