"""What a decision lost, and whether it counts.

Two programs set the field's scales, and they count differently: eXtreme Gammon for its performance rating,
GNU Backgammon for its error rates. A decision is rated by both rules at once.

*Source:* of eXtreme Gammon's rule, which is not published, the page "Methodology" of GammonView 3.1, which
finds it from printed statistics; of GNU Backgammon's, its manual, "Statistics".
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gammond.engine.evaluation.results import CubeDecision, is_on_scale
from gammond.engine.rules.position import CHECKERS, Phase, Position, count_checkers

OPENING_PLAYS = 6
"""A game that began in the starting position is in the opening for this many plays, of both sides."""

_HOME_POINTS = 6


class GamePhase(enum.StrEnum):
    """Phases of a game, in the order in which a game passes through them."""

    OPENING = "opening"
    CONTACT = "contact"
    CRASHED = "crashed"
    RACE = "race"
    BEAROFF = "bearoff"


def classify_game_phase(position: Position, plays_done: int | None) -> GamePhase:
    """Return the phase of a game at a decision.

    Contact, crashed positions and races are those of `gammond.engine.rules.position.classify_phases`. The
    opening is the part of contact within the first `OPENING_PLAYS` plays; a race is a bearoff for a side that
    has all its checkers in its home board, or off. With fewer checkers, as in hypergammon, no position is
    crashed.

    Args:
        position: The checkers, as the side on roll sees them; the game is not over.
        plays_done: Plays of both sides before it; None in a game that began from a set position.
    """
    phase = position.phase
    if phase is Phase.CRASHED and count_checkers(position.board[None]) < CHECKERS:
        phase = Phase.CONTACT
    match phase:
        case Phase.CONTACT if plays_done is not None and plays_done < OPENING_PLAYS:
            return GamePhase.OPENING
        case Phase.CONTACT:
            return GamePhase.CONTACT
        case Phase.CRASHED:
            return GamePhase.CRASHED
        case _:
            return GamePhase.RACE if position.board[0, _HOME_POINTS + 1 :].any() else GamePhase.BEAROFF


FORCED_SPREAD = 1e-4
"""By eXtreme Gammon's rule a play counts if the worst listed play loses at least this much."""

CLOSE_CUBE_POINTS = 0.16
"""By GNU Backgammon's rule not doubling counts if a double is less than this from the best choice."""

WRONG_POINTS = 1e-3
"""Less than this is rounding: a cube decision that loses less is not wrong."""

XG_ERROR_POINTS = 0.02
XG_BLUNDER_POINTS = 0.08
"""From which loss on eXtreme Gammon calls a decision an error, and a blunder; here everything does."""

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


def classify_loss(points: float) -> str:
    """Return what a decision with a loss is called: ``blunder``, ``error``; empty for a smaller loss.

    The loss counts as it is shown, with three digits: .0196 is shown as .020.
    """
    shown = round(points, 3)
    if shown >= XG_BLUNDER_POINTS:
        return "blunder"
    return "error" if shown >= XG_ERROR_POINTS else ""


class ScaledPoints(NamedTuple):
    """What was lost or won somewhere in a match: by a decision, by a roll.

    Attributes:
        equity: In units of the present cube.
        mwc_per_point: The match-winning chance that a point of equity is worth there; None in money play.
    """

    equity: float
    mwc_per_point: float | None

    @property
    def points(self) -> float | None:
        """The equity; None where it is on no scale (`is_on_scale`)."""
        return self.equity if is_on_scale(self.equity, self.mwc_per_point) else None

    @property
    def mwc(self) -> float | None:
        """The match-winning chance; None in money play."""
        return None if self.mwc_per_point is None else self.equity * self.mwc_per_point

    @property
    def size(self) -> float:
        """The points, or what they would be at double match point if they are on no scale."""
        points = self.points
        return 2.0 * (self.mwc or 0.0) if points is None else points

    @property
    def mark(self) -> str:
        """What a loss of it is called, by `classify_loss`; empty for a small one."""
        return classify_loss(self.size)


@dataclass(frozen=True)
class CountedDecision:
    """What a decision lost, and what counts it.

    Attributes:
        seat: Who decided.
        choice: What was chosen.
        loss: What it lost, 0 or more; its unit is the cube before it.
        counts_for_xg: Whether eXtreme Gammon counts it.
        counts_for_gnubg: Whether GNU Backgammon counts it: an unforced play, or a cube decision that was
            close or made.
        is_legal: Whether the rules allow what was chosen; statistics leave out what they forbid, which has no
            equity and lost nothing.
        phase: The phase of the game.
    """

    seat: int
    choice: Choice
    loss: ScaledPoints
    counts_for_xg: bool
    counts_for_gnubg: bool
    is_legal: bool
    phase: GamePhase

    def seen_from(self, seat: int) -> CountedDecision:
        """Return what statistics take of it, as if a seat were 0."""
        return CountedDecision(
            *(self.seat ^ seat, self.choice, self.loss, self.counts_for_xg, self.counts_for_gnubg),
            *(self.is_legal, self.phase),
        )


Counts = tuple[bool, bool]
"""Whether eXtreme Gammon counts a decision, and whether GNU Backgammon does."""

COUNTS_NOWHERE: Counts = (False, False)


def count_play(equities: Sequence[float]) -> Counts:
    """Return who counts a play.

    Args:
        equities: Of the plays that were evaluated, the best first; one for a forced play.
    """
    listed, is_unforced = equities[:_LISTED_PLAYS], len(equities) > 1
    return is_unforced and max(listed) - min(listed) >= FORCED_SPREAD, is_unforced


def count_doubling(cube: CubeDecision, *, is_double: bool) -> Counts:
    """Return who counts a double, or not doubling.

    Args:
        cube: The equities of the choices.
        is_double: Whether it doubled.
    """
    if is_double:
        return True, True
    no_double, double_take, double_pass = cube.equities
    is_trivial = (
        abs(no_double - cube.double) < _TIE_POINTS
        or no_double - double_take > _FAR_POINTS
        or no_double - double_pass > _FAR_POINTS
        or max(no_double, double_take) < _LOST_POINTS
    )
    is_wrong = cube.find_doubling_error(is_double=False) >= WRONG_POINTS
    is_close = max(no_double, cube.double) - min(double_take, _PASS_POINTS) < CLOSE_CUBE_POINTS
    return is_wrong or not is_trivial, is_close


def count_response(cube: CubeDecision) -> Counts:
    """Return who counts a take or a pass."""
    _, double_take, double_pass = cube.equities
    return abs(double_pass - double_take) >= _TIE_POINTS, True
