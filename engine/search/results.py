"""What a search reports while it runs and when it ends."""

from __future__ import annotations

from dataclasses import dataclass

from engine.rules.moves import Play
from engine.rules.outcome import Outcome


@dataclass(frozen=True)
class CandidatePlay:
    """A play with its judgement.

    Attributes:
        play: The play.
        outcome: After the play, for the player who made it.
        equity: Cubeless money equity of that outcome in points.
        plies: Plies of look-ahead behind the numbers.
    """

    play: Play
    outcome: Outcome
    equity: float
    plies: int
