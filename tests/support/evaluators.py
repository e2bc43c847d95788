"""Evaluators and scorers of few lines, in place of nets."""

from __future__ import annotations

import threading
import time

import numpy as np

from gammond.engine.rules.outcome import LOSE_G, WIN, WIN_G, evaluate_finished
from gammond.engine.rules.position import CHECKERS, OFF


class RacingEvaluator:
    """A greedy evaluator: hit, get home, leave no blots. Enough to play games to their end."""

    name = "racing"
    plies = 0

    def evaluate(self, boards):
        """Give outcomes for ``int8[n, 2, 26]`` boards."""
        own, opponent = boards[:, 0].astype(np.int64), boards[:, 1].astype(np.int64)
        points = np.arange(26)
        lead = opponent @ points - own @ points
        blots = (opponent[:, 1:19] == 1).sum(axis=1) - (own[:, 1:19] == 1).sum(axis=1)
        outcomes = np.zeros((len(boards), 5), np.float32)
        outcomes[:, WIN] = 1 / (1 + np.exp(-(lead + 4 * blots) / 40))
        over = (boards[:, :, OFF] == CHECKERS).any(axis=1)
        outcomes[over] = evaluate_finished(boards[over])
        return outcomes


class WatchedEvaluator(RacingEvaluator):
    """The racing evaluator, and what is done each time before it answers.

    Args:
        act: Takes the boards; what it raises comes out.
    """

    def __init__(self, act) -> None:
        self._act = act

    def evaluate(self, boards):
        """Give outcomes for ``int8[n, 2, 26]`` boards."""
        self._act(boards)
        return super().evaluate(boards)


class TornEvaluator:
    """An evaluator torn between gammons and wins.

    With the most checkers on the six point the mover has the higher equity, otherwise the higher chance.
    """

    name = "torn"
    plies = 0

    def evaluate(self, boards):
        """Give outcomes for ``int8[n, 2, 26]`` boards."""
        bold = boards[:, 1, 6] == boards[:, 1, 6].max()
        outcomes = np.zeros((len(boards), 5), np.float32)
        outcomes[:, WIN] = np.where(bold, 0.42, 0.40)
        outcomes[:, LOSE_G] = np.where(bold, 0.5, 0.3)
        return outcomes


class RandomEvaluator:
    """An evaluator of random numbers: its plays are random."""

    name = "random"
    plies = 0

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def evaluate(self, boards):
        """Give outcomes for ``int8[n, 2, 26]`` boards."""
        return self._generator.random((len(boards), 5), np.float32)


class FixedEvaluator:
    """An evaluator that gives every unfinished position the same outcome.

    Args:
        *outcome: The five chances of the side on roll.
    """

    name = "fixed"
    plies = 0

    def __init__(self, *outcome: float) -> None:
        self.outcome = np.array(outcome, np.float32)

    def evaluate(self, boards):
        """Give outcomes for ``int8[n, 2, 26]`` boards."""
        outcomes = np.tile(self.outcome, (len(boards), 1))
        over = (boards[:, :, OFF] == CHECKERS).any(axis=1)
        outcomes[over] = evaluate_finished(boards[over])
        return outcomes


class GammonEvaluator(RacingEvaluator):
    """The racing evaluator for which every win is a gammon."""

    def evaluate(self, boards):
        """Give outcomes for ``int8[n, 2, 26]`` boards."""
        outcomes = super().evaluate(boards)
        outcomes[:, WIN_G], outcomes[:, LOSE_G] = outcomes[:, WIN], 1 - outcomes[:, WIN]
        return outcomes


class PipScorer:
    """Likes to have gone far: the fewer pips the better."""

    def score_boards(self, boards):
        """Score ``int8[n, 2, 26]`` boards, whose second row is that of the side that has played."""
        return -(boards[:, 1] @ np.arange(26)).astype(np.float32)


class HeldEvaluator(RacingEvaluator):
    """The racing evaluator, which answers once it may.

    Attributes:
        asked: How often it was asked.
        was_asked: Set from then on.
        may_answer: To be set by the test.
    """

    def __init__(self) -> None:
        self.asked = 0
        self.was_asked, self.may_answer = threading.Event(), threading.Event()

    def evaluate(self, boards):
        """Give outcomes for ``int8[n, 2, 26]`` boards."""
        self.asked += 1
        self.was_asked.set()
        assert self.may_answer.wait(180)
        return super().evaluate(boards)


class SlowEvaluator(RacingEvaluator):
    """The racing evaluator, which takes its time.

    Args:
        seconds: For each batch.

    Attributes:
        asked: How often it was asked.
        was_asked: Set from then on.
    """

    def __init__(self, seconds: float) -> None:
        self.asked = 0
        self.was_asked = threading.Event()
        self._seconds = seconds

    def evaluate(self, boards):
        """Give outcomes for ``int8[n, 2, 26]`` boards."""
        self.asked += 1
        self.was_asked.set()
        time.sleep(self._seconds)
        return super().evaluate(boards)
