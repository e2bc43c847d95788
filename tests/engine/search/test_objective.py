"""What an objective of outcomes alone makes of them; `test_cubeful_objective` has those with the cube."""

from __future__ import annotations

import numpy as np

from engine.cubeful import build_cube_state_space, make_dead_cube_game
from engine.rules.match import MatchState
from engine.rules.outcome import cubeless_equity
from engine.search.objective import Objective
from tests import boards
from tests.engine.search.naive_search import SmoothEvaluator


def test_outcomes_are_ranked_by_cubeless_equity():
    objective = Objective(SmoothEvaluator())
    outcomes = objective.evaluate(boards.random_boards(50, seed=3))
    assert np.abs(objective.equities(outcomes) - cubeless_equity(outcomes)).max() < 1e-6
    assert objective.other is objective


def test_objectives_of_one_evaluator_and_game_are_equal():
    evaluator, match = SmoothEvaluator(), MatchState(length=5)
    games = (
        None,
        make_dead_cube_game(match),
        build_cube_state_space(match),
        build_cube_state_space(MatchState()),
    )
    objectives = [Objective(evaluator, game) for game in games]
    assert len(set(objectives)) == len(games)
    assert objectives == [Objective(evaluator, game) for game in games]
    assert objectives == [each.other.other for each in objectives]
    assert [each.is_cubeful for each in objectives] == [False, False, True, True]
    assert [each.columns for each in objectives[:2]] == [5, 6]
