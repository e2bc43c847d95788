"""Self-play with temporal differences: games, targets and gradient steps in one compiled loop.

Nets are those of `gammond.engine.kernels.nets.sparse`: one hidden layer, five cumulative outputs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import borrowing, fastmath, kernel
from gammond.engine.kernels.board_counts import find_rear
from gammond.engine.kernels.moves import write_child
from gammond.engine.kernels.nets.play_evaluation import (
    PlayBuffers,
    evaluate_plays,
    make_play_buffers,
    prepare_position,
)
from gammond.engine.kernels.nets.sparse import (
    OneLayerWeights,
    compute_first_layer,
    compute_second_layer,
    sigmoid,
)
from gammond.engine.kernels.nets.tesauro196 import MAX_ACTIVE_INPUTS, list_active_inputs
from gammond.engine.kernels.values import compute_equity
from gammond.tools.train.kernels.dice import roll_dice
from gammond.tools.train.kernels.tally import MAX_PLIES, count_game


@borrowing
def is_race(boards: NDArray[np.int8], at: int) -> bool:
    """Return whether a position is a race or over, as `gammond.engine.kernels.phases` for one position."""
    return find_rear(boards, at, 0) + find_rear(boards, at, 1) <= 25


@borrowing
def _compute_outcome(logits: NDArray[np.float32], column: int, values: NDArray[np.float32], row: int) -> None:
    """Write the outcome of a column of ``float32[5, n]`` logits to a row of ``float32[m, 5]``."""
    for k in range(5):
        values[row, k] = sigmoid(logits[k, column])


@fastmath
def _take_step(
    boards: NDArray[np.int8],
    ply: int,
    net: OneLayerWeights,
    rate: float,
    hidden: NDArray[np.float32],
    back: NDArray[np.float32],
    logits: NDArray[np.float32],
    values: NDArray[np.float32],
) -> float:
    """One gradient step on the cross entropy of a position with ``values[0]``; returns the squared error."""
    w1, b1, w2, b2 = net
    places = np.empty(MAX_ACTIVE_INPUTS, np.int64)
    inputs = np.empty(MAX_ACTIVE_INPUTS, np.float32)
    compute_first_layer(boards, ply, net, places, inputs, hidden, 0)
    compute_second_layer(hidden, 0, w2, b2, logits, 0)
    _compute_outcome(logits, 0, values, 1)
    step = np.float32(rate)
    units = back.shape[0]
    for h in range(units):
        back[h] = np.float32(0.0)
    for k in range(5):
        delta = step * (values[0, k] - values[1, k])
        b2[k] += delta
        for h in range(units):
            back[h] += delta * w2[k, h]
        for h in range(units):
            w2[k, h] += delta * max(hidden[0, h], np.float32(0.0))
    for h in range(units):
        if hidden[0, h] <= np.float32(0.0):
            back[h] = np.float32(0.0)
        b1[h] += back[h]
    for i in range(list_active_inputs(boards[ply], places, inputs)):
        _add_update(w1, places[i], inputs[i], back)
    error = compute_equity(values, 0) - compute_equity(values, 1)
    return error * error


@fastmath
def _add_update(w1: NDArray[np.float32], row: int, factor: np.float32, back: NDArray[np.float32]) -> None:
    for h in range(back.shape[0]):
        w1[row, h] += factor * back[h]


@kernel
def _play_game(
    start: NDArray[np.int8],
    contact: OneLayerWeights,
    race: OneLayerWeights,
    state: NDArray[np.uint64],
    boards: NDArray[np.int8],
    values: NDArray[np.float32],
    buffers: PlayBuffers,
) -> int:
    """Play one game; write its positions and, one place further on, the value of each successor.

    Returns:
        The number of plies, or 0 when the game was abandoned.
    """
    for side in range(2):
        for point in range(26):
            boards[0, side, point] = start[side, point]
    for ply in range(MAX_PLIES):
        die1, die2 = roll_dice(state, ply == 0)
        prepare_position(boards, ply, contact, race, buffers)
        count = evaluate_plays(boards, ply, die1, die2, contact, race, buffers)
        best = 0
        for i in range(1, count):
            if buffers.equities[i] < buffers.equities[best]:
                best = i
        _compute_outcome(buffers.logits, best, values, ply + 1)
        write_child(boards, ply, int(buffers.listed.plays[best]), boards, ply + 1)
        if boards[ply + 1, 1, 0] == 15:
            return ply + 1
    return 0


@kernel
def _learn_game(
    plies: int,
    boards: NDArray[np.int8],
    values: NDArray[np.float32],
    contact: OneLayerWeights,
    race: OneLayerWeights,
    rate: float,
    trace: float,
) -> float:
    """Walk back through a game with λ-returns as targets; returns the sum of squared errors of equity.

    Source: Sutton, Barto, "Reinforcement Learning", 2nd ed., section 12.1 (the off-line λ-return algorithm),
    with values seen by alternating sides.
    """
    contact_hidden = np.empty((1, contact[1].shape[0]), np.float32)
    contact_back = np.empty(contact[1].shape[0], np.float32)
    race_hidden = np.empty((1, race[1].shape[0]), np.float32)
    race_back = np.empty(race[1].shape[0], np.float32)
    scratch = np.empty((2, 5), np.float32)
    logits = np.empty((5, 1), np.float32)
    ahead = np.empty(5, np.float32)
    for k in range(5):
        ahead[k] = values[plies, k]
    total = 0.0
    keep = np.float32(trace)
    for ply in range(plies - 1, -1, -1):
        scratch[0, 0] = np.float32(1.0) - ahead[0]
        scratch[0, 1] = ahead[3]
        scratch[0, 2] = ahead[4]
        scratch[0, 3] = ahead[1]
        scratch[0, 4] = ahead[2]
        if is_race(boards, ply):
            total += _take_step(boards, ply, race, rate, race_hidden, race_back, logits, scratch)
        else:
            total += _take_step(boards, ply, contact, rate, contact_hidden, contact_back, logits, scratch)
        if ply > 0:
            for k in range(5):
                ahead[k] = keep * scratch[0, k] + (np.float32(1.0) - keep) * values[ply, k]
    return total


@kernel
def run_self_play(
    games: int,
    start: NDArray[np.int8],
    contact: OneLayerWeights,
    race: OneLayerWeights,
    rate: float,
    trace: float,
    state: NDArray[np.uint64],
    tally: NDArray[np.int64],
) -> float:
    """Play games of a net against itself and learn from each.

    Args:
        games: How many.
        start: ``int8[2, 26]`` position that games start from.
        contact: The net for positions with contact; changed in place.
        race: The net for races; changed in place.
        rate: Learning rate.
        trace: λ of the returns, 0..1.
        state: ``uint64[1]``, the state of the dice; changed in place.
        tally: ``int64[4]``, increased by games, plies, gammons and backgammons.

    Returns:
        The sum over all plies of the squared error of equity, in squared points.
    """
    boards = np.empty((MAX_PLIES + 1, 2, 26), np.int8)
    values = np.empty((MAX_PLIES + 1, 5), np.float32)
    buffers = make_play_buffers(contact, race)
    total = 0.0
    for _ in range(games):
        plies = _play_game(start, contact, race, state, boards, values, buffers)
        if plies == 0:
            continue
        count_game(boards, plies, tally)
        total += _learn_game(plies, boards, values, contact, race, rate, trace)
    return total
