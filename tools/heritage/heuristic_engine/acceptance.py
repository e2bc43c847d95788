"""When a changed configuration is kept: after a fixed number of games, or by a sequential test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from engine.errors import ValueRangeError
from tools.tournament.scores import PairedScores
from tools.tournament.sprt import SequentialTest, SprtVerdict


@dataclass(frozen=True)
class ChangeDecision:
    """What a rule says.

    Attributes:
        is_accepted: Whether the change is.
        games: After how many games.
    """

    is_accepted: bool
    games: int


class AcceptanceRule(Protocol):
    """Decides about a change from the games of the changed configuration against the one before."""

    @property
    def has_pairs(self) -> bool:
        """Whether games come in pairs with the same dice; otherwise all have their own."""
        ...

    @property
    def most_games(self) -> int:
        """After how many games there is an answer at the latest."""
        ...

    def decide(self, scores: PairedScores) -> ChangeDecision | None:
        """Decide from the games so far; None to go on."""
        ...


@dataclass(frozen=True)
class FixedRule:
    """Plays a fixed number of games; keeps a change that wins more than a share of them.

    *Source:* K. Ekman's trainer: 3,000 games, 51 %, each with its own dice.

    Attributes:
        most_games: How many, even.
        share: What has to be exceeded.
        has_pairs: As `AcceptanceRule.has_pairs`.

    Raises:
        ValueRangeError: The number of games is odd.
    """

    most_games: int = 3000
    share: float = 0.51
    has_pairs: bool = False

    def __post_init__(self) -> None:
        if self.most_games % 2:
            raise ValueRangeError(f"games of a change are even, not {self.most_games}", field="games")

    def decide(self, scores: PairedScores) -> ChangeDecision | None:
        """Decide, as `AcceptanceRule.decide`."""
        if scores.games < self.most_games:
            return None
        whole = scores.take_first(self.most_games)
        return ChangeDecision(whole.wins > self.share * self.most_games, self.most_games)


@dataclass(frozen=True)
class SequentialRule:
    """As many paired games as a sequential test takes; kept if it accepts.

    Attributes:
        test: Of the changed configuration's wins.
        most_games: After these the change is not kept.
    """

    test: SequentialTest
    most_games: int = 40_000
    has_pairs: bool = True

    def decide(self, scores: PairedScores) -> ChangeDecision | None:
        """Decide, as `AcceptanceRule.decide`."""
        result = self.test.run(scores.take_first(self.most_games))
        if result.verdict is not SprtVerdict.UNDECIDED:
            return ChangeDecision(result.verdict is SprtVerdict.ACCEPTED, result.games)
        return ChangeDecision(False, self.most_games) if scores.games >= self.most_games else None
