"""Finished matches are analysed as `gammond analyse` does it, at the lowest priority."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from engine.analysis.engine import Engine
from engine.errors import CancelledWork, DataFileError, GammondError
from engine.match_analysis.analysed_match import make_analysed_match
from engine.match_analysis.analysis import AnalysisSettings, analyse_match
from engine.match_analysis.documents import describe_match
from engine.match_analysis.statistics import RatingTotal
from engine.match_files.model import RecordedMatch
from engine.match_files.reading import read_matches
from engine.match_files.sgf.writer import format_sgf
from engine.rules.match import SEATS
from engine.runtime.threads import yield_to_other_work
from protocol.archive.archive import GameArchive
from protocol.archive.database import ArchiveDatabase, unpack_text
from protocol.archive.records import KeptAnalysis, SeatRating
from protocol.core.fault_log import FAULT_LOG

_LOOK_EVERY_S = 60.0
_WAIT_S = 0.2
_BUSY_WAIT_S = 10.0
"""How long a match waits for clients whose searches are under way; then it is analysed beside them."""

_END_S = 1.0
_NICENESS = 19


class BackgroundAnalysis:
    """A thread that analyses the matches of an archive, one after the other, on one core.

    Args:
        archive: Has the matches, and gets the analyses.
        load_engine: Returns the engine; may take seconds.
        is_busy: Whether searches of clients are under way.
    """

    def __init__(
        self,
        archive: GameArchive,
        load_engine: Callable[[], Engine],
        is_busy: Callable[[], bool] = lambda: False,
    ) -> None:
        self._archive = archive
        self._load_engine = load_engine
        self._is_busy = is_busy
        self._is_ending = threading.Event()

    @contextmanager
    def beside(self) -> Iterator[None]:
        """Analyse during the block."""
        thread = threading.Thread(target=self._run, name="archive-analysis", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._is_ending.set()
            self._archive.wake()
            thread.join(_END_S)

    def analyse_next(self) -> bool:
        """Analyse a match; return whether there was one that waited."""
        try:
            found = self._archive.read(ArchiveDatabase.find_waiting)
        except DataFileError:
            return False  # it has been said
        if found is None:
            return False
        number, packed = found
        try:
            record = unpack_text(packed)
            match = read_matches(record.encode(), name=str(number))[0]
            analysis = analyse_kept_match(self._load_engine(), match, self._is_ending.is_set)
        except CancelledWork:
            return False
        except GammondError as error:
            self._archive.fail_analysis(number, error.message)
        except Exception as error:
            FAULT_LOG.log("the analysis of a match failed", error)
            self._archive.fail_analysis(number, "internal error")
        else:
            self._archive.put_analysis(number, analysis, record)
        return self._archive.flush()

    def _run(self) -> None:
        yield_to_other_work(_NICENESS)
        while not self._is_ending.is_set():
            self._wait_for_clients()
            if self._is_ending.is_set() or self.analyse_next():
                continue
            self._archive.wait_for_news(_LOOK_EVERY_S)

    def _wait_for_clients(self) -> None:
        for _ in range(round(_BUSY_WAIT_S / _WAIT_S)):
            if not self._is_busy() or self._is_ending.wait(_WAIT_S):
                break


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
            statistics.luck_points,
            statistics.luck_mwc,
        )
        for seat, statistics in zip(SEATS, analysed.statistics, strict=True)
    )
    document = msgspec.json.encode(describe_match(analysed))
    return KeptAnalysis(analysed.method, format_sgf(analysed.marked_match), document, (one, two))
