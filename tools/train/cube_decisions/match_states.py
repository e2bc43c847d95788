"""Kinds of match states in which cube decisions are measured; seat 0 is on roll in all of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gammond.engine.rules.match import MatchState

_MAX_AWAY = 9


def make_match(own_away: int, other_away: int, cube: int = 1) -> MatchState:
    """Make a match state by the points that each side needs; a cube above 1 is owned by the side on roll."""
    length = max(own_away, other_away)
    score = (length - own_away, length - other_away)
    return MatchState(length, score, cube=cube, cube_owner=0 if cube > 1 else None, beavers=False)


def _draw_int(generator: np.random.Generator, low: int, high: int = _MAX_AWAY) -> int:
    return int(generator.integers(low, high + 1))


def _draw_redouble(generator: np.random.Generator) -> MatchState:
    """Draw a cube at 2 or 4 that is alive for its owner, and for the other side after a take."""
    cube = 2 if generator.random() < 0.75 else 4
    return make_match(_draw_int(generator, cube + 1), _draw_int(generator, 2 * cube + 1, 12), cube)


def _draw_last_cube(generator: np.random.Generator) -> MatchState:
    """Draw a cube that is dead once it is taken."""
    cube = 2 if generator.random() < 0.75 else 4
    return make_match(_draw_int(generator, cube + 1), _draw_int(generator, 2, 2 * cube), cube)


def _draw_dead_cube(generator: np.random.Generator) -> MatchState:
    """Draw a cube that its owner cannot gain by turning."""
    cube = 2 if generator.random() < 0.75 else 4
    return make_match(_draw_int(generator, 2, cube), _draw_int(generator, 2), cube)


MATCH_KINDS: dict[str, Callable[[np.random.Generator], MatchState]] = {
    "money": lambda _: MatchState(beavers=False),
    "jacoby": lambda _: MatchState(jacoby=True, beavers=False),
    "redouble": lambda _: MatchState(cube=2, cube_owner=0, beavers=False),
    "match": lambda generator: make_match(_draw_int(generator, 3), _draw_int(generator, 3)),
    "match-redouble": _draw_redouble,
    "last-cube": _draw_last_cube,
    "gammon-go": lambda generator: make_match(_draw_int(generator, 3, 4), 2),
    "gammon-save": lambda generator: make_match(2, _draw_int(generator, 3)),
    "post-crawford": lambda generator: make_match(_draw_int(generator, 2), 1),
    "dead": _draw_dead_cube,
}
"""What draws match states, by kind: money with the cube centred, by the Jacoby rule, and owned by the side on
roll; matches with the cube centred, owned, and dead after a take; the side on roll 3- or 4-away against
2-away, where the gammon wins the match at a cube of 2 and the other side has no use for it; the reverse;
after the Crawford game, where the double is free; and a dead cube, whose values alone are measured."""

MATCH_KIND_WEIGHTS = {
    "money": 24,
    "jacoby": 12,
    "redouble": 14,
    "match": 20,
    "match-redouble": 8,
    "last-cube": 6,
    "gammon-go": 5,
    "gammon-save": 5,
    "post-crawford": 4,
    "dead": 2,
}
"""How many of a hundred decisions are of each kind."""
