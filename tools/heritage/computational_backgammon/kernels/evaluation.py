"""What positions are worth to nets of sigmoid hidden units and one, three or five nodes, one at a time.

A net is a tuple as in `gammond.engine.kernels.nets.sparse`: w1 ``float32[196, h]``, b1 ``float32[h]``, w2
``float32[n, h]``, b2 ``float32[n]``. `gammond.nets.heritage.computational_backgammon.net` describes its n
nodes. A
net is asked last: finished games and the positions of a bearoff table are known.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel
from gammond.engine.kernels.bearoff import number_position
from gammond.engine.kernels.nets.sparse import OneLayerWeights
from gammond.engine.kernels.nets.tesauro196 import MAX_ACTIVE_INPUTS
from gammond.nets.heritage.computational_backgammon.kernels import forward_one
from gammond.tools.heritage.computational_backgammon.kernels.kinds import find_kind

NetsByKind = tuple[OneLayerWeights, ...]
"""A net for each kind of position, in the order of `kinds.KINDS`; kinds may share one."""

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
_TWO = np.float32(2.0)


class LearningParameters(NamedTuple):
    """How a net learns.

    Attributes:
        alpha: Learning rate of the weights from the hidden units to the nodes.
        beta: That of the weights from the inputs to the hidden units.
        trace: λ of the returns, 0..1.
        is_mirrored: Whether the nets are mirrored, and stay so.
        has_turn: Whether hidden units learn biases: the inputs for the turn.
        weighs_gammons: Whether a share of wins counts in so far as the game is won, one of losses likewise.
        knows_gammons: Whether gammons are 0 that cannot be, since the loser has borne off a checker.
        keeps_dice: Whether the position after a play is valued as if the same side rolled again.
        turns_board: Whether each position is learned from the other side too, as if that were on roll.
        ranks: ``int64[7, checkers + 1]``, numbers the sides of a two-sided bearoff table; as those of
            `gammond.engine.kernels.bearoff_tables.NO_TABLES` for none.
        wins: ``float32[sides, sides]``, the table.
    """

    alpha: float
    beta: float
    trace: float
    is_mirrored: bool
    has_turn: bool
    weighs_gammons: bool
    knows_gammons: bool
    keeps_dice: bool
    turns_board: bool
    ranks: NDArray[np.int64]
    wins: NDArray[np.float32]


class EvaluationBuffers(NamedTuple):
    """Buffers to evaluate one position at a time.

    Attributes:
        units: ``float32[1, h]`` for each kind, the hidden units of its net.
        back: ``float32[h]``, the largest h: steps of the hidden units.
        rows_of_nodes: ``float32[1, n]``, what the net says.
        nodes: ``float32[n]``, the same where that can be, else 0.
        target: ``float32[n]``, what it should say.
        deltas: ``float32[n]``, steps of the nodes.
        rows: ``int64[MAX_ACTIVE]``, scratch.
        factors: ``float32[MAX_ACTIVE]``, scratch.
    """

    units: tuple[NDArray[np.float32], ...]
    back: NDArray[np.float32]
    rows_of_nodes: NDArray[np.float32]
    nodes: NDArray[np.float32]
    target: NDArray[np.float32]
    deltas: NDArray[np.float32]
    rows: NDArray[np.int64]
    factors: NDArray[np.float32]


@kernel
def new_evaluation_buffers(nets: NetsByKind) -> EvaluationBuffers:
    """Make buffers to evaluate with nets."""
    nodes = nets[0][3].shape[0]
    hidden = 0
    for net in nets:
        hidden = max(hidden, net[1].shape[0])
    return EvaluationBuffers(
        units=(
            np.empty((1, nets[0][1].shape[0]), np.float32),
            np.empty((1, nets[1][1].shape[0]), np.float32),
            np.empty((1, nets[2][1].shape[0]), np.float32),
            np.empty((1, nets[3][1].shape[0]), np.float32),
            np.empty((1, nets[4][1].shape[0]), np.float32),
            np.empty((1, nets[5][1].shape[0]), np.float32),
            np.empty((1, nets[6][1].shape[0]), np.float32),
            np.empty((1, nets[7][1].shape[0]), np.float32),
            np.empty((1, nets[8][1].shape[0]), np.float32),
        ),
        back=np.empty(hidden, np.float32),
        rows_of_nodes=np.empty((1, nodes), np.float32),
        nodes=np.empty(nodes, np.float32),
        target=np.empty(nodes, np.float32),
        deltas=np.empty(nodes, np.float32),
        rows=np.empty(MAX_ACTIVE_INPUTS, np.int64),
        factors=np.empty(MAX_ACTIVE_INPUTS, np.float32),
    )


@kernel
def look_up_win(boards: NDArray[np.int8], at: int, learning: LearningParameters) -> np.float32:
    """The chance of the player on roll in a position of the table; -1 for others."""
    own, other = number_position(boards, at, learning.ranks)
    return learning.wins[own, other] if own >= 0 else -_ONE


@kernel
def _can_gammon(boards: NDArray[np.int8], at: int, node: int, nodes: int) -> bool:
    """Whether what a node tells of can happen: no side loses a gammon that has borne off a checker."""
    if node == 0:
        return True
    loser = 1 if 2 * node < nodes else 0
    return boards[at, loser, 0] == 0


@kernel
def evaluate_position(
    boards: NDArray[np.int8],
    at: int,
    nets: NetsByKind,
    learning: LearningParameters,
    buffers: EvaluationBuffers,
) -> int:
    """Write the hidden units and the nodes of a position; return its kind."""
    kind = find_kind(boards, at)
    rows, factors, units = buffers.rows, buffers.factors, buffers.units[kind]
    forward_one(boards, at, nets[kind], rows, factors, units, buffers.rows_of_nodes, 0)
    for k in range(buffers.nodes.shape[0]):
        can_be = not learning.knows_gammons or _can_gammon(boards, at, k, buffers.nodes.shape[0])
        buffers.nodes[k] = buffers.rows_of_nodes[0, k] if can_be else _ZERO
    return kind


@kernel
def equity(nodes: NDArray[np.float32]) -> np.float32:
    """The equity in points that nodes come to."""
    equity = _TWO * nodes[0] - _ONE
    if nodes.shape[0] == 3:
        equity += nodes[0] * nodes[1] - (_ONE - nodes[0]) * nodes[2]
    elif nodes.shape[0] == 5:
        equity += nodes[1] + nodes[2] - nodes[3] - nodes[4]
    return equity


@kernel
def write_table_nodes(win: np.float32, nodes: NDArray[np.float32]) -> None:
    """Write the nodes of a position of the table, in which nobody can lose a gammon."""
    for k in range(nodes.shape[0]):
        nodes[k] = _ZERO
    nodes[0] = win


@kernel
def write_loss_nodes(boards: NDArray[np.int8], at: int, nodes: NDArray[np.float32]) -> None:
    """Write the nodes of a position in which row 1 has borne off everything."""
    write_table_nodes(_ZERO, nodes)
    count = nodes.shape[0]
    if count == 1 or boards[at, 0, 0] > 0:
        return
    nodes[count // 2 + 1] = _ONE
    if count == 5:
        for point in range(19, 26):
            if boards[at, 0, point] > 0:
                nodes[4] = _ONE


@kernel
def flip_nodes(nodes: NDArray[np.float32], turned: NDArray[np.float32]) -> None:
    """Write what nodes are in the eyes of the other side."""
    half = nodes.shape[0] // 2
    turned[0] = _ONE - nodes[0]
    for k in range(1, half + 1):
        turned[k] = nodes[half + k]
        turned[half + k] = nodes[k]


@kernel
def compute_reply_equity(
    boards: NDArray[np.int8],
    nets: NetsByKind,
    learning: LearningParameters,
    buffers: EvaluationBuffers,
) -> np.float32:
    """The equity of ``boards[0]``, after a play, for the next mover."""
    if boards[0, 1, 0] == 15:
        write_loss_nodes(boards, 0, buffers.nodes)
        return equity(buffers.nodes)
    win = look_up_win(boards, 0, learning)
    if win >= _ZERO:
        return _TWO * win - _ONE
    evaluate_position(boards, 0, nets, learning, buffers)
    return equity(buffers.nodes)
