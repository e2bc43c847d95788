"""What a decision lost, and whether it counts.

Two programs set the field's scales, and they count differently: eXtreme Gammon for its performance rating,
GNU Backgammon for its error rates. A decision is judged by both rules at once.

*Source:* of eXtreme Gammon's rule, which is not published, the page "Methodology" of GammonView 3.1, which
finds it from printed statistics; of GNU Backgammon's, its manual, "Statistics".
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from engine.match_files.model import RecordedCubeDecision

FORCED_SPREAD = 1e-4
"""By eXtreme Gammon's rule a play counts if the worst listed play loses at least this much."""

CLOSE_CUBE_POINTS = 0.16
"""By GNU Backgammon's rule not doubling counts if a double is less than this from the best choice."""

WRONG_POINTS = 1e-3
"""Less than this is rounding: a cube decision that loses less is not wrong."""

_LISTED_PLAYS = 10
_TIE_POINTS = 1e-3
_FAR_POINTS = 0.2
_LOST_POINTS = -0.9
_PASS_POINTS = 1.0


class Choice(enum.StrEnum):
    """What a player chose."""

    PLAY = "play"
    NO_DOUBLE = "no double"
    DOUBLE = "double"
    TAKE = "take"
    PASS = "pass"


@dataclass(frozen=True)
class Judgement:
    """What a decision lost.

    Attributes:
        choice: What was chosen.
        error_points: The equity that it lost, 0 or more, in units of the cube before it.
        counts_for_xg: Whether eXtreme Gammon counts it.
        counts_for_gnubg: Whether GNU Backgammon counts it: an unforced play, or a cube decision that was
            close or made.
        is_legal: Whether the rules allow what was chosen; statistics leave out what they forbid.
    """

    choice: Choice
    error_points: float
    counts_for_xg: bool
    counts_for_gnubg: bool
    is_legal: bool = True


ILLEGAL_PLAY = Judgement(Choice.PLAY, 0.0, counts_for_xg=False, counts_for_gnubg=False, is_legal=False)
"""The judgement of a play that the rules forbid: it has no equity, so it lost nothing."""


def judge_play(equities: Sequence[float], played: int) -> Judgement:
    """Judge a play.

    Args:
        equities: Of the plays that were evaluated, the best first; one for a forced play.
        played: The place of the play that was chosen.
    """
    listed = equities[:_LISTED_PLAYS]
    is_unforced = len(equities) > 1
    return Judgement(
        Choice.PLAY,
        max(0.0, equities[0] - equities[played]),
        counts_for_xg=is_unforced and max(listed) - min(listed) >= FORCED_SPREAD,
        counts_for_gnubg=is_unforced,
    )


def judge_doubling(cube: RecordedCubeDecision, *, is_double: bool) -> Judgement:
    """Judge a double, or not doubling.

    Args:
        cube: The equities of the choices.
        is_double: Whether it doubled.
    """
    no_double, double_take, doubled = cube.no_double, cube.double_take, cube.double
    best = max(no_double, doubled)
    error = best - (doubled if is_double else no_double)
    is_trivial = (
        abs(no_double - doubled) < _TIE_POINTS
        or no_double - double_take > _FAR_POINTS
        or no_double - cube.double_pass > _FAR_POINTS
        or max(no_double, double_take) < _LOST_POINTS
    )
    return Judgement(
        Choice.DOUBLE if is_double else Choice.NO_DOUBLE,
        error,
        counts_for_xg=is_double or not is_trivial or error >= WRONG_POINTS,
        counts_for_gnubg=is_double or best - min(double_take, _PASS_POINTS) < CLOSE_CUBE_POINTS,
    )


def judge_response(cube: RecordedCubeDecision, *, is_take: bool) -> Judgement:
    """Judge a take or a pass, arguments as `judge_doubling`."""
    saved = cube.double_pass - cube.double_take
    return Judgement(
        Choice.TAKE if is_take else Choice.PASS,
        max(0.0, -saved if is_take else saved),
        counts_for_xg=abs(saved) >= _TIE_POINTS,
        counts_for_gnubg=True,
    )
