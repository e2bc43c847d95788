"""Matches of any length and score, and money play: every value, equity, decision and cube point is finite."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from engine.cubeful import (
    build_cube_state_space,
    compute_leaf_values,
    decide_from_outcome,
    doubling_window,
    gammon_value,
    to_equities,
    with_doubling_option,
)
from engine.cubeful.resignation import choose_resignation
from engine.rules.match import MAX_CUBE, MatchState
from engine.rules.outcome import Outcome

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
        space = build_cube_state_space(replace(match, on_roll=on_roll))
        values = with_doubling_option(compute_leaf_values(outcomes, efficiencies, space), space)
        assert np.isfinite(values).all(), match
        assert np.isfinite(to_equities(values, space)).all(), match
        for outcome in OUTCOMES:
            decision = decide_from_outcome(outcome, 0.65, space)
            for value in (decision.no_double, decision.double_take, decision.double_pass, decision.best):
                if value is not None:
                    assert math.isfinite(value.equity_points), match
                    assert value.mwc is None if match.is_money else 0.0 <= value.mwc <= 1.0, match
        window = doubling_window(OUTCOMES[0], 0.65, space)
        points = [] if window is None else [window.double, window.cash, window.too_good]
        assert all(0.0 <= point <= 1.0 for point in points if point is not None), match
        assert math.isfinite(gammon_value(space)), match
        assert math.isfinite(gammon_value(space, won=False)), match
        assert choose_resignation(0.0, space) in (0, 1, 2, 3), match
