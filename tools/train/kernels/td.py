"""Self-play with temporal differences: games, targets and gradient steps in one compiled loop.

A net is the tuple (w1 ``float32[196, h]``, b1 ``float32[h]``, w2 ``float32[5, h]``, b2 ``float32[5]``): ReLU
hidden units and five sigmoid outputs, the cumulative outcome. Inputs are those of the ``tesauro196`` encoder,
so the first layer of a child differs from its parent's by a few rows only.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.kernels import float_kernel, kernel
from engine.kernels.moves import MAX_PLAYS, plays_into

Net = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]

MAX_PLIES = 2000
"""Longer games are abandoned without learning; self-play of untrained nets may shuffle for ever."""

# Rows of `tally`, int64[4].
GAMES, PLIES, GAMMONS, BACKGAMMONS = range(4)


@kernel
def _next_random(state: NDArray[np.uint64]) -> np.uint64:
    """Splitmix64. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def _die(state: NDArray[np.uint64]) -> int:
    return 1 + int((_next_random(state) >> np.uint64(33)) % np.uint64(6))


@kernel
def _rear(boards: NDArray[np.int8], at: int, side: int) -> int:
    point = 25
    while point > 0 and boards[at, side, point] == 0:
        point -= 1
    return point


@kernel
def _is_race(boards: NDArray[np.int8], at: int) -> bool:
    return _rear(boards, at, 0) + _rear(boards, at, 1) <= 25


@float_kernel
def _add_row(hidden: NDArray[np.float32], w1: NDArray[np.float32], row: int, scale: float) -> None:
    factor = np.float32(scale)
    for h in range(hidden.shape[0]):
        hidden[h] += factor * w1[row, h]


@kernel
def _unit(count: int, unit: int) -> float:
    """One of the four units of a point with ``count`` checkers; see `nets.encoders`."""
    if unit < 3:
        return 1.0 if count > unit else 0.0
    return 0.5 * (count - 3) if count > 3 else 0.0


@kernel
def _shift(
    hidden: NDArray[np.float32], w1: NDArray[np.float32], side: int, point: int, old: int, new: int
) -> None:
    """Change first-layer sums for a point that goes from ``old`` to ``new`` checkers."""
    base = side * 98
    if point == 25:
        _add_row(hidden, w1, base + 96, 0.5 * (new - old))
    elif point == 0:
        _add_row(hidden, w1, base + 97, (new - old) / 15.0)
    else:
        for unit in range(4):
            change = _unit(new, unit) - _unit(old, unit)
            if change != 0.0:
                _add_row(hidden, w1, base + 4 * (point - 1) + unit, change)


@kernel
def _first_layer(boards: NDArray[np.int8], at: int, net: Net, hidden: NDArray[np.float32]) -> None:
    for h in range(hidden.shape[0]):
        hidden[h] = net[1][h]
    for side in range(2):
        for point in range(26):
            if boards[at, side, point] > 0:
                _shift(hidden, net[0], side, point, 0, int(boards[at, side, point]))


@float_kernel
def _second_layer(hidden: NDArray[np.float32], net: Net, values: NDArray[np.float32], row: int) -> None:
    w2 = net[2]
    for k in range(5):
        total = np.float32(0.0)
        for h in range(hidden.shape[0]):
            total += max(hidden[h], np.float32(0.0)) * w2[k, h]
        values[row, k] = np.float32(1.0) / (np.float32(1.0) + np.float32(math.exp(-(total + net[3][k]))))


@kernel
def _equity(values: NDArray[np.float32], row: int) -> float:
    return 2.0 * values[row, 0] - 1.0 + values[row, 1] + values[row, 2] - values[row, 3] - values[row, 4]


@kernel
def _finished(children: NDArray[np.int8], at: int, values: NDArray[np.float32]) -> bool:
    """Write the exact outcome to row 0 if the game is over: only its last mover, row 1, can have won."""
    if children[at, 1, 0] < 15:
        return False
    for k in range(5):
        values[0, k] = 0.0
    if children[at, 0, 0] == 0:
        values[0, 3] = 1.0
        for point in range(19, 26):
            if children[at, 0, point] > 0:
                values[0, 4] = 1.0
    return True


@kernel
def _shift_to_child(
    hidden: NDArray[np.float32],
    w1: NDArray[np.float32],
    turned: NDArray[np.int8],
    children: NDArray[np.int8],
    moves: NDArray[np.int8],
    child: int,
) -> None:
    """Change the first-layer sums of a turned parent to those of a child, point by changed point."""
    for i in range(8):
        point = int(moves[child, i])
        if moves[child, i - i % 2] == 0:
            break
        repeated = False
        for j in range(i):
            if moves[child, j] == point:
                repeated = True
        if repeated:
            continue
        if children[child, 1, point] != turned[1, point]:
            _shift(hidden, w1, 1, point, int(turned[1, point]), int(children[child, 1, point]))
        if point > 0 and children[child, 0, 25 - point] != turned[0, 25 - point]:
            _shift(hidden, w1, 0, 25 - point, int(turned[0, 25 - point]), int(children[child, 0, 25 - point]))
    if children[child, 0, 25] != turned[0, 25]:
        _shift(hidden, w1, 0, 25, int(turned[0, 25]), int(children[child, 0, 25]))


@kernel
def _judge_children(
    boards: NDArray[np.int8],
    ply: int,
    children: NDArray[np.int8],
    moves: NDArray[np.int8],
    count: int,
    contact: Net,
    race: Net,
    values: NDArray[np.float32],
) -> int:
    """Find the child with the least equity; its values are left in ``values[1]``."""
    contact_base = np.empty(contact[1].shape[0], np.float32)
    contact_hidden = np.empty(contact[1].shape[0], np.float32)
    race_hidden = np.empty(race[1].shape[0], np.float32)
    turned = np.empty((2, 26), np.int8)
    for point in range(26):
        turned[0, point] = boards[ply, 1, point]
        turned[1, point] = boards[ply, 0, point]
    has_base = False
    best = -1
    least = 1e9
    for i in range(count):
        if not _finished(children, i, values):
            if _is_race(children, i):
                _first_layer(children, i, race, race_hidden)
                _second_layer(race_hidden, race, values, 0)
            else:
                if not has_base:
                    _first_layer(turned.reshape(1, 2, 26), 0, contact, contact_base)
                    has_base = True
                for h in range(contact_base.shape[0]):
                    contact_hidden[h] = contact_base[h]
                _shift_to_child(contact_hidden, contact[0], turned, children, moves, i)
                _second_layer(contact_hidden, contact, values, 0)
        equity = _equity(values, 0)
        if equity < least:
            least = equity
            best = i
            for k in range(5):
                values[1, k] = values[0, k]
    return best


@float_kernel
def _step(
    boards: NDArray[np.int8],
    ply: int,
    net: Net,
    rate: float,
    hidden: NDArray[np.float32],
    back: NDArray[np.float32],
    values: NDArray[np.float32],
) -> float:
    """One gradient step on the cross entropy of a position with ``values[0]``; returns the squared error."""
    w1, b1, w2, b2 = net
    _first_layer(boards, ply, net, hidden)
    _second_layer(hidden, net, values, 1)
    step = np.float32(rate)
    for h in range(hidden.shape[0]):
        back[h] = np.float32(0.0)
    for k in range(5):
        delta = step * (values[0, k] - values[1, k])
        b2[k] += delta
        for h in range(hidden.shape[0]):
            back[h] += delta * w2[k, h]
        for h in range(hidden.shape[0]):
            w2[k, h] += delta * max(hidden[h], np.float32(0.0))
    for h in range(hidden.shape[0]):
        if hidden[h] <= np.float32(0.0):
            back[h] = np.float32(0.0)
        b1[h] += back[h]
    for side in range(2):
        for point in range(26):
            count = int(boards[ply, side, point])
            if count == 0:
                continue
            base = side * 98
            if point == 25:
                _add_update(w1, base + 96, 0.5 * count, back)
            elif point == 0:
                _add_update(w1, base + 97, count / 15.0, back)
            else:
                for unit in range(4):
                    value = _unit(count, unit)
                    if value != 0.0:
                        _add_update(w1, base + 4 * (point - 1) + unit, value, back)
    error = _equity(values, 0) - _equity(values, 1)
    return error * error


@float_kernel
def _add_update(w1: NDArray[np.float32], row: int, scale: float, back: NDArray[np.float32]) -> None:
    factor = np.float32(scale)
    for h in range(back.shape[0]):
        w1[row, h] += factor * back[h]


@kernel
def _play_game(
    start: NDArray[np.int8],
    contact: Net,
    race: Net,
    state: NDArray[np.uint64],
    boards: NDArray[np.int8],
    values: NDArray[np.float32],
    children: NDArray[np.int8],
    moves: NDArray[np.int8],
) -> int:
    """Play one game; write its positions and, one place further on, the value of each successor.

    Returns:
        The number of plies, or 0 when the game was abandoned.
    """
    scratch = np.empty((2, 5), np.float32)
    work = np.empty((5, 2, 26), np.int8)
    hashes = np.empty(MAX_PLAYS, np.int64)
    for side in range(2):
        for point in range(26):
            boards[0, side, point] = start[side, point]
    for ply in range(MAX_PLIES):
        die1 = _die(state)
        die2 = _die(state)
        while ply == 0 and die1 == die2:
            die1 = _die(state)
            die2 = _die(state)
        count = plays_into(boards, ply, die1, die2, work, hashes, children, moves, 0)
        best = _judge_children(boards, ply, children, moves, count, contact, race, scratch)
        for k in range(5):
            values[ply + 1, k] = scratch[1, k]
        for side in range(2):
            for point in range(26):
                boards[ply + 1, side, point] = children[best, side, point]
        if boards[ply + 1, 1, 0] == 15:
            return ply + 1
    return 0


@kernel
def _learn_game(
    plies: int,
    boards: NDArray[np.int8],
    values: NDArray[np.float32],
    contact: Net,
    race: Net,
    rate: float,
    trace: float,
) -> float:
    """Walk back through a game with λ-returns as targets; returns the sum of squared errors of equity.

    Source: Sutton, Barto, "Reinforcement Learning", 2nd ed., section 12.1 (the off-line λ-return algorithm),
    with values seen by alternating sides.
    """
    contact_hidden = np.empty(contact[1].shape[0], np.float32)
    contact_back = np.empty(contact[1].shape[0], np.float32)
    race_hidden = np.empty(race[1].shape[0], np.float32)
    race_back = np.empty(race[1].shape[0], np.float32)
    scratch = np.empty((2, 5), np.float32)
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
        if _is_race(boards, ply):
            total += _step(boards, ply, race, rate, race_hidden, race_back, scratch)
        else:
            total += _step(boards, ply, contact, rate, contact_hidden, contact_back, scratch)
        if ply > 0:
            for k in range(5):
                ahead[k] = keep * scratch[0, k] + (np.float32(1.0) - keep) * values[ply, k]
    return total


@kernel
def self_play(
    games: int,
    start: NDArray[np.int8],
    contact: Net,
    race: Net,
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
    children = np.empty((MAX_PLAYS, 2, 26), np.int8)
    moves = np.empty((MAX_PLAYS, 8), np.int8)
    total = 0.0
    for _ in range(games):
        plies = _play_game(start, contact, race, state, boards, values, children, moves)
        if plies == 0:
            continue
        tally[GAMES] += 1
        tally[PLIES] += plies
        tally[GAMMONS] += int(values[plies, 3] > 0.5)
        tally[BACKGAMMONS] += int(values[plies, 4] > 0.5)
        total += _learn_game(plies, boards, values, contact, race, rate, trace)
    return total
