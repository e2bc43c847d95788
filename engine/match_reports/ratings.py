"""Ratings and error rates as text."""

from __future__ import annotations

from engine.match_analysis.statistics import PlayerStatistics


def format_rating(player: PlayerStatistics) -> str:
    """Format a performance rating with its 95 % interval; ``-`` without a counted decision."""
    if player.performance_rating is None:
        return "-"
    half = player.performance_rating_95
    return f"{player.performance_rating:.2f}{'' if half is None else f' ± {half:.2f}'}"


def format_rate(value: float | None) -> str:
    """Format an error rate; ``-`` without a decision that counts."""
    return "-" if value is None else f"{value:.1f}"
