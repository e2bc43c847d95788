"""Gradient steps of nets, and the games that they learn from: against themselves, or of others.

`gammond.tools.heritage.computational_backgammon.kernels.evaluation` evaluates them;
`gammond.nets.heritage.computational_backgammon.net` describes mirrored nets.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import fastmath, kernel
from gammond.engine.kernels.board_counts import write_point_sets
from gammond.engine.kernels.moves import generate_plays, make_play_scratch, write_child
from gammond.engine.kernels.nets.sparse import OneLayerWeights
from gammond.engine.kernels.nets.tesauro196 import SIDE_INPUTS, list_active_inputs
from gammond.tools.heritage.computational_backgammon.kernels.evaluation import (
    EvaluationBuffers,
    LearningParameters,
    NetsByKind,
    compute_reply_equity,
    equity,
    evaluate_position,
    flip_nodes,
    look_up_win,
    new_evaluation_buffers,
    write_loss_nodes,
    write_table_nodes,
)
from gammond.tools.train.kernels.dice import roll_dice
from gammond.tools.train.kernels.tally import MAX_PLIES, count_game

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


_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)


@kernel
def run_self_play(
    games: int,
    start: NDArray[np.int8],
    nets: NetsByKind,
    learning: LearningParameters,
    state: NDArray[np.uint64],
    tally: NDArray[np.int64],
) -> float:
    """Play games of a net against itself and learn from each.

    Args:
        games: How many.
        start: ``int8[2, 26]`` position that games start from.
        nets: Changed in place.
        learning: How.
        state: ``uint64[1]``, the state of the dice; changed in place.
        tally: ``int64[4]``, increased by games, plies, gammons and backgammons.

    Returns:
        The sum over all plies of the squared error of equity, in squared points.
    """
    boards = np.empty((MAX_PLIES + 1, 2, 26), np.int8)
    desk = new_evaluation_buffers(nets)
    total = 0.0
    for _ in range(games):
        boards[0] = start
        plies = _play_game(boards, nets, learning, state, desk)
        if plies > 0:
            count_game(boards, plies, tally)
            total += _learn_game(plies, boards, nets, learning, desk)
    return total


@kernel
def learn_game(
    boards: NDArray[np.int8],
    nets: NetsByKind,
    learning: LearningParameters,
    tally: NDArray[np.int64],
) -> float:
    """Learn from a game that others have played.

    Args:
        boards: ``int8[plies + 1, 2, 26]``, each as its mover sees it; the last one is over.
        nets: Changed in place.
        learning: How.
        tally: ``int64[4]``, increased by games, plies, gammons and backgammons.

    Returns:
        As `run_self_play`.
    """
    plies = boards.shape[0] - 1
    count_game(boards, plies, tally)
    return _learn_game(plies, boards, nets, learning, new_evaluation_buffers(nets))


@kernel
def learn_targets(
    boards: NDArray[np.int8],
    targets: NDArray[np.float32],
    nets: NetsByKind,
    learning: LearningParameters,
    tally: NDArray[np.int64],
) -> float:
    """Learn what the positions of a game are worth from someone who knows, from the last one to the first.

    Args:
        boards: ``int8[plies + 1, 2, 26]``, each as its mover sees it; the last one is over.
        targets: ``float32[plies, nodes]``, what the nodes should say.
        nets: Changed in place.
        learning: How; the trace does not count.
        tally: ``int64[4]``, increased by games, plies, gammons and backgammons.

    Returns:
        As `run_self_play`.
    """
    plies = boards.shape[0] - 1
    count_game(boards, plies, tally)
    desk = new_evaluation_buffers(nets)
    total = 0.0
    for at in range(plies - 1, -1, -1):
        for k in range(desk.target.shape[0]):
            desk.target[k] = targets[at, k]
        if look_up_win(boards, at, learning) < _ZERO:
            total += learn_position(boards, at, nets, learning, desk)
    return total


@kernel
def _play_game(
    boards: NDArray[np.int8],
    nets: NetsByKind,
    learning: LearningParameters,
    state: NDArray[np.uint64],
    buffers: EvaluationBuffers,
) -> int:
    """Play one game from ``boards[0]`` and write its positions; returns the plies, 0 if it was abandoned."""
    scratch = make_play_scratch()
    child = np.empty((1, 2, 26), np.int8)
    for ply in range(MAX_PLIES):
        die1, die2 = roll_dice(state, ply == 0)
        write_point_sets(boards, ply, 0, scratch.sets)
        count = generate_plays(boards, ply, die1, die2, scratch)
        best = 0
        least = np.float32(9.0)
        for i in range(count):
            if count > 1:
                write_child(boards, ply, int(scratch.plays[i]), child, 0)
                equity = compute_reply_equity(child, nets, learning, buffers)
                if equity < least:
                    least = equity
                    best = i
        write_child(boards, ply, int(scratch.plays[best]), boards, ply + 1)
        if boards[ply + 1, 1, 0] == 15:
            return ply + 1
    return 0


@kernel
def _learn_game(
    plies: int,
    boards: NDArray[np.int8],
    nets: NetsByKind,
    learning: LearningParameters,
    buffers: EvaluationBuffers,
) -> float:
    """Walk back through a game with λ-returns as targets; returns the sum of squared errors of equity.

    What a successor is worth is what its net says after it has learned of the rest of the game.
    """
    ahead = np.empty_like(buffers.nodes)
    write_loss_nodes(boards, plies, ahead)
    keep = np.float32(learning.trace)
    turned = np.empty((1, 2, 26), np.int8)
    total = 0.0
    for ply in range(plies - 1, -1, -1):
        flip_nodes(ahead, buffers.target)
        if learning.keeps_dice and ply < plies - 1:
            _turn_board(boards, ply + 1, turned)
            win = look_up_win(turned, 0, learning)
            if win >= _ZERO:
                write_table_nodes(win, buffers.target)
            else:
                evaluate_position(turned, 0, nets, learning, buffers)
                buffers.target[:] = buffers.nodes
        win = look_up_win(boards, ply, learning)
        if win >= _ZERO:
            write_table_nodes(win, ahead)
            continue
        total += learn_position(boards, ply, nets, learning, buffers)
        for k in range(ahead.shape[0]):
            ahead[k] = keep * buffers.target[k] + (_ONE - keep) * buffers.nodes[k]
        if learning.turns_board:
            _turn_board(boards, ply, turned)
            flip_nodes(buffers.target, buffers.deltas)
            buffers.target[:] = buffers.deltas
            learn_position(turned, 0, nets, learning, buffers)
    return total


@kernel
def _turn_board(boards: NDArray[np.int8], at: int, turned: NDArray[np.int8]) -> None:
    """Write a position as the other side sees it, as ``turned[0]``."""
    for point in range(26):
        turned[0, 0, point], turned[0, 1, point] = boards[at, 1, point], boards[at, 0, point]
