"""Resignations: offered when playing on costs the same, accepted when it brings no more."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.cubeful import choose_resignation, make_cube_game, should_accept_resignation
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcome

MONEY = make_cube_game(MatchState())
JACOBY = make_cube_game(MatchState(jacoby=True))


def value(outcome: Outcome, game) -> float:
    rows = np.array([outcome], np.float32)
    return float(game.evaluate(rows, np.full(1, 0.68, np.float32))[0, 0])


@pytest.mark.parametrize(
    ("outcome", "points"),
    [
        ((0.0, 0, 0, 0, 0), 1),
        ((0.0, 0, 0, 1, 0), 2),
        ((0.0, 0, 0, 1, 1), 3),
        ((0.0, 0, 0, 0.5, 0), 0),
        ((0.0, 0, 0, 1, 0.5), 0),
        ((0.05, 0, 0, 0, 0), 0),
        ((0.0001, 0, 0, 0, 0), 1),
    ],
)
def test_a_game_is_resigned_for_what_it_costs_for_certain(outcome, points):
    assert choose_resignation(value(Outcome(*outcome), MONEY), MONEY) == points


def test_under_jacoby_a_gammon_with_the_cube_in_the_middle_costs_one_point():
    lost = Outcome(0.0, 0.0, 0.0, 1.0, 0.0)
    assert choose_resignation(value(lost, JACOBY), JACOBY) == 1
    assert should_accept_resignation(-1.0, 1, JACOBY)
    owned = make_cube_game(MatchState(jacoby=True, cube=2, cube_owner=1))
    assert choose_resignation(value(lost, owned), owned) == 2


def test_in_a_match_the_least_resignation_of_the_same_worth_is_offered():
    lost = Outcome(0.0, 0.0, 0.0, 1.0, 1.0)
    last_game = make_cube_game(MatchState(length=5, score=(2, 4)))
    assert choose_resignation(value(lost, last_game), last_game) == 1
    two_to_go = make_cube_game(MatchState(length=5, score=(2, 3)))
    assert choose_resignation(value(lost, two_to_go), two_to_go) == 2


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
