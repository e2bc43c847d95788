"""Rules that keep a changed configuration: after a fixed number of games, or by a sequential test."""

from __future__ import annotations

from dataclasses import dataclass

from gammond.engine.errors import ValueRangeError
from gammond.tools.tournament.statistics.scores import PairedScores
from gammond.tools.tournament.statistics.sprt import SequentialTest, SprtVerdict


@dataclass(frozen=True)
class ChangeDecision:
    """The decision of a rule.

    Attributes:
        is_accepted: Whether to keep the change.
        games: Number of games that decided.
    """

    is_accepted: bool
    games: int


@dataclass(frozen=True)
class FixedRule:
    """Plays a fixed number of games; keeps a change that wins more than a share of them.

    *Source:* K. Ekman's trainer: 3,000 games, 51 %, each with its own dice.

    Attributes:
        most_games: Number of games, even.
        share: The share of games that a kept change exceeds.
        has_pairs: Whether games come in pairs with the same dice.

    Raises:
        ValueRangeError: The number of games is odd.
    """

    most_games: int = 3000
    share: float = 0.51
    has_pairs: bool = False

    def __post_init__(self) -> None:
        if self.most_games % 2:
            raise ValueRangeError(f"expected an even number of games, got {self.most_games}", field="games")

    def decide(self, scores: PairedScores) -> ChangeDecision | None:
        """Decide about a change from its games against the configuration before; None to play on."""
        if scores.games < self.most_games:
            return None
        whole = scores.take_first(self.most_games)
        return ChangeDecision(whole.wins > self.share * self.most_games, self.most_games)


@dataclass(frozen=True)
class SequentialRule:
    """Plays paired games until a sequential test ends; keeps a change that it accepts.

    Attributes:
        test: Tests the changed configuration's wins.
        most_games: Maximum number of games, after which the change is dropped.
    """

    test: SequentialTest
    most_games: int = 40_000
    has_pairs: bool = True

    def decide(self, scores: PairedScores) -> ChangeDecision | None:
        """Decide, as `FixedRule.decide`."""
        result = self.test.run(scores.take_first(self.most_games))
        if result.verdict is not SprtVerdict.UNDECIDED:
            return ChangeDecision(result.verdict is SprtVerdict.ACCEPTED, result.games)
        return ChangeDecision(False, self.most_games) if scores.games >= self.most_games else None


AcceptanceRule = FixedRule | SequentialRule
