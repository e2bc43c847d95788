"""The evaluator of the tests of `gammond batch`, and positions of games that it plays."""

import numpy as np

from gammond.engine.evaluation.evaluator import choose_best_children
from gammond.engine.formats.position_id import encode_position_ids
from gammond.engine.rules.position import Position


class PipEvaluator:
    """Outcomes from pip counts: enough to distinguish positions.

    Args:
        shift: Added to the chance of winning.
    """

    name = "pips"
    plies = 0

    def __init__(self, shift: float = 0.0) -> None:
        self.shift = shift
        self.asked = 0

    def evaluate(self, boards):
        assert len(boards) > 0
        assert boards.flags.c_contiguous
        self.asked += len(boards)
        pips = boards.astype(np.int64) @ np.arange(26)
        win = 0.5 + (pips[:, 1] - pips[:, 0]) / 1000 + self.shift
        gammons = pips[:, 0] / 4000
        columns = [win, gammons, gammons / 10, gammons / 2, gammons / 20]
        return np.stack(columns, axis=1).astype(np.float32)


def some_ids(count, seed=3):
    """Return position IDs of games that the evaluator plays."""
    generator = np.random.default_rng(seed)
    boards = np.repeat(Position.start().board[None], 64, axis=0)
    ids = []
    while len(ids) < count:
        dice = generator.integers(1, 7, (64, 2)).astype(np.int8)
        boards, _ = choose_best_children(PipEvaluator(), boards, dice)
        boards[(boards[:, :, 0] == 15).any(axis=1)] = Position.start().board
        ids += encode_position_ids(boards)
    return ids[:count]
