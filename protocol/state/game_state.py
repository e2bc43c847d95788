"""A game as a client set it up: checkers and everything else."""

from __future__ import annotations

from dataclasses import dataclass, field

from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import STANDARD_RULES, Feature, Rules

SeatNames = tuple[str, str]
"""Names of seats 0 and 1."""

SEAT_NAMES: SeatNames = ("p0", "p1")


@dataclass(frozen=True)
class GameState:
    """A game as a client set it up.

    Attributes:
        position: The checkers, those of the seat on roll first; None until one is sent.
        match: Everything else, the dice among it.
        is_conceded: Whether the game ended by a drop or a resignation; the checkers lie as they did.
        rules: The rules of the game.
        final_score: The score, where the game ended the match; the match state has the one before it.
    """

    position: Position | None = None
    match: MatchState = field(default_factory=MatchState)
    is_conceded: bool = False
    rules: Rules = STANDARD_RULES
    final_score: tuple[int, int] | None = None

    @property
    def score(self) -> tuple[int, int]:
        """Points of seats 0 and 1."""
        return self.final_score or self.match.score

    @property
    def is_over(self) -> bool:
        """Whether there is a position whose game has ended."""
        return self.position is not None and (self.is_conceded or self.position.is_over)

    @property
    def may_double(self) -> bool:
        """Whether the seat on roll may offer the cube at this moment, and could gain by it."""
        return self.rules.supports(Feature.CUBE) and self.match.may_double(self.match.on_roll)
