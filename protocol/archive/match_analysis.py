"""A kept match analysed as `gammond analyse` does it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from gammond.engine.analysis.engine import Engine
from gammond.engine.match_analysis.analysed_match import make_analysed_match
from gammond.engine.match_analysis.analysis import AnalysisSettings, analyse_match
from gammond.engine.match_analysis.documents import describe_match
from gammond.engine.match_analysis.statistics import RatingTotal
from gammond.engine.match_files.model import RecordedMatch
from gammond.engine.match_files.sgf.writer import format_sgf
from gammond.engine.rules.match import SEATS
from gammond.protocol.archive.records import ArchivedAnalysis, SeatRating


def analyse_kept_match(
    engine: Engine, match: RecordedMatch, cancelled: Callable[[], bool] = lambda: False
) -> ArchivedAnalysis:
    """Analyse a match as `gammond analyse` does.

    Args:
        engine: Evaluates.
        match: The match.
        cancelled: Asked during the work; when it returns true, the work ends.

    Raises:
        CancelledWork: It was cancelled.
        UnsupportedError: The engine does not know the rules of the match.
    """
    settings = AnalysisSettings()
    noted = analyse_match(engine, match, settings, cancelled=cancelled)
    analysed = make_analysed_match(engine, noted, settings)
    one, two = (
        SeatRating(
            RatingTotal.add_up(seat, analysed.decisions),
            statistics.errors,
            statistics.blunders,
            statistics.luck_points or 0.0,
            statistics.luck_mwc,
        )
        for seat, statistics in zip(SEATS, analysed.statistics, strict=True)
    )
    document = msgspec.json.encode(describe_match(analysed))
    return ArchivedAnalysis(analysed.method, format_sgf(analysed.marked_match), document, (one, two))
