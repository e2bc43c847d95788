from itertools import pairwise

import numpy as np
import pytest

from gammond.engine.evaluation.pruning import EvaluatorPruner, ShortlistPruner
from gammond.engine.rules.outcome import cubeless_equity
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

EVALUATOR = RacingEvaluator()
BOARDS = boards.played_boards(EVALUATOR, 60, seed=5)
DICE = boards.random_rolls(60, seed=6)


class _Opposite(RacingEvaluator):
    """Prefers the plays that the racing evaluator ranks last."""

    name = "opposite"

    def evaluate(self, positions):
        outcomes = super().evaluate(positions)
        outcomes[:, 0] = 1 - outcomes[:, 0]
        return outcomes


@pytest.mark.parametrize("size", [1, 2, 4000])
@pytest.mark.parametrize(("keep", "margin"), [(1, 0.0), (4, 0.1), (1000, 9.0)])
def test_the_evaluator_chooses_among_the_plays_that_the_pruner_lists(size, keep, margin):
    pruner = EvaluatorPruner(_Opposite())
    listed = pruner.prune_plays(BOARDS, DICE, size, 9.0)
    found = ShortlistPruner(pruner, EVALUATOR, size, 9.0).prune_plays(BOARDS, DICE, keep, margin)
    counts = np.diff(listed.offsets)
    is_alone = np.repeat(counts, counts) == 1  # and keeps the equity that it has
    equities = np.where(is_alone, listed.equities, cubeless_equity(EVALUATOR.evaluate(listed.children)))
    expected = []
    for start, end in pairwise(listed.offsets):
        order = start + np.argsort(equities[start:end], kind="stable")[:keep]
        expected.append(order[equities[order] <= equities[order[0]] + np.float32(margin)])
    assert np.diff(found.offsets).tolist() == [len(rows) for rows in expected]
    rows = np.concatenate(expected)
    for field in ("children", "moves"):
        assert np.array_equal(getattr(found, field), getattr(listed, field)[rows])
    assert np.array_equal(found.equities, equities[rows])
