"""A kept match analysed as `gammond analyse` does it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from engine.analysis.engine import Engine
from engine.match_analysis.analysed_match import make_analysed_match
from engine.match_analysis.analysis import AnalysisSettings, analyse_match
from engine.match_analysis.documents import describe_match
from engine.match_analysis.statistics import RatingTotal
from engine.match_files.model import RecordedMatch
from engine.match_files.sgf.writer import format_sgf
from engine.rules.match import SEATS
from protocol.archive.records import KeptAnalysis, SeatRating


def analyse_kept_match(
    engine: Engine, match: RecordedMatch, cancelled: Callable[[], bool] = lambda: False
) -> KeptAnalysis:
    """Analyse a match as `gammond analyse` does.

    Args:
        engine: Judges.
        match: The match.
        cancelled: Asked during the work; when it returns true, the work ends.

    Raises:
        CancelledWork: It was cancelled.
        UnsupportedError: The engine does not know the rules of the match.
    """
    settings = AnalysisSettings()
    judged = analyse_match(engine, match, settings, cancelled=cancelled)
    analysed = make_analysed_match(engine, judged, settings)
    decisions = analysed.judged_actions[0]
    one, two = (
        SeatRating(
            RatingTotal.add_up(seat, decisions),
            statistics.errors,
            statistics.blunders,
            statistics.luck_points or 0.0,
            statistics.luck_mwc,
        )
        for seat, statistics in zip(SEATS, analysed.statistics, strict=True)
    )
    document = msgspec.json.encode(describe_match(analysed))
    return KeptAnalysis(analysed.method, format_sgf(analysed.marked_match), document, (one, two))
