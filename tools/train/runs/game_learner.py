"""Learning from games: rounds of them, counted together from checkpoint to checkpoint.

At each checkpoint the learner plays fixed opponents. One that falls behind its best nets by more than a
threshold goes back to them and learns at a lower rate.

Source: the algorithm of the blog Computational Backgammon, second training approach (July 2011).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Protocol

from gammond.engine.play.player import Player
from gammond.engine.rules.rules import Rules
from gammond.tools.common.journal import Record
from gammond.tools.train.runs.run import Learner, RunProgress
from gammond.tools.train.runs.strength_games import load_opponents, measure_results, play_opponents


@dataclass(frozen=True)
class RoundReport:
    """What one or more rounds came to.

    Attributes:
        games_done: Games finished since the run began.
        rate: The learning rate of the last round.
        games_played: Games of these rounds.
        plies: Plies in them.
        gammons: How many of them were gammons or backgammons.
        squared_error: Sum over the plies of the squared error of equity, in squared points.
    """

    games_done: int
    rate: float
    games_played: int
    plies: int
    gammons: int
    squared_error: float

    @property
    def error_points(self) -> float:
        """Root mean square of the errors of equity, in points a ply."""
        return sqrt(self.squared_error / max(self.plies, 1))

    def add_earlier(self, earlier: RoundReport | None) -> RoundReport:
        """Report these rounds and earlier ones together."""
        if earlier is None:
            return self
        return RoundReport(
            self.games_done,
            self.rate,
            earlier.games_played + self.games_played,
            earlier.plies + self.plies,
            earlier.gammons + self.gammons,
            earlier.squared_error + self.squared_error,
        )


class GameSettings(Protocol):
    """The settings that all learners from games have."""

    @property
    def games(self) -> int:
        """Games to learn from in all."""
        ...

    @property
    def checkpoint_every(self) -> int:
        """Games between checkpoints."""
        ...

    @property
    def opponents(self) -> tuple[str, ...]:
        """The opponents of strength measurements."""
        ...

    @property
    def benchmark_games(self) -> int:
        """Paired games against each of them at a checkpoint; 0 for none."""
        ...

    @property
    def rules(self) -> Rules:
        """The rules of the games."""
        ...

    @property
    def backtrack(self) -> float:
        """Points per game behind the best nets that send a run back to them; 0 for never."""
        ...


class GameLearner(Learner):
    """A learner whose steps are games, played in rounds.

    Args:
        settings: Of the run.
    """

    unit = "games"
    label = unit

    def __init__(self, settings: GameSettings) -> None:
        self.checkpoint_every = settings.checkpoint_every
        self.backtrack = settings.backtrack
        self._game_settings = settings
        self._opponents = load_opponents(settings.opponents, settings.benchmark_games)
        self._rounds: Iterator[RoundReport] | None = None
        self._report: RoundReport | None = None

    @property
    def total_steps(self) -> int:
        """Games in all."""
        return self._game_settings.games

    @property
    @abstractmethod
    def player(self) -> Player:
        """The player with what was learned so far."""

    @property
    @abstractmethod
    def rate(self) -> float:
        """The learning rate of the next round."""

    @abstractmethod
    def play_rounds(self) -> Iterator[RoundReport]:
        """Learn, round by round, to the end; the learner may be sent back between rounds."""

    def run_step(self, progress: RunProgress) -> None:
        """Play and learn from one round."""
        self._rounds = self._rounds or self.play_rounds()
        report = next(self._rounds)
        self._report = report.add_earlier(self._report)
        progress.update(report.games_done, f"error {self._report.error_points:.3f}")

    def compute_metrics(self, elapsed_s: float) -> Record:
        """Describe the rounds since the last checkpoint."""
        report, self._report = self._report, None
        assert report is not None
        games = max(report.games_played, 1)
        return {
            "rate": report.rate,
            "error_points": report.error_points,
            "gammons": report.gammons / games,
            "plies": report.plies / games,
            "games_per_s": report.games_played / elapsed_s,
        }

    def measure_strength(self) -> Record:
        """Play all opponents; the log also has the share of games won against the first."""
        settings = self._game_settings
        results = play_opponents(self.player, self._opponents, settings.benchmark_games, settings.rules)
        won = [result.win_share for result in results.values() if result.games]
        return measure_results(results, **({"won": won[0]} if won else {}))

    def format_record(self, record: Record) -> str:
        """Format a line of the log."""
        return (
            f"{record['games']} games, rate {record['rate']:.4f}, error {record['error_points']:.4f}, "
            f"{record['games_per_s']:.0f} games/s"
        )

    def format_backtrack(self, record: Record) -> str:
        """Format a return to the best nets, with the rate that follows."""
        return f"{super().format_backtrack(record)}, rate {self.rate:.4f}"
