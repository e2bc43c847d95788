"""Bearoffs that are decided, and how near a judge comes to what is known exactly of bearoffs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.evaluator import Evaluator
from engine.outcome import LOSE_G, WIN, WIN_G
from engine.position import Board, Position
from tools.train.classic.player import bearoff_table

_PAIRS = 4000
_SURE = 0.99


def sure_win() -> Board:
    """Two checkers on the ace point, against five on the other's: ``int8[2, 26]``."""
    board = np.zeros((2, 26), np.int8)
    board[0, 1], board[0, 0] = 2, 13
    board[1, 1], board[1, 0] = 5, 10
    return board


def sure_loss() -> Board:
    """`sure_win` with the other side on roll, who cannot bear off five checkers at once: ``int8[2, 26]``."""
    return np.ascontiguousarray(sure_win()[::-1])


@dataclass(frozen=True)
class EndgameErrors:
    """How near a judge comes to the exact chances of bearoffs.

    Attributes:
        sure_wins: Mean chance that it gives where the exact one is 0.99 or more.
        sure_losses: Mean chance that it gives where the exact one is 0.01 or less.
        rms: Root mean square of its errors in all.
    """

    sure_wins: float
    sure_losses: float
    rms: float


def endgame_errors(judge: Evaluator, seed: int = 1) -> EndgameErrors:
    """Compare a judge with the two-sided database on random pairs of sides, none of them finished."""
    boards, exact = _random_endgames(seed)
    found = judge.evaluate(boards)[:, WIN].astype(np.float64)
    return EndgameErrors(
        float(found[exact >= _SURE].mean()),
        float(found[exact <= 1.0 - _SURE].mean()),
        float(np.sqrt(np.mean((found - exact) ** 2))),
    )


def told_of_games(judge: Evaluator) -> dict[str, object]:
    """Say for a log what a judge makes of the start and of two decided endgames.

    Returns:
        ``start``: its chances to win and to win and lose gammons, for the side that begins before it rolls;
        ``sure_win`` and ``sure_loss``: its chance to win these.
    """
    told = judge.evaluate(np.stack([Position.start().board, sure_win(), sure_loss()]))
    return {
        "start": [float(told[0, place]) for place in (WIN, WIN_G, LOSE_G)],
        "sure_win": float(told[1, WIN]),
        "sure_loss": float(told[2, WIN]),
    }


def _random_endgames(seed: int) -> tuple[Board, NDArray[np.float64]]:
    """Random pairs of sides, ``int8[n, 2, 26]``, and the exact chances of those on roll, ``float64[n]``."""
    table = bearoff_table()
    numbers = np.random.default_rng(seed).integers(1, table.numbering.sides, (_PAIRS, 2))
    boards = np.zeros((_PAIRS, 2, 26), np.int8)
    for pair, row in enumerate(numbers):
        for side, number in enumerate(row):
            boards[pair, side, 1:7] = table.numbering.side_of(int(number))
    boards[:, :, 0] = 15 - boards.sum(axis=2)
    return boards, table.wins[numbers[:, 0], numbers[:, 1]].astype(np.float64)
