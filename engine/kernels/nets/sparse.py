"""Nets with one hidden layer on `tesauro196` inputs, evaluated by adding rows of the first layer.

A net is the tuple (w1 ``float32[196, h]``, b1 ``float32[h]``, w2 ``float32[5, h]``, b2 ``float32[5]``): ReLU
hidden units and five sigmoid outputs, the cumulative outcome. Sums are those of the hidden units before the
ReLU, logits those of the outputs before the sigmoid.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import inlined, inlined_fastmath
from gammond.engine.kernels.nets.tesauro196 import list_active_inputs

OneLayerWeights = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]

CERTAIN_LOGIT = np.float32(1000.0)
"""A logit whose sigmoid is exactly 1; that of its negative is exactly 0."""

_ZERO = np.float32(0.0)
_HALF = np.float32(0.5)
_ONE = np.float32(1.0)
_TWO = np.float32(2.0)

# 2^x = exp(x ln 2) as a power series, off by 1.2e-7 at most for x in -1/2..1/2.
_C1, _C2, _C3, _C4, _C5, _C6 = (np.float32(math.log(2.0) ** k / math.factorial(k)) for k in range(1, 7))
_LOG2_E = np.float32(1.0 / math.log(2.0))
_EXPONENT_BIAS = np.int32(127)
_MANTISSA_BITS = np.int32(23)
_LEAST_EXPONENT = np.float32(-127.0)
_INFINITE_EXPONENT = np.float32(128.0)

_COLUMNS = 16


@inlined_fastmath
def compute_first_layer(
    boards: NDArray[np.int8],
    at: int,
    net: OneLayerWeights,
    rows: NDArray[np.int64],
    factors: NDArray[np.float32],
    sums: NDArray[np.float32],
    row: int,
) -> None:
    """Write the sums of one position.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: The place of the position.
        net: The net.
        rows: scratch, ``int64[MAX_ACTIVE_INPUTS]``.
        factors: scratch, ``float32[MAX_ACTIVE_INPUTS]``.
        sums: out, ``float32[m, h]``.
        row: The row of `sums` to write.
    """
    w1, b1, _, _ = net
    count = list_active_inputs(boards[at], rows, factors)
    for h in range(sums.shape[1]):
        sums[row, h] = b1[h]
    i = 0
    while i + 4 <= count:  # four rows in one pass
        row0, row1, row2, row3 = rows[i], rows[i + 1], rows[i + 2], rows[i + 3]
        factor0, factor1, factor2, factor3 = factors[i], factors[i + 1], factors[i + 2], factors[i + 3]
        for h in range(sums.shape[1]):
            sums[row, h] += (factor0 * w1[row0, h] + factor1 * w1[row1, h]) + (
                factor2 * w1[row2, h] + factor3 * w1[row3, h]
            )
        i += 4
    while i < count:
        row0 = rows[i]
        factor0 = factors[i]
        for h in range(sums.shape[1]):
            sums[row, h] += factor0 * w1[row0, h]
        i += 1


@inlined_fastmath
def compute_second_layer(
    sums: NDArray[np.float32],
    row: int,
    w2: NDArray[np.float32],
    b2: NDArray[np.float32],
    logits: NDArray[np.float32],
    column: int,
) -> None:
    """Write the logits of a row of sums to a column of ``float32[5, n]``."""
    total0 = total1 = total2 = total3 = total4 = _ZERO
    for h in range(sums.shape[1]):
        unit = max(sums[row, h], _ZERO)
        total0 += unit * w2[0, h]
        total1 += unit * w2[1, h]
        total2 += unit * w2[2, h]
        total3 += unit * w2[3, h]
        total4 += unit * w2[4, h]
    logits[0, column] = total0 + b2[0]
    logits[1, column] = total1 + b2[1]
    logits[2, column] = total2 + b2[2]
    logits[3, column] = total3 + b2[3]
    logits[4, column] = total4 + b2[4]


@inlined
def sigmoid(x: np.float32) -> np.float32:
    """Return 1 / (1 + exp(-x)), off by 2e-7 at most; branch-free, so that loops use vector registers."""
    power = min(max(-x * _LOG2_E, _LEAST_EXPONENT), _INFINITE_EXPONENT)
    whole = np.floor(power + _HALF)
    part = power - whole
    series = _ONE + part * (_C1 + part * (_C2 + part * (_C3 + part * (_C4 + part * (_C5 + part * _C6)))))
    bits = np.int32((np.int32(whole) + _EXPONENT_BIAS) << _MANTISSA_BITS)
    return _ONE / (_ONE + series * bits.view(np.float32))


@inlined
def compute_equities(logits: NDArray[np.float32], count: int, equities: NDArray[np.float32]) -> None:
    """Write the equities, in points, of the first columns of ``float32[5, n]`` logits.

    Columns are processed in whole groups of 16, so n is a multiple of 16: what is beyond ``count`` has no
    meaning.
    """
    for start in range(0, count, _COLUMNS):
        for i in range(start, start + _COLUMNS):
            won = _TWO * sigmoid(logits[0, i]) + sigmoid(logits[1, i]) + sigmoid(logits[2, i])
            equities[i] = won - sigmoid(logits[3, i]) - sigmoid(logits[4, i]) - _ONE
