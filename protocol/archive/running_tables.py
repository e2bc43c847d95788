"""The running tables of a server, written into the archive action by action, and which process has which."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from sqlite3 import Row

import filelock

from gammond.engine.errors import DataFileError, LimitError
from gammond.engine.runtime.shared_file import SharedFile, Write
from gammond.protocol.archive.database import ArchiveDatabase

MAX_SLOTS = 64
"""Processes that may keep running tables in one file."""

_TABLE = "table"
"""Tells the keys of tables from those of games."""


@dataclass
class RunningTable:
    """A running table as it is to be in the file.

    Attributes:
        created_s: When it was created.
        head: The table without what was done at it.
        unread: How many actions are in the file that nobody has asked for since the start.
        entries: The actions after these.
        written: How many actions are in the file.
        written_head: The head that is in the file.
        in_step: Both as they are once the step at work is made.
    """

    created_s: float
    head: bytes
    unread: int = 0
    entries: list[bytes] = field(default_factory=list)
    written: int = 0
    written_head: bytes | None = None
    in_step: tuple[int, bytes | None] = (0, None)

    @property
    def count(self) -> int:
        """How many actions there are."""
        return self.unread + len(self.entries)

    @property
    def is_written(self) -> bool:
        """Whether all of it is in the file."""
        return self.written == self.count and self.written_head is self.head


class RunningTables:
    """Writes running tables soon; for any thread. Of each only what is new is written.

    A file that was begun anew gets the tables again whose logs were loaded.

    Args:
        file: The file.
        slot: The part of the running tables that is this process's.
        rows: Those that are in the file already, as `ArchiveDatabase.list_tables` returns them.
    """

    def __init__(self, file: SharedFile[ArchiveDatabase], slot: int, rows: Iterable[Row]) -> None:
        self._file = file
        self._slot = slot
        self._lock = threading.Lock()
        self._logs: dict[str, RunningTable] = {}
        for row in rows:
            head, count = row["head"], row["count"]
            self._logs[row["id"]] = RunningTable(row["created"], head, count, [], count, head)

    def put_table(self, table: str, created_s: float, head: bytes) -> None:
        """Keep a table soon, or what has changed of it."""
        with self._lock:
            self._logs.setdefault(table, RunningTable(created_s, head)).head = head
        self._write_soon(table)

    def take_log(self, table: str, entries: list[bytes]) -> bool:
        """Take the actions of a table that were in the file at the start, for a file that is begun anew.

        Returns:
            Whether they are all that was in it.
        """
        with self._lock:
            log = self._logs.get(table)
            if log is None or len(entries) < log.unread:
                return False
            log.entries[:0], log.unread = entries[: log.unread], 0
            return True

    def add_action(self, table: str, entry: bytes) -> None:
        """Keep an action at a table soon."""
        with self._lock:
            if table not in self._logs:
                return
            self._logs[table].entries.append(entry)
        self._write_soon(table)

    def drop_table(self, table: str) -> None:
        """Remove a table soon; a match that was not played to its end is then analysed as far as it went."""
        with self._lock:
            self._logs.pop(table, None)

        def remove(database: ArchiveDatabase) -> None:
            database.remove_table(table)
            database.end_matches(table)

        self._file.put(Write(remove, is_needed=True), (_TABLE, table))

    def adopt(self, database: ArchiveDatabase) -> None:
        """Write what a file lacks that was opened: one that was begun anew has no tables."""
        written, lost = database.count_actions(self._slot), []
        with self._lock:
            for table, log in self._logs.items():
                log.written = min(log.written, written.get(table, 0))
                if table not in written:
                    log.written_head = None
                if log.written < log.unread:
                    lost.append(table)
            for table in lost:
                del self._logs[table]
            missing = [table for table, log in self._logs.items() if not log.is_written]
        for table in missing:
            self._write_soon(table)
        if lost:
            self._file.report(
                DataFileError(f"it has not the {len(lost)} tables to which nobody has come since the start")
            )

    def _write_soon(self, table: str) -> None:
        write = Write(partial(self._write, table), partial(self._note_written, table), is_needed=True)
        self._file.put(write, (_TABLE, table))

    def _write(self, table: str, database: ArchiveDatabase) -> None:
        """Write what is new of a table."""
        with self._lock:
            if (log := self._logs.get(table)) is None:
                return
            head, written = log.head, log.written
            has_new_head, entries = head is not log.written_head, log.entries[written - log.unread :]
            log.in_step = written + len(entries), head
        if has_new_head:
            database.put_table(table, self._slot, log.created_s, head)
        database.add_actions(table, written, entries)

    def _note_written(self, table: str) -> None:
        with self._lock:
            if (log := self._logs.get(table)) is not None:
                log.written, log.written_head = log.in_step


class TableSlots:
    """Locks on the parts of a file that each belong to one process; the system frees them when it ends.

    Args:
        file: The file of the archive; its folder is there.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._held: dict[int, filelock.BaseFileLock] = {}

    def take_own(self) -> int:
        """Return a slot that no other process has.

        Raises:
            LimitError: Others have all.
            OSError: The lock cannot be made.
        """
        for slot in range(MAX_SLOTS):
            if self.try_to_take(slot):
                return slot
        raise LimitError(
            f"expected at most {MAX_SLOTS} servers with the archive {self._file}: give the others files of "
            "their own with --archive",
            field="archive",
        )

    def try_to_take(self, slot: int) -> bool:
        """Return whether a slot is this process's now.

        Raises:
            OSError: The lock cannot be made.
        """
        if slot in self._held:
            return True
        lock = filelock.FileLock(self._file.with_name(f".{self._file.name}.{slot}.lock"), blocking=False)
        try:
            lock.acquire()
        except filelock.Timeout:
            return False
        self._held[slot] = lock
        return True

    def release(self) -> None:
        """Give all slots back."""
        for lock in self._held.values():
            lock.release()
        self._held.clear()
