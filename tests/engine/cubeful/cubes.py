"""Shared by the tests of the cube: match states, outcomes, and races as winning chances."""

import math

import numpy as np
from hypothesis import strategies as st

from gammond.engine.cubeful import CubeGame
from gammond.engine.errors import GammondError
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcome


def race(win: float) -> Outcome:
    """A game without gammons."""
    return Outcome(win, 0.0, 0.0, 0.0, 0.0)


def result_value(game: CubeGame, points: int) -> float:
    """The value of a result at the present cube, whatever the Jacoby rule says: 1 to 3, lost -1 to -3."""
    return float(game.arrays.results[0, int(points > 0), abs(points) - 1])


def dead_value(outcome: Outcome, game: CubeGame) -> float:
    """The value of an outcome if nobody turns the cube any more: the mean over the six results."""
    win, win_g, win_bg, lose_g, lose_bg = outcome
    chances = {
        1: win - win_g,
        2: win_g - win_bg,
        3: win_bg,
        -1: 1 - win - lose_g,
        -2: lose_g - lose_bg,
        -3: lose_bg,
    }
    return sum(chance * result_value(game, points) for points, chance in chances.items())


def kleinman(own_pips: int, other_pips: int) -> float:
    """The chance to win a race, on roll. Source: Danny Kleinman, Vision Laughs at Counting (1980)."""
    lead = other_pips - own_pips + 4
    return 0.5 + 0.5 * math.erf(lead / (2 * math.sqrt(own_pips + other_pips - 4)))


def race_efficiency(pips: int) -> float:
    """The cube efficiency of a long race."""
    return float(np.interp(pips, (40, 120), (0.6, 0.7)))


@st.composite
def outcomes(draw) -> Outcome:
    """Any possible outcome, in steps of a 64th, which floats carry exactly."""
    win = draw(st.integers(0, 64))
    win_g = draw(st.integers(0, win))
    win_bg = draw(st.integers(0, win_g))
    lose_g = draw(st.integers(0, 64 - win))
    lose_bg = draw(st.integers(0, lose_g))
    return Outcome(*(number / 64 for number in (win, win_g, win_bg, lose_g, lose_bg)))


@st.composite
def match_states(draw) -> MatchState:
    """Money games and matches, all scores, cubes and owners that can come up before a roll."""
    length = draw(st.sampled_from([0, 1, 2, 3, 5, 7, 11, 25, 40]))
    turns = draw(st.integers(0, 4))
    options = {
        "length": length,
        "cube": 2**turns,
        "cube_owner": draw(st.integers(0, 1)) if turns else None,
        "on_roll": draw(st.integers(0, 1)),
    }
    if not length:
        return MatchState(jacoby=draw(st.booleans()), beavers=draw(st.booleans()), **options)
    options["score"] = draw(st.integers(0, length - 1)), draw(st.integers(0, length - 1))
    try:
        return MatchState(crawford=not turns and draw(st.booleans()), **options)
    except GammondError:
        return MatchState(**options)
