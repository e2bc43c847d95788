"""Decided bearoffs, and the errors of an evaluator on bearoffs with known values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.evaluation.evaluator import Evaluator
from gammond.engine.rules.outcome import LOSE_G, WIN, WIN_G
from gammond.engine.rules.position import Board
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.tools.heritage.computational_backgammon.net_set import load_bearoff_table

_PAIRS = 4000
_SURE_CHANCE = 0.99
_SEED = 1


def make_sure_win() -> Board:
    """Return two checkers on the ace point against five on the opponent's: ``int8[2, 26]``."""
    board = np.zeros((2, 26), np.int8)
    board[0, 1], board[0, 0] = 2, 13
    board[1, 1], board[1, 0] = 5, 10
    return board


def make_sure_loss() -> Board:
    """Return `make_sure_win` with the other side on roll, which cannot win at once: ``int8[2, 26]``."""
    return np.ascontiguousarray(make_sure_win()[::-1])


def measure_endgame_errors(evaluator: Evaluator) -> tuple[float, float, float]:
    """Compare an evaluator with the two-sided database on random pairs of sides, none of them finished.

    Returns:
        Its mean winning chance where the exact one is 0.99 or more, and where that is 0.01 or less; and the
        root mean square error over all positions.
    """
    boards, exact = _make_random_endgames()
    chances = evaluator.evaluate(boards)[:, WIN].astype(np.float64)
    return (
        float(chances[exact >= _SURE_CHANCE].mean()),
        float(chances[exact <= 1.0 - _SURE_CHANCE].mean()),
        float(np.sqrt(np.mean((chances - exact) ** 2))),
    )


def compute_probe_metrics(evaluator: Evaluator) -> dict[str, object]:
    """Evaluate the start and two decided endgames, for a log.

    Returns:
        ``start``: winning chance and chances of gammons won and lost, for the side on roll;
        ``sure_win`` and ``sure_loss``: the winning chances of these.
    """
    start = STANDARD_RULES.starting_position.board
    outcomes = evaluator.evaluate(np.stack([start, make_sure_win(), make_sure_loss()]))
    return {
        "start": [float(outcomes[0, place]) for place in (WIN, WIN_G, LOSE_G)],
        "sure_win": float(outcomes[1, WIN]),
        "sure_loss": float(outcomes[2, WIN]),
    }


def _make_random_endgames() -> tuple[Board, NDArray[np.float64]]:
    """Return random pairs of sides, ``int8[n, 2, 26]``, and their exact winning chances, ``float64[n]``."""
    table = load_bearoff_table()
    numbers = np.random.default_rng(_SEED).integers(1, table.numbering.side_count, (_PAIRS, 2))
    boards = np.zeros((_PAIRS, 2, 26), np.int8)
    for pair, row in enumerate(numbers):
        for side, number in enumerate(row):
            boards[pair, side, 1:7] = table.numbering.decode_side(int(number))
    boards[:, :, 0] = 15 - boards.sum(axis=2)
    return boards, table.wins[numbers[:, 0], numbers[:, 1]].astype(np.float64)
