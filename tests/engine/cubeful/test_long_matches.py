"""Matches of any length and score, and money play: every value, equity and decision is finite."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from gammond.engine.cubeful import choose_resignation, make_cube_game
from gammond.engine.rules.match import MAX_CUBE, MatchState
from gammond.engine.rules.outcome import Outcome

OUTCOMES = [
    Outcome(0.5, 0.15, 0.01, 0.15, 0.01),
    Outcome(0.8, 0.4, 0.05, 0.03, 0.0),
    Outcome(0.02, 0.0, 0.0, 0.6, 0.2),
    Outcome(1.0, 1.0, 0.0, 0.0, 0.0),
    Outcome(0.0, 0.0, 0.0, 1.0, 1.0),
]


CUBES = (1, 2, 4, 64, 1024, 2048, MAX_CUBE)


def money_games() -> Iterator[MatchState]:
    for cube, jacoby, beavers in itertools.product(CUBES, (False, True), (False, True)):
        for owner in (0, 1) if cube > 1 else (None,):
            yield MatchState(cube=cube, cube_owner=owner, jacoby=jacoby, beavers=beavers)


def long_matches() -> Iterator[MatchState]:
    for length in (1, 7, 25, 65, 1000, 32767):
        scores = {0, length // 2, length - 2, length - 1} & set(range(length))
        for score in ((one, other) for one in scores for other in scores):
            for cube in CUBES:
                owner = None if cube == 1 else (score[0] + cube) % 2
                yield MatchState(length=length, score=score, cube=cube, cube_owner=owner)
            if (score[0] == length - 1) != (score[1] == length - 1):
                yield MatchState(length=length, score=score, crawford=True)


@pytest.mark.parametrize("on_roll", [0, 1])
def test_values_of_any_match_and_of_money_play_are_finite(on_roll):
    outcomes = np.array(OUTCOMES, np.float32)
    efficiencies = np.full(len(outcomes), 0.65, np.float32)
    for match in (*money_games(), *long_matches()):
        game = make_cube_game(replace(match, on_roll=on_roll))
        values = game.with_double(game.evaluate(outcomes, efficiencies))
        assert np.isfinite(values).all(), match
        assert np.isfinite(game.to_equities(values)).all(), match
        for outcome in OUTCOMES:
            decision = game.decide_outcome(outcome, 0.65)
            for value in (decision.no_double, decision.double_take, decision.double_pass, decision.best):
                if value is not None:
                    assert math.isfinite(value.equity), match
                    assert value.mwc is None if match.is_money else 0.0 <= value.mwc <= 1.0, match
        assert choose_resignation(0.0, game) in (0, 1, 2, 3), match
