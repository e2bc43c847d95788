"""Ratings and error rates as text."""

from __future__ import annotations

from collections.abc import Iterable

from gammond.engine.match_analysis.statistics import NO_SCALE, NO_SCALE_REASON, PlayerStatistics
from gammond.engine.wording import format_count


def format_rating(player: PlayerStatistics) -> str:
    """Format a performance rating with its 95 % interval; ``-`` without a counted decision.

    Where only decisions whose loss is on no scale would count, it is not meaningful.
    """
    if player.performance_rating is None:
        return NO_SCALE if player.unscaled else "-"
    half = player.performance_rating_95
    return f"{player.performance_rating:.2f}{'' if half is None else f' ± {half:.2f}'}"


def format_rate(value: float | None, unscaled: int = 0) -> str:
    """Format an error rate; ``-`` without a decision that counts.

    Args:
        value: The rate.
        unscaled: Decisions whose loss is on no scale.
    """
    if value is None:
        return NO_SCALE if unscaled else "-"
    return f"{value:.1f}"


def format_lost(points: float | None, mwc: float | None) -> str:
    """Format what was lost in points and in match-winning chance, without points that are on no scale."""
    shown = "" if mwc is None else f"{100 * mwc:.2f} %"
    if points is None:
        return shown
    return f"{points:.3f} ({shown})" if shown else f"{points:.3f}"


def format_luck(points: float | None) -> str:
    """Format luck in points; ``-`` where it is on no scale."""
    return "-" if points is None else f"{points:+.3f}"


def explain_unscaled(players: Iterable[PlayerStatistics]) -> str:
    """Return why decisions count for no rating; empty where all do."""
    count = sum(player.unscaled for player in players)
    if not count:
        return ""
    return f"No rating or rate counts {format_count(count, 'decision')}: {NO_SCALE_REASON}."
