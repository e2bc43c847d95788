"""What an objective of outcomes alone makes of them; `test_cubeful_objective` has those with the cube."""

from __future__ import annotations

import numpy as np

from gammond.engine.cubeful import CUBELESS_GAME, make_cube_game, make_dead_cube_game
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.search.tree import Objective
from tests.engine.search.naive_search import SmoothEvaluator
from tests.support import boards


def test_outcomes_are_ranked_by_cubeless_equity():
    objective = Objective(SmoothEvaluator())
    outcomes = objective.evaluate(boards.random_boards(50, seed=3))
    assert np.abs(objective.game.equities(outcomes) - cubeless_equity(outcomes)).max() < 1e-6
    assert objective.other is objective


def test_objectives_of_one_evaluator_and_game_are_equal():
    evaluator, match = SmoothEvaluator(), MatchState(length=5)
    games = (
        CUBELESS_GAME,
        make_dead_cube_game(match),
        make_cube_game(match),
        make_cube_game(MatchState()),
    )
    objectives = [Objective(evaluator, game) for game in games]
    assert len(set(objectives)) == len(games)
    assert objectives == [Objective(evaluator, game) for game in games]
    assert objectives == [each.other.other for each in objectives]
    assert [each.game.is_cubeful for each in objectives] == [False, False, True, True]
    assert [each.game.columns for each in objectives[:2]] == [5, 6]
