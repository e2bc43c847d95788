"""Ranked plays: a sequence that is read from arrays, and ranked anew from the top."""

import numpy as np
import pytest

from gammond.engine.cubeful import make_dead_cube_game
from gammond.engine.evaluation.results import Effort
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import generate_plays
from gammond.engine.rules.position import Position
from gammond.engine.search.ranked_plays import RankedPlays
from gammond.engine.search.tree import Objective
from tests.engine.search.naive_search import SmoothEvaluator

PLAYS = generate_plays(Position.start(), (3, 1))
OBJECTIVE = Objective(SmoothEvaluator())


def rank() -> RankedPlays:
    return RankedPlays.rank(
        PLAYS, OBJECTIVE, OBJECTIVE.evaluate(PLAYS.boards), Effort(0, True, len(PLAYS), 0.0)
    )


def test_it_is_a_sequence():
    ranked = rank()
    everything = tuple(ranked)
    assert len(everything) == len(ranked) == len(PLAYS)
    assert (ranked[0], ranked[-1], ranked[2:5]) == (everything[0], everything[-1], everything[2:5])
    assert ranked == rank() == everything != everything[1:]
    assert ranked != 1
    with pytest.raises(IndexError):
        ranked[len(ranked)]


def test_equal_scores_are_ranked_by_cubeless_equity_then_in_order_of_the_plays():
    objective = Objective(SmoothEvaluator(), make_dead_cube_game(MatchState(length=5)))
    values = np.zeros((len(PLAYS), objective.game.columns), np.float32)
    values[3, 0] = -0.5
    ranked = RankedPlays.rank(PLAYS, objective, values, Effort(0, True, len(PLAYS), 0.0))
    assert ranked.order.tolist() == [3, 0, 1, 2, *range(4, len(PLAYS))]


def test_the_first_are_ranked_anew_and_the_others_stay():
    before = rank()
    values = before.values[:3][::-1].copy()
    after = before.rank_first(values, Effort(1, True, 0, 0.0))
    assert after.order.tolist() == [*before.order[:3][::-1], *before.order[3:]]
    assert [each.evaluation.equity for each in after] == [each.evaluation.equity for each in before]
    assert [each.evaluation.plies for each in after] == [1] * 3 + [0] * (len(PLAYS) - 3)
    assert [each.survived for each in after] == [True] * 3 + [False] * (len(PLAYS) - 3)
    assert after.survivor_equities() == [each.evaluation.equity for each in after[:3]]
    assert (before, after.effort.plies) == (rank(), 1)
