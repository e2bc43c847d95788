"""Pruning by the shipped net and the normal filter cost next to nothing, on 1,000 contact positions.

The same at 2 plies takes an hour: call `gammond.tools.measure.pruning.measure_choice_costs` with plies 2.
"""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import Phase, Position, classify_phases
from gammond.engine.search import FILTERS, UNPRUNED, IterativeSearch, NPlyEvaluator, TreeSearch
from gammond.engine.search.tree import Objective
from gammond.nets.catalogue import load_evaluator, load_pruner
from gammond.tools.measure.pruning import measure_choice_costs
from tests.support import boards

MOST_POINTS = 0.001


@pytest.fixture(scope="module")
def contact():
    """``int8[1000, 2, 26]`` of games that the default evaluator plays."""
    sample = boards.played_boards(load_evaluator(), 2500, seed=11)
    return sample[classify_phases(sample) == int(Phase.CONTACT)][:1000]


@pytest.mark.slow
def test_values_lose_little_by_pruning(contact):
    evaluator, pruner = load_evaluator(), load_pruner()
    exact = cubeless_equity(NPlyEvaluator(evaluator, None, 1, UNPRUNED).evaluate(contact))
    pruned = cubeless_equity(NPlyEvaluator(evaluator, pruner, 1).evaluate(contact))
    assert len(contact) == 1000
    assert (pruned <= exact + 1e-5).all()
    assert 0.0 <= float((exact - pruned).mean()) <= MOST_POINTS


@pytest.mark.slow
def test_choices_lose_little_by_pruning_and_the_normal_filter(contact):
    evaluator, pruner = load_evaluator(), load_pruner()
    generator = np.random.default_rng(5)
    decisions = [(Position(board), ROLLS[generator.integers(len(ROLLS))]) for board in contact]
    objective = Objective(evaluator)
    search = IterativeSearch(objective, TreeSearch(pruner))
    exact = IterativeSearch(objective, TreeSearch(None, UNPRUNED))
    costs = measure_choice_costs(search, exact, decisions, 1, FILTERS["normal"])
    assert costs.min() >= 0.0
    assert costs.mean() <= MOST_POINTS
