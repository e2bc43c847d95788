"""A search carries up whatever columns an objective has, and each side has its options before it rolls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from engine.rules.dice import ROLL_WEIGHTS, ROLLS
from engine.rules.moves import legal_plays
from engine.rules.outcome import cubeless_equity, invert_outcomes
from engine.rules.position import Position, find_finished
from engine.search.objective import OUTCOME_BACKUP, BackupRule, CubelessObjective
from engine.search.tree import UNPRUNED, TreeSearch
from tests import boards
from tests.engine.search.naive_search import SmoothEvaluator

SIDE_FACTORS = (1.0, 0.5)


@dataclass(frozen=True)
class SplitObjective:
    """Outcomes, and a sixth column in which a side counts its own equity at its own factor and can cash it.

    Replies for the sixth column are chosen by the sixth column.

    Attributes:
        leaf: The outcomes.
        side: Whose values these are.
        cash: What a side can take before it rolls.
    """

    leaf: CubelessObjective
    side: int = 0
    cash: float = 0.3
    columns = 6

    @property
    def evaluator(self):
        return self.leaf.evaluator

    @property
    def exact(self):
        return self.leaf.exact

    @property
    def other(self):
        return SplitObjective(self.leaf, 1 - self.side, self.cash)

    @property
    def backup_rule(self):
        one = OUTCOME_BACKUP
        return BackupRule(
            scores=np.array([[*one.scores[0], 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]),
            score_of=np.array([0, 0, 0, 0, 0, 1]),
            opponent_column=np.array([*one.opponent_column, 5]),
            factors=np.array([*one.factors, -1.0]),
            shifts=np.array([*one.shifts, 0.0]),
        )

    def is_settled(self, sample):
        return find_finished(sample)

    def evaluate(self, sample):
        outcomes = self.leaf.evaluate(sample)
        sixth = np.float32(SIDE_FACTORS[self.side]) * cubeless_equity(outcomes)
        return np.concatenate([outcomes, sixth[:, None]], axis=1)

    def apply_double_option(self, values):
        result = values.copy()
        result[:, 5] = np.minimum(np.maximum(values[:, 5], np.float32(self.cash)), 1.0)
        return result

    def equities(self, values):
        return values[:, 5].astype(np.float64)


def naive_values(objective, position, plies):
    """The six columns by the definition."""
    if plies == 0 or position.is_over:
        return objective.evaluate(position.board[None])[0]
    total = np.zeros(6)
    for roll, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
        rows = []
        for play in legal_plays(position, roll):
            rows.append(
                objective.other.apply_double_option(
                    naive_values(objective.other, play.result, plies - 1)[None]
                )
            )
        rows = np.concatenate(rows)
        by_outcome = rows[int(np.argmin(cubeless_equity(rows[:, :5])))]
        total[:5] += weight * invert_outcomes(by_outcome[:5])
        total[5] -= weight * rows[:, 5].min()
    return total


@pytest.mark.parametrize("threads", [1, 3])
def test_columns_are_chosen_by_their_own_scores_and_cashed_between_the_sides(threads):
    sample = np.stack(
        [
            boards.position(x={1: 1, 5: 1}, o={20: 2, 19: 1}).board,
            boards.position(x={20: 1, 2: 2}, o={24: 1, 23: 1}).board,
        ]
    )
    objective = SplitObjective(CubelessObjective(SmoothEvaluator()))
    found = TreeSearch(None, UNPRUNED, threads=threads).evaluate(objective, sample, 2)
    expected = [naive_values(objective, Position(board), 2) for board in sample]
    assert np.abs(found - expected).max() < 1e-6


def test_the_root_does_not_cash():
    board = boards.position(x={22: 2, 23: 2}, o={24: 1}).board[None]
    objective = SplitObjective(CubelessObjective(SmoothEvaluator()), cash=0.9)
    value = TreeSearch(None, UNPRUNED).evaluate(objective, board, 1)[0, 5]
    assert value == pytest.approx(naive_values(objective, Position(board[0]), 1)[5], abs=1e-6)
    assert value < 0.9


def test_the_reduction_of_outcomes_turns_them_and_ranks_by_cubeless_equity():
    outcomes = SmoothEvaluator().evaluate(boards.random_boards(50, seed=3))
    one = OUTCOME_BACKUP
    turned = one.shifts + one.factors * outcomes[:, one.opponent_column]
    assert np.abs(turned - invert_outcomes(outcomes)).max() < 1e-6
    objective = CubelessObjective(SmoothEvaluator())
    assert np.abs(objective.equities(outcomes) - cubeless_equity(outcomes)).max() < 1e-6
    assert np.abs(outcomes @ one.scores[0] - 1.0 - cubeless_equity(outcomes)).max() < 1e-6
