"""Writing into the file of a store, in a thread: nobody waits for the disk."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable

from engine.store.database import StoreDatabase
from engine.store.entry_memory import StoreKey
from engine.store.sqlite_database import is_damage
from engine.store.store_file import StoreFile

MAX_WAITING = 10_000
"""Writes that may wait for the disk; further ones are left out."""

WRITE_EVERY_S = 0.2
"""How long a write waits for others that can be made with it."""


class StoreWrite:
    """Something to be written.

    Args:
        act: Writes it, given the file and the seconds since 1970.

    Attributes:
        is_made: Whether it is in the file.
    """

    def __init__(self, act: Callable[[StoreDatabase, int], object]) -> None:
        self.act = act
        self.is_made = False


class StoreWriter:
    """Writes what comes, several entries in one step; safe to use from several threads.

    Whatever goes wrong is logged and counted, and the next write is tried: nobody waits for ever.

    Args:
        source: The file.
        max_bytes: How much of it may be in use; beyond, the questions asked least often are removed.
        before_opening: Called in the thread that writes, before it opens the file anew.

    Attributes:
        left_out: Writes that found no place in the queue, failed, or came after the end.
    """

    def __init__(
        self, source: StoreFile[StoreDatabase], max_bytes: int, before_opening: Callable[[], None]
    ) -> None:
        self.left_out = 0
        self._source = source
        self._max_bytes = max_bytes
        self._before_opening = before_opening
        self._visits: dict[StoreKey, int] = {}
        self._writes: list[StoreWrite] = []
        self._is_writing = self._is_flushing = self._is_idle = self._is_closing = False
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def put(self, write: StoreWrite) -> None:
        """Write something soon."""
        with self._changed:
            if self._is_closing or len(self._writes) >= MAX_WAITING:
                self.left_out += 1
                return
            self._writes.append(write)
            self._start()

    def count_visit(self, key: StoreKey, visits: int = 1) -> None:
        """Count visits to a question."""
        with self._changed:
            if not self._is_closing and (key in self._visits or len(self._visits) < MAX_WAITING):
                self._visits[key] = self._visits.get(key, 0) + visits
                self._start()

    def flush(self) -> None:
        """Wait until all that came is in the file, or could not be written."""
        with self._changed:
            self._is_flushing = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not (self._writes or self._visits or self._is_writing))
            self._is_flushing = False

    def close(self, timeout_s: float | None = None) -> None:
        """Write what waits, and end.

        Args:
            timeout_s: How long to wait for that; None for as long as it takes.
        """
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join(timeout_s)

    def _start(self) -> None:
        """Let the thread begin, or wake it if it waits for something to write; else it looks by itself.

        To wake a thread takes long on a busy machine.
        """
        if self._thread is None:
            thread = threading.Thread(target=self._run, name="analysis-store", daemon=True)
            try:
                thread.start()
            except RuntimeError as error:  # the system gives no more, or the interpreter ends
                self._source.report(error)
                self.left_out += len(self._writes)
                self._writes, self._visits = [], {}
                return
            self._thread = thread
        if self._is_idle:
            self._is_idle = False
            self._changed.notify_all()

    def _run(self) -> None:
        """Write what comes until the end."""
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
            try:
                database = self._write_batch(database, writes, visits)
            except Exception as error:
                self._source.report(error)
                self.left_out += len(writes)
            with self._changed:
                self._is_writing = False
                self._changed.notify_all()
                if self._is_closing and not (self._writes or self._visits):
                    break
        if database is not None:
            database.close()

    def _write_batch(
        self, database: StoreDatabase | None, writes: list[StoreWrite], visits: dict[StoreKey, int]
    ) -> StoreDatabase | None:
        """Write a batch as one step, once more into a new file if that one is lost; return what is open."""
        for _ in range(2):
            if database is None or not database.is_current():
                if database is not None:
                    database.close()
                self._before_opening()
                database = self._source.try_to_open()
            if database is None:
                break
            try:
                with database.write():
                    now_s = int(time.time())
                    made = [write for write in writes if self._try(write.act, database, now_s)]
                    for (question, digest), number in visits.items():
                        self._try(database.count_visits, question, digest, number, now_s)
                    database.evict(self._max_bytes, now_s)
                if database.is_current():  # else it was moved aside or removed meanwhile
                    self.left_out += len(writes) - len(made)
                    for write in made:
                        write.is_made = True
                    return database
            except sqlite3.Error as error:
                database = self._source.replace(database, error)
                if not is_damage(error):
                    break
        self.left_out += len(writes)
        return database

    def _try(self, act: Callable[..., object], *arguments: object) -> bool:
        """Write one thing; return whether it could be: a fault of its own keeps nothing else from the file.

        Raises:
            sqlite3.Error: The file has a fault.
        """
        try:
            act(*arguments)
        except sqlite3.Error:
            raise
        except Exception as error:
            self._source.report(error)
            return False
        return True
