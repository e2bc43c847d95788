"""The phases of a game that statistics are split by."""

from __future__ import annotations

import enum

from engine.rules.position import CHECKERS, Phase, Position, count_checkers

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

    Contact, crashed positions and races are those of `engine.rules.position.classify_phases`. The opening is
    the part of contact within the first `OPENING_PLAYS` plays; a race is a bearoff for a side that has all
    its checkers in its home board, or off. With fewer checkers, as in hypergammon, no position is crashed.

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
