"""Nets of sigmoid hidden units and one, three or five nodes: games against themselves, and gradient steps.

A net is a tuple as in `nets.kernels.sparse`: w1 ``float32[196, h]``, b1 ``float32[h]``, w2 ``float32[n, h]``,
b2 ``float32[n]``. What its n nodes mean stands in `nets.classic`, as does what a mirrored net is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import float_kernel, kernel
from engine.kernels.bearoff import number_of
from engine.kernels.moves import MAX_PLAYS, plays_of, point_sets, write_child
from nets.kernels.classic import judge_one
from nets.kernels.encode import MAX_ACTIVE, SIDE_INPUTS, active_inputs
from nets.kernels.sparse import Net, is_race
from tools.train.kernels.dice import die

MAX_PLIES = 2000
"""Longer games are abandoned without learning; self-play of untrained nets may shuffle for ever."""

# Columns of `tally`, int64[4].
GAMES, PLIES, GAMMONS, BACKGAMMONS = range(4)

_HOME = 6
_ZERO = np.float32(0.0)
_HALF = np.float32(0.5)
_ONE = np.float32(1.0)
_TWO = np.float32(2.0)


class Learning(NamedTuple):
    """How a net learns.

    Attributes:
        alpha: Learning rate of the weights from the hidden units to the nodes.
        beta: That of the weights from the inputs to the hidden units.
        trace: λ of the returns, 0..1.
        is_mirrored: Whether the nets are mirrored, and stay so.
        ranks: ``int64[7, checkers + 1]``, numbers the sides of a two-sided bearoff table.
        wins: ``float32[sides, sides]``, the table; none where it is empty.
    """

    alpha: float
    beta: float
    trace: float
    is_mirrored: bool
    ranks: NDArray[np.int64]
    wins: NDArray[np.float32]


class _Desk(NamedTuple):
    """What one position at a time is judged with.

    Attributes:
        contact_units: ``float32[1, h]``, the hidden units of the net for contact.
        race_units: ``float32[1, h]``, those of the net for races.
        back: ``float32[h]``, the larger h: steps of the hidden units.
        rows_of_nodes: ``float32[1, n]``, what the net says.
        nodes: ``float32[n]``, the same where that can be, else 0.
        target: ``float32[n]``, what it should say.
        deltas: ``float32[n]``, steps of the nodes.
        rows: ``int64[MAX_ACTIVE]``, scratch.
        factors: ``float32[MAX_ACTIVE]``, scratch.
        side: ``int64[7]``, scratch.
    """

    contact_units: NDArray[np.float32]
    race_units: NDArray[np.float32]
    back: NDArray[np.float32]
    rows_of_nodes: NDArray[np.float32]
    nodes: NDArray[np.float32]
    target: NDArray[np.float32]
    deltas: NDArray[np.float32]
    rows: NDArray[np.int64]
    factors: NDArray[np.float32]
    side: NDArray[np.int64]


@kernel
def _new_desk(contact: Net, race: Net) -> _Desk:
    nodes = contact[3].shape[0]
    contact_hidden = contact[1].shape[0]
    race_hidden = race[1].shape[0]
    return _Desk(
        contact_units=np.empty((1, contact_hidden), np.float32),
        race_units=np.empty((1, race_hidden), np.float32),
        back=np.empty(max(contact_hidden, race_hidden), np.float32),
        rows_of_nodes=np.empty((1, nodes), np.float32),
        nodes=np.empty(nodes, np.float32),
        target=np.empty(nodes, np.float32),
        deltas=np.empty(nodes, np.float32),
        rows=np.empty(MAX_ACTIVE, np.int64),
        factors=np.empty(MAX_ACTIVE, np.float32),
        side=np.zeros(_HOME + 1, np.int64),
    )


@kernel
def _known_win(boards: NDArray[np.int8], at: int, learning: Learning, side: NDArray[np.int64]) -> np.float32:
    """The chance of the player on roll in a position of the table; -1 for others."""
    most = learning.ranks.shape[1] - 1
    if learning.wins.shape[0] == 0 or 15 - boards[at, 0, 0] > most or 15 - boards[at, 1, 0] > most:
        return -_ONE
    for player in range(2):
        for point in range(_HOME + 1, 26):
            if boards[at, player, point] > 0:
                return -_ONE
    for point in range(1, _HOME + 1):
        side[point] = boards[at, 0, point]
    own = number_of(side, learning.ranks)
    for point in range(1, _HOME + 1):
        side[point] = boards[at, 1, point]
    return learning.wins[own, number_of(side, learning.ranks)]


@kernel
def _can_gammon(boards: NDArray[np.int8], at: int, node: int, nodes: int) -> bool:
    """Whether what a node tells of can happen: no side loses a gammon that has borne off a checker."""
    if node == 0:
        return True
    loser = 1 if 2 * node < nodes else 0
    return boards[at, loser, 0] == 0


@kernel
def _judge(boards: NDArray[np.int8], at: int, net: Net, units: NDArray[np.float32], desk: _Desk) -> None:
    """Write the hidden units and the nodes of a position."""
    judge_one(boards, at, net, desk.rows, desk.factors, units, desk.rows_of_nodes, 0)
    for k in range(desk.nodes.shape[0]):
        can_be = _can_gammon(boards, at, k, desk.nodes.shape[0])
        desk.nodes[k] = desk.rows_of_nodes[0, k] if can_be else _ZERO


@kernel
def _equity(nodes: NDArray[np.float32]) -> np.float32:
    """The equity in points that nodes come to."""
    equity = _TWO * nodes[0] - _ONE
    if nodes.shape[0] == 3:
        equity += nodes[0] * nodes[1] - (_ONE - nodes[0]) * nodes[2]
    elif nodes.shape[0] == 5:
        equity += nodes[1] + nodes[2] - nodes[3] - nodes[4]
    return equity


@kernel
def _write_known(win: np.float32, nodes: NDArray[np.float32]) -> None:
    """Write the nodes of a position of the table, in which nobody can lose a gammon."""
    for k in range(nodes.shape[0]):
        nodes[k] = _ZERO
    nodes[0] = win


@kernel
def _write_lost(boards: NDArray[np.int8], at: int, nodes: NDArray[np.float32]) -> None:
    """Write the nodes of a position in which row 1 has borne off everything."""
    _write_known(_ZERO, nodes)
    count = nodes.shape[0]
    if count == 1 or boards[at, 0, 0] > 0:
        return
    nodes[count // 2 + 1] = _ONE
    if count == 5:
        for point in range(19, 26):
            if boards[at, 0, point] > 0:
                nodes[4] = _ONE


@kernel
def _turn(nodes: NDArray[np.float32], turned: NDArray[np.float32]) -> None:
    """Write what nodes are in the eyes of the other side."""
    half = nodes.shape[0] // 2
    turned[0] = _ONE - nodes[0]
    for k in range(1, half + 1):
        turned[k] = nodes[half + k]
        turned[half + k] = nodes[k]


@float_kernel
def _step(
    boards: NDArray[np.int8], at: int, net: Net, learning: Learning, units: NDArray[np.float32], desk: _Desk
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


@kernel
def _learn(
    boards: NDArray[np.int8], at: int, contact: Net, race: Net, learning: Learning, desk: _Desk
) -> float:
    """Judge a position and take a step towards the target; returns the squared error of equity."""
    if is_race(boards, at):
        _judge(boards, at, race, desk.race_units, desk)
        error = _equity(desk.target) - _equity(desk.nodes)
        _step(boards, at, race, learning, desk.race_units, desk)
    else:
        _judge(boards, at, contact, desk.contact_units, desk)
        error = _equity(desk.target) - _equity(desk.nodes)
        _step(boards, at, contact, learning, desk.contact_units, desk)
    return float(error * error)


@kernel
def _learn_game(
    plies: int, boards: NDArray[np.int8], contact: Net, race: Net, learning: Learning, desk: _Desk
) -> float:
    """Walk back through a game with λ-returns as targets; returns the sum of squared errors of equity.

    What a successor is worth is what its net says after it has learned of the rest of the game.
    """
    ahead = np.empty_like(desk.nodes)
    _write_lost(boards, plies, ahead)
    keep = np.float32(learning.trace)
    total = 0.0
    for ply in range(plies - 1, -1, -1):
        _turn(ahead, desk.target)
        win = _known_win(boards, ply, learning, desk.side)
        if win >= _ZERO:
            _write_known(win, ahead)
            continue
        total += _learn(boards, ply, contact, race, learning, desk)
        for k in range(ahead.shape[0]):
            ahead[k] = keep * desk.target[k] + (_ONE - keep) * desk.nodes[k]
    return total


@kernel
def _reply_equity(
    boards: NDArray[np.int8], contact: Net, race: Net, learning: Learning, desk: _Desk
) -> np.float32:
    """The equity of ``boards[0]``, after a play, for the next mover."""
    if boards[0, 1, 0] == 15:
        _write_lost(boards, 0, desk.nodes)
        return _equity(desk.nodes)
    win = _known_win(boards, 0, learning, desk.side)
    if win >= _ZERO:
        return _TWO * win - _ONE
    if is_race(boards, 0):
        _judge(boards, 0, race, desk.race_units, desk)
    else:
        _judge(boards, 0, contact, desk.contact_units, desk)
    return _equity(desk.nodes)


@kernel
def _play_game(
    boards: NDArray[np.int8],
    contact: Net,
    race: Net,
    learning: Learning,
    state: NDArray[np.uint64],
    desk: _Desk,
) -> int:
    """Play one game from ``boards[0]`` and write its positions; returns the plies, 0 if it was abandoned."""
    sets = np.empty(5, np.int64)
    counts = np.empty(26, np.int64)
    levels = np.empty((5, 4), np.int64)
    hashes = np.empty(MAX_PLAYS, np.int64)
    plays = np.empty(MAX_PLAYS, np.int64)
    child = np.empty((1, 2, 26), np.int8)
    for ply in range(MAX_PLIES):
        die1 = die(state)
        die2 = die(state)
        while ply == 0 and die1 == die2:
            die1 = die(state)
            die2 = die(state)
        point_sets(boards, ply, sets)
        count = plays_of(boards, ply, sets, die1, die2, counts, levels, hashes, plays)
        best = 0
        least = np.float32(9.0)
        for i in range(count):
            if count > 1:
                write_child(boards, ply, int(plays[i]), child, 0)
                equity = _reply_equity(child, contact, race, learning, desk)
                if equity < least:
                    least = equity
                    best = i
        write_child(boards, ply, int(plays[best]), boards, ply + 1)
        if boards[ply + 1, 1, 0] == 15:
            return ply + 1
    return 0


@kernel
def self_play(
    games: int,
    start: NDArray[np.int8],
    contact: Net,
    race: Net,
    learning: Learning,
    state: NDArray[np.uint64],
    tally: NDArray[np.int64],
) -> float:
    """Play games of a net against itself and learn from each.

    Args:
        games: How many.
        start: ``int8[2, 26]`` position that games start from.
        contact: The net for positions with contact; changed in place.
        race: The net for races; may be the same; changed in place.
        learning: How.
        state: ``uint64[1]``, the state of the dice; changed in place.
        tally: ``int64[4]``, increased by games, plies, gammons and backgammons.

    Returns:
        The sum over all plies of the squared error of equity, in squared points.
    """
    boards = np.empty((MAX_PLIES + 1, 2, 26), np.int8)
    desk = _new_desk(contact, race)
    total = 0.0
    for _ in range(games):
        boards[0] = start
        plies = _play_game(boards, contact, race, learning, state, desk)
        if plies > 0:
            _count(boards, plies, tally)
            total += _learn_game(plies, boards, contact, race, learning, desk)
    return total


@kernel
def _count(boards: NDArray[np.int8], plies: int, tally: NDArray[np.int64]) -> None:
    """Count a game that ends with ``boards[plies]``."""
    tally[GAMES] += 1
    tally[PLIES] += plies
    if boards[plies, 0, 0] == 0:
        tally[GAMMONS] += 1
        behind = 0
        for point in range(19, 26):
            behind += boards[plies, 0, point]
        tally[BACKGAMMONS] += int(behind > 0)


@kernel
def learn_game(
    boards: NDArray[np.int8],
    contact: Net,
    race: Net,
    learning: Learning,
    tally: NDArray[np.int64],
) -> float:
    """Learn from a game that others have played.

    Args:
        boards: ``int8[plies + 1, 2, 26]``, each as its mover sees it; the last one is over.
        contact: The net for positions with contact; changed in place.
        race: The net for races; may be the same; changed in place.
        learning: How.
        tally: ``int64[4]``, increased by games, plies, gammons and backgammons.

    Returns:
        As `self_play`.
    """
    plies = boards.shape[0] - 1
    _count(boards, plies, tally)
    return _learn_game(plies, boards, contact, race, learning, _new_desk(contact, race))


@kernel
def learn_targets(
    boards: NDArray[np.int8],
    targets: NDArray[np.float32],
    contact: Net,
    race: Net,
    learning: Learning,
    tally: NDArray[np.int64],
) -> float:
    """Learn what the positions of a game are worth from someone who knows, from the last one to the first.

    Args:
        boards: ``int8[plies + 1, 2, 26]``, each as its mover sees it; the last one is over.
        targets: ``float32[plies, nodes]``, what the nodes should say.
        contact: The net for positions with contact; changed in place.
        race: The net for races; may be the same; changed in place.
        learning: How; the trace does not count.
        tally: ``int64[4]``, increased by games, plies, gammons and backgammons.

    Returns:
        As `self_play`.
    """
    plies = boards.shape[0] - 1
    _count(boards, plies, tally)
    desk = _new_desk(contact, race)
    total = 0.0
    for at in range(plies - 1, -1, -1):
        for k in range(desk.target.shape[0]):
            desk.target[k] = targets[at, k]
        if _known_win(boards, at, learning, desk.side) < _ZERO:
            total += _learn(boards, at, contact, race, learning, desk)
    return total
