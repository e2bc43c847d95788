"""Resignations: offered when playing on costs the same, accepted when it brings no more."""

import numpy as np
import pytest

from gammond.engine.cubeful import choose_resignation, make_cube_game, should_accept_resignation
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcome

MONEY = make_cube_game(MatchState())


def value(outcome: Outcome, game) -> float:
    rows = np.array([outcome], np.float32)
    return float(game.evaluate(rows, np.full(1, 0.68, np.float32))[0, 0])


LOST_GAMMON, LOST_BACKGAMMON = (0, 0, 0, 1, 0), (0, 0, 0, 1, 1)


@pytest.mark.parametrize(
    ("match", "outcome", "points"),
    [
        (MatchState(), (0, 0, 0, 0, 0), 1),
        (MatchState(), LOST_GAMMON, 2),
        (MatchState(), LOST_BACKGAMMON, 3),
        (MatchState(), (0, 0, 0, 0.5, 0), 0),
        (MatchState(), (0, 0, 0, 1, 0.5), 0),
        (MatchState(), (0.05, 0, 0, 0, 0), 0),
        (MatchState(), (0.0001, 0, 0, 0, 0), 1),
        (MatchState(jacoby=True), LOST_GAMMON, 1),
        (MatchState(jacoby=True, cube=2, cube_owner=1), LOST_GAMMON, 2),
        (MatchState(length=5, score=(2, 4)), LOST_BACKGAMMON, 1),
        (MatchState(length=5, score=(2, 3)), LOST_BACKGAMMON, 2),
    ],
)
def test_a_game_is_resigned_for_the_least_that_costs_what_it_costs_for_certain(match, outcome, points):
    game = make_cube_game(match)
    assert choose_resignation(value(Outcome(*outcome), game), game) == points


def test_under_jacoby_a_single_game_is_accepted_where_the_cube_is_in_the_middle():
    assert should_accept_resignation(-1.0, 1, make_cube_game(MatchState(jacoby=True)))


@pytest.mark.parametrize(
    ("outcome", "accepted"),
    [
        ((1.0, 0.0, 0.0, 0.0, 0.0), [1, 2, 3]),
        ((1.0, 0.9, 0.0, 0.0, 0.0), [2, 3]),
        ((1.0, 1.0, 0.3, 0.0, 0.0), [3]),
        ((0.9, 0.0, 0.0, 0.0, 0.0), [1, 2, 3]),
        ((0.9, 0.5, 0.0, 0.0, 0.0), [2, 3]),
    ],
)
def test_a_resignation_is_accepted_unless_playing_on_is_worth_more(outcome, accepted):
    worth = value(Outcome(*outcome), MONEY)
    assert [points for points in (1, 2, 3) if should_accept_resignation(-worth, points, MONEY)] == accepted
