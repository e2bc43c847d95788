"""The store of analyses of a process: memory in front, the file behind, and a thread that writes."""

from __future__ import annotations

import itertools
import logging
import os
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from math import inf
from operator import attrgetter
from pathlib import Path
from weakref import WeakSet

from engine.errors import DataFileError
from engine.store.database import StoreDatabase, is_busy, is_damage
from engine.store.entries import EngineIdentity, StoreEntry, StoreQuestion
from engine.store.options import DEFAULT_MEGABYTES
from engine.store.rows import DueQuestion, StoreRow
from engine.store.store_file import StoreFile
from engine.store.tiers import DepthTiers

MAX_REMEMBERED = 10_000
"""Questions in memory: some 10 MB of positions, or 30 MB of plays."""

MAX_REMEMBERED_BYTES = 64 << 20
"""What their values may take, for rolls with thousands of plays."""

MAX_READ_AHEAD = 2_000
"""Questions that are read into memory when a file is opened for those who do not wait: the most asked."""

_READ_AHEAD_ROWS, _READ_AHEAD_PAUSE_S = 50, 0.002
"""How many of them in a turn in the interpreter, a millisecond, and the pause after that."""

READ_AGAIN_S = 60.0
"""How long memory answers those who would take a deeper entry before the file is asked for one again."""

MAX_WAITING = 10_000
"""Writes that may wait for the disk; further ones are left out."""

WRITE_EVERY_S = 0.2
"""How long a write waits for others that can be made with it."""

OPEN_WAIT_S = 0.5
"""How long those who ask wait for a file that is being opened, counted from then on."""

_LOG = logging.getLogger(__name__)

_stores: WeakSet[AnalysisStore] = WeakSet()
_foreign: list[object] = []
"""What belongs to the process that this one was forked of: held, because closing it would harm that one."""

_Key = tuple[StoreQuestion, str]
_Write = Callable[[StoreDatabase], object]


class AnalysisStore:
    """Finds and keeps analyses; safe to use from several threads, and its file from several processes.

    A file that is damaged is moved aside, and a new one begun; one that cannot be used leaves the store in
    memory alone. Both are logged, and nothing is raised: an answer is then searched afresh. What is kept is
    in the file after `WRITE_EVERY_S` and one commit, and stays there however the process ends. In a process
    that is forked the store has a connection and a writer of its own.

    Args:
        file: The file.
        max_bytes: How much of it may be in use; beyond, the questions asked least often are removed.
        book: A book, which is only read: its entries are found as if they were in the file.
        is_patient: Whether to wait for a file that another process holds. Else a thread opens it, those who
            ask wait no longer than `OPEN_WAIT_S` for that, and what is asked most is read ahead.

    Attributes:
        left_out: Writes that found no place in the queue, failed, or came after the end.

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
    ) -> None:
        self.file = file
        self.left_out = 0
        self._max_bytes = max_bytes
        self._remembered: OrderedDict[_Key, dict[int, StoreEntry]] = OrderedDict()
        self._remembered_bytes = 0
        self._read_s: dict[_Key, float] = {}
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
        self._visits: dict[_Key, int] = {}
        self._writes: list[_Write] = []
        self._is_writing = self._is_flushing = self._is_idle = False
        self._changed = threading.Condition()
        self._reading = threading.Lock()
        self._source = StoreFile(self.file)
        self._is_open, self._opening_ends_s = threading.Event(), inf
        self._reader = None
        self._book = None if self._book_file is None else _open_book(self._book_file)
        self._writer: threading.Thread | None = None

    def _begin_forked(self) -> None:
        _foreign.extend((self._source, self._reader, self._book))
        self._begin()

    def _start_opening(self, work: Callable[[], None]) -> None:
        self._opening_ends_s = time.monotonic() + OPEN_WAIT_S
        threading.Thread(target=work, name="analysis-store-reader", daemon=True).start()

    def find(
        self, question: StoreQuestion, engine: EngineIdentity, plies: int, *, allow_deeper: bool = False
    ) -> StoreEntry | None:
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
            with self._changed:
                for each in found:
                    self._remember(key, each)
                known = self._remembered.get(key, {})
                if known:
                    self._read_s[key] = time.monotonic()
                entry = _choose(known.values(), plies, allow_deeper)
        if entry is not None:
            with self._changed:
                self._count_visit(key)
        return entry

    def recall(
        self, question: StoreQuestion, engine: EngineIdentity, plies: int, *, allow_deeper: bool = False
    ) -> StoreEntry | None:
        """Return what `find` does if memory has it, in microseconds and without counting the visit."""
        key = question, engine.digest
        with self._changed:
            if (known := self._remembered.get(key)) is None:
                return None
            self._remembered.move_to_end(key)
            if allow_deeper and max(known) <= plies and self._is_old(key):
                return None  # another process may have searched deeper
            return _choose(known.values(), plies, allow_deeper)

    def visit(
        self,
        question: StoreQuestion,
        engine: EngineIdentity,
        entry: StoreEntry,
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
        with self._changed:
            if self.recall(question, engine, entry.plies, allow_deeper=allow_deeper) is not entry:
                return False
            self._count_visit((question, engine.digest))
            return True

    def keep(
        self, question: StoreQuestion, engine: EngineIdentity, entry: StoreEntry, visits: int = 1
    ) -> None:
        """Keep an answer, unless there is one of that depth.

        Args:
            question: What was asked.
            engine: Who answered.
            entry: The answer.
            visits: How often it was asked for just now; 0 if it was not.
        """
        key = question, engine.digest
        with self._changed:
            self._remember(key, entry)
            self._enqueue_entry(question, engine, entry)
            if visits:
                self._count_visit(key, visits)

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
        with self._changed:
            self._is_flushing = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not (self._writes or self._visits or self._is_writing))
            self._is_flushing = False

    def close(self, timeout_s: float | None = None) -> None:
        """Write what waits and close the file.

        Args:
            timeout_s: How long to wait for that; None for as long as it takes.
        """
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
            writer = self._writer
        if writer is not None:
            writer.join(timeout_s)
        with self._reading:
            for each in (self._reader, self._book):
                if each is not None:
                    each.close()
            self._reader = self._book = None

    def __enter__(self) -> AnalysisStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _remember(self, key: _Key, entry: StoreEntry) -> None:
        known = self._remembered.setdefault(key, {})
        self._remembered.move_to_end(key)
        if entry.plies in known:
            return
        known[entry.plies] = entry
        self._remembered_bytes += entry.size
        while len(self._remembered) > MAX_REMEMBERED or self._remembered_bytes > MAX_REMEMBERED_BYTES:
            oldest, entries = self._remembered.popitem(last=False)
            self._remembered_bytes -= sum(each.size for each in entries.values())
            self._read_s.pop(oldest, None)

    def _is_old(self, key: _Key) -> bool:
        """Return whether it is long ago that what memory has of a question was read from the file."""
        return time.monotonic() - self._read_s.get(key, -inf) > READ_AGAIN_S

    def _count_visit(self, key: _Key, visits: int = 1) -> None:
        if not self._is_closing and (key in self._visits or len(self._visits) < MAX_WAITING):
            self._visits[key] = self._visits.get(key, 0) + visits
            self._start_writer()

    def _enqueue_entry(self, question: StoreQuestion, engine: EngineIdentity, entry: StoreEntry) -> None:
        now_s = int(time.time())
        self._enqueue(lambda database: database.put(question, engine, entry, now_s))

    def _enqueue(self, write: _Write) -> None:
        if self._is_closing or len(self._writes) >= MAX_WAITING:
            self.left_out += 1
            return
        self._writes.append(write)
        self._start_writer()

    def _read(self, question: StoreQuestion, engine: EngineIdentity) -> list[StoreEntry]:
        """Return the entries of a question in the file, and those of the book, which come into the file."""
        if not self._is_open.is_set():
            with self._changed:
                if self._opening_ends_s == inf:  # nobody has asked yet in this process, which was forked
                    self._start_opening(self._open_for_reading)
            self._is_open.wait(max(0.0, self._opening_ends_s - time.monotonic()))
        with self._reading:
            found = self._read_file((question, engine.digest))
            depths = {each.plies for each in found}
            shipped = [each for each in self._read_book(question, engine) if each.plies not in depths]
        with self._changed:
            for each in shipped:
                self._enqueue_entry(question, engine, each)
        return found + shipped

    def _read_file(self, key: _Key) -> list[StoreEntry]:
        if self._reader is None:
            return []
        try:
            return self._reader.find(*key)
        except DataFileError as error:
            _LOG.warning("%s: a question was removed: %s", self.file, error.message)
            with self._changed:
                self._enqueue(lambda database: database.remove(*key))
        except sqlite3.Error as error:
            if not is_busy(error):
                lost, self._reader = self._reader, None
                threading.Thread(target=self._open_for_reading, args=(lost, error), daemon=True).start()
        return []

    def _read_book(self, question: StoreQuestion, engine: EngineIdentity) -> list[StoreEntry]:
        if self._book is None:
            return []
        try:
            return self._book.find(question, engine.of_book.digest)
        except (DataFileError, sqlite3.Error) as error:
            _LOG.warning("the opening book %s is not used: %s", self._book.file, error)
            self._book.close()
            self._book = None
            return []

    def _open_for_reading(
        self, lost: StoreDatabase | None = None, error: sqlite3.Error | None = None
    ) -> None:
        """Open the file, in place of one that could not be read, while those who ask find nothing in it."""
        found = (
            self._source.try_to_open() if lost is None or error is None else self._source.replace(lost, error)
        )
        if found is not None and not self._is_patient:
            found.set_busy_wait(0.0)
        with self._reading:
            if self._reader is None and not self._is_closing:
                self._reader = found
            elif found is not None:  # the thread that writes was first
                found.close()
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
                with self._changed:
                    for row in step:
                        if isinstance(row, StoreRow):
                            self._remember((row.question, row.engine.digest), row.entry)
                if self._is_closing:
                    break
                time.sleep(_READ_AHEAD_PAUSE_S)
        except sqlite3.Error as error:
            self._source.report(error)
        finally:
            database.close()

    def _start_writer(self) -> None:
        if self._writer is None:
            self._writer = threading.Thread(target=self._write_behind, name="analysis-store", daemon=True)
            self._writer.start()
        if self._is_idle:  # else it looks by itself; to wake a thread takes long on a busy machine
            self._is_idle = False
            self._changed.notify_all()

    def _write_behind(self) -> None:
        """Write what comes until the store is closed."""
        database: StoreDatabase | None = None
        while True:
            with self._changed:
                self._is_idle = True
                self._changed.wait_for(lambda: self._writes or self._visits or self._is_closing)
                self._is_idle = False
                self._changed.wait_for(lambda: self._is_closing or self._is_flushing, WRITE_EVERY_S)
                writes, visits = self._writes, self._visits
                self._writes, self._visits = [], {}
                self._is_writing = True
            database = self._write_batch(database, writes, visits)
            with self._changed:
                self._is_writing = False
                self._changed.notify_all()
                if self._is_closing and not (self._writes or self._visits):
                    break
        if database is not None:
            database.close()

    def _write_batch(
        self, database: StoreDatabase | None, writes: list[_Write], visits: dict[_Key, int]
    ) -> StoreDatabase | None:
        """Write a batch as one step, once more into a new file if that one is lost; return what is open."""
        for _ in range(2):
            if database is None or not database.is_current():
                database = self._reopen(database)
            if database is None:
                break
            try:
                with database.write():
                    for write in writes:
                        write(database)
                    now_s = int(time.time())
                    for (question, digest), number in visits.items():
                        database.count_visits(question, digest, number, now_s)
                    database.evict(self._max_bytes, now_s)
                if database.is_current():  # else it was moved aside or removed meanwhile
                    return database
            except sqlite3.Error as error:
                database = self._source.replace(database, error)
                if not is_damage(error):
                    break
        self.left_out += len(writes)
        return database

    def _reopen(self, database: StoreDatabase | None) -> StoreDatabase | None:
        """Open the file that is there now, for reading too."""
        if database is not None:
            database.close()
        with self._reading:
            if self._reader is not None and not self._reader.is_current():
                self._reader.close()
                self._reader = None
        if self._is_open.is_set() and self._reader is None and not self._is_closing:
            self._open_for_reading()
        return self._source.try_to_open()


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


def _choose(entries: Iterable[StoreEntry], plies: int, allow_deeper: bool) -> StoreEntry | None:
    """Return the entry of a depth, or the deepest one beyond it where that is allowed; None if none fits."""
    fitting = [each for each in entries if each.plies == plies or (allow_deeper and each.plies > plies)]
    return max(fitting, key=attrgetter("plies"), default=None)
