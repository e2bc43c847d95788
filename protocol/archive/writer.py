"""Writing into the file of the archive, in a thread: nobody waits for the disk."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.errors import DataFileError
from engine.store.store_file import StoreFile
from protocol.archive.database import ArchiveDatabase
from protocol.core.fault_log import FAULT_LOG

RETRY_S = 5.0
"""After which time a write that failed is tried again."""

MAX_WAITING = 2000
"""Games, analyses and removals that wait for the disk; beyond, the oldest are given up."""

ArchiveWrite = Callable[[ArchiveDatabase], object]


@dataclass
class TableLog:
    """A running table as it is to be in the file.

    Attributes:
        created_s: When it was created.
        head: The table without what was done at it.
        unread: How many actions are in the file that nobody has asked for since the start.
        entries: The actions after these.
        written: How many actions are in the file.
        is_head_written: Whether the head is in the file.
    """

    created_s: float
    head: bytes
    entries: list[bytes] = field(default_factory=list)
    unread: int = 0
    written: int = 0
    is_head_written: bool = False

    @property
    def count(self) -> int:
        """How many actions there are."""
        return self.unread + len(self.entries)

    def list_unwritten(self) -> list[bytes]:
        """Return the actions that are not in the file."""
        return self.entries[self.written - self.unread :]


class _Part(NamedTuple):
    """What is to be written of a table now."""

    table: str
    log: TableLog
    head: bytes
    entries: list[bytes]


class ArchiveWriter:
    """Writes what comes, in order and several things in one step; safe to use from several threads.

    What cannot be written, since the disk is full or the file is out of reach, waits and is tried again. A
    file that was begun anew gets the running tables again whose logs were loaded.

    Args:
        source: The file.
        max_bytes: How much of it matches may take.
        slot: The part of the running tables that is this process's.
        tables: Those that are in the file already.
        on_written: Called in the thread that writes, after each step.

    Attributes:
        left_out: Writes that were given up.
        is_failing: Whether the last one failed.
    """

    def __init__(
        self,
        source: StoreFile[ArchiveDatabase],
        max_bytes: int,
        slot: int,
        tables: dict[str, TableLog],
        on_written: Callable[[], None] = lambda: None,
    ) -> None:
        self.left_out = 0
        self.is_failing = False
        self._source = source
        self._max_bytes = max_bytes
        self._slot = slot
        self._tables = tables
        for log in tables.values():
            log.written, log.is_head_written = log.unread, True
        self._on_written = on_written
        self._changed_tables: set[str] = set()
        self._dropped_tables: set[str] = set()
        self._writes: dict[object, ArchiveWrite] = {}
        self._database: ArchiveDatabase | None = None
        self._is_writing = self._is_closing = self._is_hurried = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="archive", daemon=True)
        self._thread.start()

    def put_table(self, table: str, created_s: float, head: bytes) -> None:
        """Keep a table soon, or what has changed of it."""
        with self._changed:
            log = self._tables.setdefault(table, TableLog(created_s, head))
            log.head, log.is_head_written = head, False
            self._note(table)

    def take_log(self, table: str, entries: list[bytes]) -> bool:
        """Take the actions of a table that were in the file at the start, for a file that is begun anew.

        Returns:
            Whether they are all that was in it.
        """
        with self._changed:
            log = self._tables.get(table)
            if log is None or len(entries) < log.unread:
                return False
            log.entries[:0], log.unread = entries[: log.unread], 0
            return True

    def add_action(self, table: str, entry: bytes) -> None:
        """Keep an action at a table soon."""
        with self._changed:
            if table in self._tables:
                self._tables[table].entries.append(entry)
                self._note(table)

    def drop_table(self, table: str) -> None:
        """Remove a table soon."""
        with self._changed:
            self._tables.pop(table, None)
            self._changed_tables.discard(table)
            self._dropped_tables.add(table)
            self._changed.notify_all()

    def put(self, write: ArchiveWrite, key: object = None) -> None:
        """Write something soon.

        Args:
            write: Writes it.
            key: What it is about: of two that wait the later one is enough. None for nothing else.
        """
        with self._changed:
            self._writes[object() if key is None else key] = write
            self._trim()
            self._changed.notify_all()

    def flush(self, timeout_s: float | None = None) -> bool:
        """Wait until all that came is in the file, or could not be written; return whether it is."""
        with self._changed:
            self._is_hurried = True
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: (
                    not (self._has_work or self._is_writing) or (self.is_failing and not self._is_hurried)
                ),
                timeout_s,
            )
            return not (self._has_work or self._is_writing)

    def close(self, timeout_s: float | None = None) -> None:
        """Write what waits, and end.

        Args:
            timeout_s: How long to wait for that; None for as long as it takes.
        """
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        self._thread.join(timeout_s)

    @property
    def _has_work(self) -> bool:
        return bool(self._writes or self._changed_tables or self._dropped_tables)

    def _note(self, table: str) -> None:
        self._changed_tables.add(table)
        self._dropped_tables.discard(table)
        self._changed.notify_all()

    def _trim(self) -> None:
        while len(self._writes) > MAX_WAITING:
            del self._writes[next(iter(self._writes))]
            self.left_out += 1

    def _run(self) -> None:
        """Write what comes until the end."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._has_work or self._is_closing)
                if self.is_failing:
                    self._changed.wait_for(lambda: self._is_hurried or self._is_closing, RETRY_S)
                if not self._has_work:
                    break
                self._is_writing, self._is_hurried = True, False
            try:
                is_made = self._write_batch()
                self._on_written()
            except Exception as error:  # nobody is to wait for a thread that has ended
                FAULT_LOG.log("the archive could not be written", error)
                is_made = False
            with self._changed:
                self.is_failing, self._is_writing = not is_made, False
                self._changed.notify_all()
                if self._is_closing and not is_made:
                    self.left_out += len(self._writes) + len(self._changed_tables)
                    break
        if self._database is not None:
            self._database.close()

    def _write_batch(self) -> bool:
        """Write all that waits as one step, once more into a new file if that one is lost; return whether."""
        for _ in range(2):
            self._open()
            if self._database is None:
                return False
            with self._changed:
                writes, self._writes = self._writes, {}
                changed, self._changed_tables = self._changed_tables, set()
                dropped, self._dropped_tables = self._dropped_tables, set()
                logs = {table: self._tables[table] for table in changed}
                parts = [_Part(table, log, log.head, log.list_unwritten()) for table, log in logs.items()]
            try:
                with self._database.write():
                    self._write_tables(self._database, parts, dropped)
                    for write in writes.values():
                        self._write_one(self._database, write)
                    if writes:
                        self._database.evict(self._max_bytes)
                if self._database.is_current():  # else it was moved aside or removed meanwhile
                    for part in parts:
                        part.log.written += len(part.entries)
                        part.log.is_head_written = part.log.head is part.head
                    return True
            except sqlite3.Error as error:
                self._adopt(self._source.replace(self._database, error))
            except Exception as error:
                FAULT_LOG.log("the archive could not be written", error)
            with self._changed:
                self._writes = writes | self._writes
                self._trim()
                self._changed_tables |= changed & self._tables.keys()
                self._dropped_tables |= dropped - self._tables.keys()
        return False

    def _write_tables(self, database: ArchiveDatabase, parts: list[_Part], dropped: set[str]) -> None:
        for table in dropped:
            database.remove_table(table)
            database.end_matches(table)
        for table, log, head, entries in parts:
            if not log.is_head_written:
                database.put_table(table, self._slot, log.created_s, head)
            database.add_actions(table, log.written, entries)

    def _write_one(self, database: ArchiveDatabase, write: ArchiveWrite) -> None:
        """Write one thing; a fault of its own keeps nothing else from being written."""
        try:
            write(database)
        except sqlite3.Error:
            raise
        except Exception as error:
            self.left_out += 1
            FAULT_LOG.log("a game could not be kept", error)

    def _open(self) -> None:
        """Open the file, if it is not open."""
        if self._database is not None and self._database.is_current():
            return
        if self._database is not None:
            self._database.close()
        self._adopt(self._source.try_to_open())

    def _adopt(self, database: ArchiveDatabase | None) -> None:
        """Go on with a file, and see what it has of the running tables: one that was begun anew has none."""
        self._database = database
        if database is None:
            return
        try:
            written = database.count_actions(self._slot)
        except sqlite3.Error as error:
            self._source.report(error)
            return
        with self._changed:
            for table, log in self._tables.items():
                log.written = min(log.written, written.get(table, 0))
                log.is_head_written &= table in written
                if log.written < log.count or not log.is_head_written:
                    self._changed_tables.add(table)
            lost = [table for table, log in self._tables.items() if log.written < log.unread]
            for table in lost:
                del self._tables[table]
            self._changed_tables -= set(lost)
        if lost:
            self._source.report(
                DataFileError(f"it has not the {len(lost)} tables to which nobody has come since the start")
            )
