"""Finished matches are analysed as `gammond analyse` does it, at the lowest priority."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gammond.engine.analysis.engine import Engine
from gammond.engine.errors import CancelledWork, DataFileError, GammondError
from gammond.engine.runtime.threads import yield_to_other_work
from gammond.protocol.archive.archive import GameArchive
from gammond.protocol.archive.database import ArchiveDatabase, unpack_text
from gammond.protocol.archive.records import ArchivedAnalysis
from gammond.protocol.core.fault_log import FAULT_LOG

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
            analysis = self._analyse(record, str(number))
        except CancelledWork:
            return False
        except GammondError as error:
            self._fail(number, error.message)
        except Exception as error:
            FAULT_LOG.log("the analysis of a match failed", error)
            self._fail(number, "internal error")
        else:
            self._archive.write(lambda base: base.put_analysis(number, analysis, record))
        return self._archive.flush()

    def _fail(self, number: int, reason: str) -> None:
        self._archive.write(lambda base: base.fail_analysis(number, reason))

    def _analyse(self, record: str, name: str) -> ArchivedAnalysis:
        """Analyse a match, given as it is kept.

        Raises:
            CancelledWork: The server ends.
            GammondError: The record cannot be read, or its rules are not known.
        """
        from gammond.engine.match_files.reading import (
            read_matches,  # here, since most starts find nothing to analyse
        )
        from gammond.protocol.archive.match_analysis import analyse_kept_match

        match = read_matches(record.encode(), name=name)[0]
        return analyse_kept_match(self._load_engine(), match, self._is_ending.is_set)

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
