"""The store of analyses of a process: memory in front, the file behind, and a thread that writes."""

from __future__ import annotations

import itertools
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from functools import partial
from math import inf
from pathlib import Path
from weakref import WeakSet

from engine.errors import DataFileError
from engine.store.database import StoreDatabase
from engine.store.entries import EngineIdentity, EntryReader, KeptEntry, StoreEntry, StoreQuestion
from engine.store.entry_memory import EntryMemory, StoreKey, choose_entry
from engine.store.options import DEFAULT_MEGABYTES
from engine.store.rows import DueQuestion, StoreRow
from engine.store.sqlite_database import is_busy
from engine.store.store_file import StoreFile
from engine.store.store_writer import StoreWrite, StoreWriter
from engine.store.tiers import DepthTiers

MAX_READ_AHEAD = 2_000
"""Questions that are read into memory when a file is opened for those who do not wait: the most asked."""

_READ_AHEAD_ROWS, _READ_AHEAD_PAUSE_S = 50, 0.002
"""How many of them in a turn in the interpreter, a millisecond, and the pause after that."""

OPEN_WAIT_S = 0.5
"""How long those who ask wait for a file that is being opened, counted from then on."""

_LOG = logging.getLogger(__name__)

_stores: WeakSet[AnalysisStore] = WeakSet()
_foreign: list[object] = []
"""What belongs to the process that this one was forked of: held, because closing it would harm that one."""


class AnalysisStore:
    """Finds and keeps analyses; safe to use from several threads, and its file from several processes.

    A file that is damaged is moved aside, and a new one begun; one that cannot be used leaves the store in
    memory alone. Both are logged, and nothing is raised: an answer is then searched afresh. What is kept is
    in the file after `WRITE_EVERY_S` (`engine.store.store_writer`) and one commit, and stays there however
    the process ends. In a process that is forked the store has a connection and a writer of its own.

    Args:
        file: The file.
        max_bytes: How much of it may be in use; beyond, the questions asked least often are removed.
        book: A book, which is only read: its entries are found as if they were in the file.
        is_patient: Whether to wait for a file that another process holds. Else a thread opens it, those who
            ask wait no longer than `OPEN_WAIT_S` for that, and what is asked most is read ahead.
        read_entry: Reads the entries, all of one game.

    Raises:
        DataFileError: The file is another program's, or of a later version of gammond; one who is not patient
            finds nothing in it.
    """

    def __init__(
        self,
        file: Path,
        max_bytes: int = DEFAULT_MEGABYTES << 20,
        book: Path | None = None,
        *,
        is_patient: bool = True,
        read_entry: EntryReader = StoreEntry.decode,
    ) -> None:
        self.file = file
        self._read_entry = read_entry
        self._max_bytes = max_bytes
        self._memory = EntryMemory()
        self._is_closing = False
        self._is_patient = is_patient
        self._book_file = book
        self._reader: StoreDatabase | None = None
        self._begin()
        if is_patient:
            self._reader = self._source.open()
            self._is_open.set()
        else:
            self._start_opening(self._open_behind)
        _stores.add(self)

    def _begin(self) -> None:
        """Begin with no thread, no connection to the file and nothing to write."""
        self._remembering, self._reading = threading.Lock(), threading.Lock()
        read_entry = self._read_entry
        self._source = StoreFile(self.file, lambda file: StoreDatabase(file, read_entry=read_entry))
        self._is_open, self._opening_ends_s = threading.Event(), inf
        self._reader = None
        self._book = None if self._book_file is None else _open_book(self._book_file)
        self._writer = StoreWriter(self._source, self._max_bytes, self._reopen_reader)

    def _begin_forked(self) -> None:
        _foreign.extend((self._source, self._reader, self._book, self._writer))
        self._begin()

    @property
    def left_out(self) -> int:
        """Writes that found no place in the queue, failed, or came after the end."""
        return self._writer.left_out

    def _start_opening(self, work: Callable[[], None]) -> None:
        self._opening_ends_s = time.monotonic() + OPEN_WAIT_S
        try:
            threading.Thread(target=work, name="analysis-store-reader", daemon=True).start()
        except RuntimeError as error:  # the system gives no more threads
            self._source.report(error)
            self._is_open.set()

    def find(
        self, question: StoreQuestion, engine: EngineIdentity, plies: int, *, allow_deeper: bool = False
    ) -> KeptEntry | None:
        """Return the kept answer to a question, and count the visit; None if there is none that fits.

        Args:
            question: What is asked.
            engine: Who would answer it: only entries of an equal one are given.
            plies: Plies of look-ahead.
            allow_deeper: Whether a deeper entry will do.
        """
        key = question, engine.digest
        entry = self.recall(question, engine, plies, allow_deeper=allow_deeper)
        if entry is None:
            found = self._read(question, engine)
            with self._remembering:
                entry = choose_entry(self._memory.add_read(key, found), plies, allow_deeper=allow_deeper)
        if entry is not None:
            self._writer.count_visit(key)
        return entry

    def recall(
        self, question: StoreQuestion, engine: EngineIdentity, plies: int, *, allow_deeper: bool = False
    ) -> KeptEntry | None:
        """Return what `find` does if memory has it, in microseconds and without counting the visit."""
        with self._remembering:
            return self._memory.find((question, engine.digest), plies, allow_deeper=allow_deeper)

    def list_depths(self, question: StoreQuestion, engine: EngineIdentity) -> list[int]:
        """List the plies of the kept answers to a question, the least first, without counting a visit."""
        found = self._read(question, engine)
        with self._remembering:
            return sorted({each.plies for each in self._memory.add_read((question, engine.digest), found)})

    def visit(
        self,
        question: StoreQuestion,
        engine: EngineIdentity,
        entry: KeptEntry,
        *,
        allow_deeper: bool = False,
    ) -> bool:
        """Count a visit to an entry; return whether it is what `recall` returns still, else none is counted.

        Args:
            question: What is asked.
            engine: As for `find`.
            entry: What was found.
            allow_deeper: Whether a deeper entry would do.
        """
        if self.recall(question, engine, entry.plies, allow_deeper=allow_deeper) is not entry:
            return False
        self._writer.count_visit((question, engine.digest))
        return True

    def keep(
        self, question: StoreQuestion, engine: EngineIdentity, entry: KeptEntry, visits: int = 1
    ) -> None:
        """Keep an answer, unless there is one of that depth.

        Args:
            question: What was asked.
            engine: Who answered.
            entry: The answer.
            visits: How often it was asked for just now; 0 if it was not.
        """
        key = question, engine.digest
        with self._remembering:
            self._memory.add(key, entry)
        self._writer.put(_make_write(question, engine, entry))
        if visits:
            self._writer.count_visit(key, visits)

    def commit(self, question: StoreQuestion, engine: EngineIdentity, entry: KeptEntry) -> bool:
        """Keep an answer nobody has asked for, and wait for the file; return whether it is there.

        Args:
            question: What it answers.
            engine: Who answered.
            entry: The answer.
        """
        with self._remembering:
            self._memory.add((question, engine.digest), entry)
        write = _make_write(question, engine, entry)
        self._writer.put(write)
        self._writer.flush()
        return write.is_made

    def list_due(self, engine: EngineIdentity, tiers: DepthTiers, limit: int) -> list[DueQuestion]:
        """Return what `StoreDatabase.list_due` does; nothing where the file cannot be used."""
        self.flush()
        database = self._source.try_to_open()  # one of its own: nobody who asks waits while the file is read
        if database is None:
            return []
        try:
            return database.list_due(engine.digest, tiers, int(time.time()), limit)
        except sqlite3.Error as error:
            self._source.report(error)
            return []
        finally:
            database.close()

    def flush(self) -> None:
        """Wait until all that was kept is in the file, or could not be written."""
        self._writer.flush()

    def close(self, timeout_s: float | None = None) -> None:
        """Write what waits and close the file.

        Args:
            timeout_s: How long to wait for that; None for as long as it takes.
        """
        self._is_closing = True
        self._writer.close(timeout_s)
        with self._reading:
            for each in (self._reader, self._book):
                if each is not None:
                    each.close()
            self._reader = self._book = None

    def __enter__(self) -> AnalysisStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, question: StoreQuestion, engine: EngineIdentity) -> list[KeptEntry]:
        """Return the entries of a question in the file, and those of the book, which come into the file."""
        if not self._is_open.is_set():
            with self._remembering:
                if self._opening_ends_s == inf:  # nobody has asked yet in this process, which was forked
                    self._start_opening(self._open_for_reading)
            self._is_open.wait(max(0.0, self._opening_ends_s - time.monotonic()))
        with self._reading:
            found = self._read_file((question, engine.digest))
            depths = {each.plies for each in found}
            shipped = [each for each in self._read_book(question, engine) if each.plies not in depths]
        for each in shipped:
            self._writer.put(_make_write(question, engine, each))
        return found + shipped

    def _read_file(self, key: StoreKey) -> list[KeptEntry]:
        if self._reader is None:
            return []
        try:
            return self._reader.find(*key)
        except DataFileError as error:
            _LOG.warning("%s: a question was removed: %s", self.file, error.message)
            self._writer.put(StoreWrite(lambda database, _: database.remove(*key)))
        except sqlite3.Error as error:
            if not is_busy(error):
                replace = partial(self._source.replace, self._reader, error)
                self._reader = None
                self._start_opening(partial(self._open_for_reading, replace))
        return []

    def _read_book(self, question: StoreQuestion, engine: EngineIdentity) -> list[KeptEntry]:
        if self._book is None:
            return []
        try:
            return self._book.find(question, engine.of_book.digest)
        except (DataFileError, sqlite3.Error) as error:
            _LOG.warning("the opening book %s is not used: %s", self._book.file, error)
            self._book.close()
            self._book = None
            return []

    def _open_for_reading(self, open_file: Callable[[], StoreDatabase | None] | None = None) -> None:
        """Open the file, by default as it is, while those who ask find nothing in it."""
        try:
            found = (open_file or self._source.try_to_open)()
            if found is not None and not self._is_patient:
                found.set_busy_wait(0.0)
            with self._reading:
                if self._reader is None and not self._is_closing:
                    self._reader = found
                elif found is not None:  # the thread that writes was first
                    found.close()
        finally:
            self._is_open.set()

    def _open_behind(self) -> None:
        """Open the file, and read what is asked most into memory, with pauses for those who ask."""
        self._open_for_reading()
        database = self._source.try_to_open()
        if database is None:
            return
        try:
            rows = itertools.islice(database.iterate(), MAX_READ_AHEAD)
            while step := list(itertools.islice(rows, _READ_AHEAD_ROWS)):
                with self._remembering:
                    for row in step:
                        if isinstance(row, StoreRow):
                            self._memory.add((row.question, row.engine.digest), row.entry)
                if self._is_closing:
                    break
                time.sleep(_READ_AHEAD_PAUSE_S)
        except sqlite3.Error as error:
            self._source.report(error)
        finally:
            database.close()

    def _reopen_reader(self) -> None:
        """Read from the file that is there now, if those who ask have it open."""
        with self._reading:
            if self._reader is not None and not self._reader.is_current():
                self._reader.close()
                self._reader = None
        if self._is_open.is_set() and self._reader is None and not self._is_closing:
            self._open_for_reading()


def _begin_all_forked() -> None:
    for store in _stores:
        store._begin_forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_all_forked)


def _open_book(file: Path) -> StoreDatabase | None:
    try:
        return StoreDatabase(file, is_book=True)
    except (DataFileError, sqlite3.Error) as error:
        _LOG.warning("the opening book %s is not used: %s", file, error)
        return None


def _make_write(question: StoreQuestion, engine: EngineIdentity, entry: KeptEntry) -> StoreWrite:
    """Return what writes an entry, as searched now."""
    created_s = int(time.time())
    return StoreWrite(lambda database, _: database.put(question, engine, entry, created_s))
