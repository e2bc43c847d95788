"""The store of analyses of a process: memory in front, the file behind, and a thread that writes."""

from __future__ import annotations

import itertools
import logging
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from math import inf
from operator import attrgetter
from pathlib import Path

from gammond.engine.errors import DataFileError
from gammond.engine.runtime.shared_file import LOCK_WAIT_S, MAX_WAITING, SharedFile, Write
from gammond.engine.runtime.threads import begin_anew_in_forks
from gammond.engine.store.database import DepthTiers, DueQuestion, StoreDatabase, StoreRow
from gammond.engine.store.entries import EngineIdentity, EntryReader, KeptEntry, StoreEntry, StoreQuestion

MAX_REMEMBERED = 10_000
"""Questions in memory: some 10 MB of positions, or 30 MB of plays."""

MAX_REMEMBERED_BYTES = 64 << 20
"""What their values may take, for rolls with thousands of plays."""

READ_AGAIN_S = 60.0
"""How long memory answers those who would take a deeper entry before the file is asked for one again."""

MAX_READ_AHEAD = 2_000
"""Questions that are read into memory when a file is opened for those who do not wait: the most asked."""

_READ_AHEAD_ROWS, _READ_AHEAD_PAUSE_S = 50, 0.002
"""How many of them in a turn in the interpreter, a millisecond, and the pause after that."""

OPEN_WAIT_S = 0.5
"""How long those who ask wait for a file that is being opened."""

WRITE_EVERY_S = 0.2
"""How long a write waits for others that can be made with it."""

StoreKey = tuple[StoreQuestion, str]
"""A question, and the digest of the engine that answers it."""

_VISITS = "visits"
"""The key of the write of visits."""

_LOG = logging.getLogger(__name__)


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
        is_patient: Whether those who ask wait for a file that another process opens. Else they wait no longer
            than `OPEN_WAIT_S`, and a thread opens it and reads ahead what is asked most.
        read_entry: Reads the entries, all of one game.

    Raises:
        DataFileError: The file is another program's, or of a later version of gammond; one who is not patient
            finds nothing in it.
    """

    def __init__(
        self,
        file: Path,
        max_bytes: float = inf,
        book: Path | None = None,
        *,
        is_patient: bool = True,
        read_entry: EntryReader = StoreEntry.decode,
    ) -> None:
        self.file = file
        self._read_entry = read_entry
        self._max_bytes = max_bytes
        self._read_wait_s = LOCK_WAIT_S if is_patient else OPEN_WAIT_S
        self._book_file = book
        self._is_closing = False
        # Entries by question and depth; beyond the bounds, the questions asked the longest ago go.
        self._entries: OrderedDict[StoreKey, dict[int, KeptEntry]] = OrderedDict()
        self._entry_bytes = 0
        self._read_s: dict[StoreKey, float] = {}
        self.begin_in_fork()
        if is_patient:
            self._shared.begin_reading()
        else:
            try:
                threading.Thread(target=self._read_ahead, name="analysis-store-reader", daemon=True).start()
            except RuntimeError as error:  # the system gives no more threads
                self._shared.report(error)
        begin_anew_in_forks(self)

    def begin_in_fork(self) -> None:
        """Begin with no thread, no connection to the file and nothing to write."""
        self._remembering, self._reading_book = threading.Lock(), threading.Lock()
        self._book = None if self._book_file is None else _open_book(self._book_file)
        self._visits: dict[StoreKey, int] = {}
        self._shared: SharedFile[StoreDatabase] = SharedFile(
            self.file,
            partial(StoreDatabase, read_entry=self._read_entry),
            "the store of analyses",
            gather_s=WRITE_EVERY_S,
            read_wait_s=self._read_wait_s,
            on_step=lambda database, _: database.evict(self._max_bytes, int(time.time())),
        )

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
        entry = self.recall(question, engine, plies, allow_deeper=allow_deeper)
        if entry is None:
            entry = _choose_entry(self._read(question, engine), plies, allow_deeper)
        if entry is not None:
            self.count_visit(question, engine)
        return entry

    def recall(
        self, question: StoreQuestion, engine: EngineIdentity, plies: int, *, allow_deeper: bool = False
    ) -> KeptEntry | None:
        """Return what `find` does if memory has it, in microseconds and without counting the visit.

        Where a deeper entry will do, and another process may have added one, memory does not have it.
        """
        key = question, engine.digest
        with self._remembering:
            if (known := self._entries.get(key)) is None:
                return None
            self._entries.move_to_end(key)
            if allow_deeper and max(known) <= plies and self._is_old(key):
                return None
            return _choose_entry(known.values(), plies, allow_deeper)

    def list_depths(self, question: StoreQuestion, engine: EngineIdentity) -> list[int]:
        """List the plies of the kept answers to a question, the least first, without counting a visit."""
        return sorted({each.plies for each in self._read(question, engine)})

    def count_visit(self, question: StoreQuestion, engine: EngineIdentity) -> None:
        """Count that a question was asked whose answer is kept."""
        if self._is_closing:
            return
        key = question, engine.digest
        with self._remembering:
            if key in self._visits:
                self._visits[key] += 1
                return
            if len(self._visits) < MAX_WAITING:
                self._visits[key] = 1
        self._shared.put(Write(self._write_visits), _VISITS)

    def keep(
        self, question: StoreQuestion, engine: EngineIdentity, entry: KeptEntry, visits: int = 1
    ) -> Write[StoreDatabase]:
        """Keep an answer, as searched now, unless there is one of that depth; return what writes it.

        Args:
            question: What was asked.
            engine: Who answered.
            entry: The answer.
            visits: How often it was asked for just now; 0 if it was not.
        """
        now_s = int(time.time())
        with self._remembering:
            self._remember((question, engine.digest), entry)
        write: Write[StoreDatabase] = Write(
            lambda database: database.put(question, engine, entry, now_s, visits)
        )
        self._shared.put(write)
        return write

    def commit(self, question: StoreQuestion, engine: EngineIdentity, entry: KeptEntry) -> bool:
        """Keep an answer that nobody has asked for, wait for the file, and return whether it is there."""
        write = self.keep(question, engine, entry, visits=0)
        self.flush()
        return write.is_made

    def list_due(self, engine: EngineIdentity, tiers: DepthTiers, limit: int) -> list[DueQuestion]:
        """Return what `StoreDatabase.list_due` does; nothing where the file cannot be used."""
        self.flush()
        now_s = int(time.time())
        return self._shared.read_apart(lambda file: file.list_due(engine.digest, tiers, now_s, limit)) or []

    def flush(self) -> None:
        """Wait until all that was kept is in the file, or could not be written."""
        self._shared.flush()

    def close(self, timeout_s: float | None = None) -> None:
        """Write what waits and close the file.

        Args:
            timeout_s: How long to wait for that; None for as long as it takes.
        """
        self._is_closing = True
        self._shared.close(timeout_s)
        with self._reading_book:
            if self._book is not None:
                self._book.close()
                self._book = None

    def __enter__(self) -> AnalysisStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write_visits(self, database: StoreDatabase) -> None:
        with self._remembering:
            visits, self._visits = self._visits, {}
        now_s = int(time.time())
        for key, number in visits.items():
            database.count_visits(*key, number, now_s)

    def _remember(self, key: StoreKey, entry: KeptEntry) -> None:
        """Add an entry to memory, unless there is one of that depth; the lock of memory is held."""
        known = self._entries.setdefault(key, {})
        self._entries.move_to_end(key)
        if entry.plies in known:
            return
        known[entry.plies] = entry
        self._entry_bytes += entry.size
        while len(self._entries) > MAX_REMEMBERED or self._entry_bytes > MAX_REMEMBERED_BYTES:
            oldest, entries = self._entries.popitem(last=False)
            self._entry_bytes -= sum(each.size for each in entries.values())
            self._read_s.pop(oldest, None)

    def _is_old(self, key: StoreKey) -> bool:
        """Return whether it is long ago that what there is of a question was read from the file."""
        return time.monotonic() - self._read_s.get(key, -inf) > READ_AGAIN_S

    def _read(self, question: StoreQuestion, engine: EngineIdentity) -> list[KeptEntry]:
        """Read the entries of a question from the file, and from the book, whose entries come into the file.

        Returns:
            All that memory has of it then.
        """
        key = question, engine.digest
        found = self._read_file(key)
        depths = {each.plies for each in found}
        shipped = [each for each in self._read_book(question, engine) if each.plies not in depths]
        for each in shipped:
            self.keep(question, engine, each, visits=0)
        with self._remembering:
            for each in found:
                self._remember(key, each)
            known = list(self._entries.get(key, {}).values())
            if known:
                self._read_s[key] = time.monotonic()
        return known

    def _read_file(self, key: StoreKey) -> list[KeptEntry]:
        def find(database: StoreDatabase) -> list[KeptEntry]:
            try:
                return database.find(*key)
            except DataFileError as error:
                _LOG.warning("%s: a question was removed: %s", self.file, error.message)
                self._shared.put(Write(lambda database: database.remove(*key)))
                return []

        try:
            return self._shared.read(find)
        except DataFileError:  # which is logged
            return []

    def _read_book(self, question: StoreQuestion, engine: EngineIdentity) -> list[KeptEntry]:
        with self._reading_book:
            if self._book is None:
                return []
            try:
                return self._book.find(question, engine.of_book.digest)
            except (DataFileError, sqlite3.Error) as error:
                _report_book(self._book.file, error)
                self._book.close()
                self._book = None
                return []

    def _read_ahead(self) -> None:
        """Open the file, and read what is asked most into memory, with pauses for those who ask."""

        def remember(database: StoreDatabase) -> None:
            rows = itertools.islice(database.iterate(), MAX_READ_AHEAD)
            while not self._is_closing and (step := list(itertools.islice(rows, _READ_AHEAD_ROWS))):
                with self._remembering:
                    for row in step:
                        if isinstance(row, StoreRow):
                            self._remember((row.question, row.engine.digest), row.entry)
                time.sleep(_READ_AHEAD_PAUSE_S)

        with suppress(DataFileError):
            self._shared.read(lambda _: None)
        self._shared.read_apart(remember)


def _choose_entry(entries: Iterable[KeptEntry], plies: int, allow_deeper: bool) -> KeptEntry | None:
    """Return the entry of a depth, or the deepest one beyond it where that is allowed; None if none fits."""
    fitting = [each for each in entries if each.plies == plies or (allow_deeper and each.plies > plies)]
    return max(fitting, key=attrgetter("plies"), default=None)


def _open_book(file: Path) -> StoreDatabase | None:
    try:
        return StoreDatabase(file, is_book=True)
    except (DataFileError, sqlite3.Error) as error:
        _report_book(file, error)
        return None


def _report_book(file: Path, error: Exception) -> None:
    _LOG.warning("the opening book %s is not used: %s", file, error)
