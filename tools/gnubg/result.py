"""Results of games and matches against GNU Backgammon, with standard errors."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from gammond.engine.wording import format_count


@dataclass
class GnubgSessionResult:
    """The result of a session, for this engine.

    Attributes:
        points: Of each finished game, negative if it was lost.
        matches: Whether each finished match was won; empty for money games.
        rolls: Plays of both sides replayed.
        cube_actions: Doubles and responses of both sides checked.
        requests: Requests of gnubg.
        seconds: Wall-clock time.
        faults: What went wrong, one line each.
    """

    points: list[int] = field(default_factory=list)
    matches: list[bool] = field(default_factory=list)
    rolls: int = 0
    cube_actions: int = 0
    requests: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)

    def as_text(self, name: str, length: int) -> str:
        """Format it for people: one line, and one for each fault.

        Args:
            name: What was played.
            length: Points of a match; 0 for money games.
        """
        won = [points for points in self.points if points > 0]
        lost = [points for points in self.points if points < 0]
        parts = [
            f"{len(won)} of {format_count(len(self.points), 'game')} won",
            f"points {sum(won)}-{-sum(lost)}",
            f"{format_count(self.rolls, 'play')} and "
            f"{format_count(self.cube_actions, 'cube action')} checked",
            f"{self.seconds:.0f} s",
        ]
        if length:
            matches = f"{sum(self.matches)} of {format_count(len(self.matches), 'match', 'matches')} won"
            parts.insert(0, matches + _format_win_share(self.matches))
        elif len(self.points) > 1:
            mean, error = compute_mean_and_error(self.points)
            parts.insert(2, f"{mean:+.3f} ± {error:.3f} points per game")
        return (
            "\n".join([f"{name}: {', '.join(parts)}", *(f"  FAULT {fault}" for fault in self.faults)]) + "\n"
        )

    def add(self, other: GnubgSessionResult) -> None:
        """Add the result of another session, except its faults."""
        self.points += other.points
        self.matches += other.matches
        self.rolls += other.rolls
        self.cube_actions += other.cube_actions
        self.requests += other.requests
        self.seconds += other.seconds


def compute_mean_and_error(samples: Sequence[float]) -> tuple[float, float]:
    """Compute the mean of two or more samples and its standard error."""
    return statistics.fmean(samples), statistics.stdev(samples) / math.sqrt(len(samples))


def _format_win_share(won: Sequence[bool]) -> str:
    if len(won) < 2:
        return ""
    mean, error = compute_mean_and_error([float(one) for one in won])
    return f" ({100 * mean:.1f} % ± {100 * error:.1f})"
