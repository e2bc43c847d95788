"""An SQLite file as a process uses it that cannot do without an answer: read at once, written behind.

A file that is damaged is moved aside and a new one begun; one that cannot be used is left alone.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import filelock

from gammond.engine.errors import DataFileError
from gammond.engine.runtime.files import make_data_folder
from gammond.engine.runtime.sqlite_file import SqliteFile, is_busy, is_damage

LOCK_WAIT_S = 10.0

MAX_WAITING = 10_000
"""Writes that may wait for the disk; beyond, the oldest are given up."""

_LOG = logging.getLogger(__name__)

_FILE_FAULTS = (OSError, NotImplementedError, sqlite3.Error, DataFileError)

FileT = TypeVar("FileT", bound=SqliteFile)
_Answer = TypeVar("_Answer")


def _do_nothing(*_: object) -> None:
    """Do nothing."""


@dataclass(eq=False)
class Write(Generic[FileT]):
    """Something to be written.

    Attributes:
        act: Writes it.
        on_made: Called once it is in the file.
        is_needed: Whether nothing is written without it, and it is not given up where too much waits.
        is_made: Whether it is in the file.
    """

    act: Callable[[FileT], object]
    on_made: Callable[[], object] = _do_nothing
    is_needed: bool = False
    is_made: bool = False


class SharedFile(Generic[FileT]):
    """Opens a file, reads it, and writes what comes in a thread, several things in one step; for any thread.

    Who writes does not wait for the disk, and nobody waits for ever. All faults are logged, each once, and
    the next question and the next write are tried.

    Args:
        file: The file.
        connect: Opens it, and makes it if it is missing, as `SqliteFile` does and with its errors.
        what: What messages call it.
        gather_s: How long a write waits for others that can be made with it.
        read_wait_s: How long who reads waits for others who open or write the file.
        retry_s: After which time writes that failed are tried again; None to give them up.
        max_waiting: How many may wait.
        on_opened: Called in the thread that writes, with each connection that it opens.
        on_step: Called there at the end of each step, as its last part, with the writes of the step.
        on_written: Called there after each step, whether it could be made or not.

    Attributes:
        left_out: Writes that were given up: they found no place, failed, or came after the end.
        is_failing: Whether the last step failed.
    """

    def __init__(
        self,
        file: Path,
        connect: Callable[[Path], FileT],
        what: str,
        *,
        gather_s: float = 0.0,
        read_wait_s: float = LOCK_WAIT_S,
        retry_s: float | None = None,
        max_waiting: int = MAX_WAITING,
        on_opened: Callable[[FileT], object] = _do_nothing,
        on_step: Callable[[FileT, Collection[Write[FileT]]], object] = _do_nothing,
        on_written: Callable[[], object] = _do_nothing,
    ) -> None:
        self.left_out = 0
        self.is_failing = False
        self._file = file
        self._connect = connect
        self._what = what
        self._gather_s, self._read_wait_s, self._retry_s = gather_s, read_wait_s, retry_s
        self._max_waiting = max_waiting
        self._on_opened, self._on_step, self._on_written = on_opened, on_step, on_written
        self._reported: set[str] = set()
        # Held by whoever opens the file or moves it aside: nobody begins one beside parts of another.
        self._lock = filelock.FileLock(file.with_name(f".{file.name}.lock"))
        self._reading = threading.Lock()
        self._reader: FileT | None = None
        self._writer: FileT | None = None
        self._writes: dict[object, Write[FileT]] = {}
        self._is_writing = self._is_hurried = self._is_closing = False
        # What comes wakes the thread only where it has nothing to write: that takes long on a busy machine.
        lock = threading.RLock()
        self._changed, self._came = threading.Condition(lock), threading.Condition(lock)
        self._thread: threading.Thread | None = None

    def open(self, wait_s: float = LOCK_WAIT_S) -> FileT | None:
        """Open the file, a new one if it is damaged; None if it cannot be used, which is logged.

        Args:
            wait_s: How long to wait for others who open it.

        Raises:
            DataFileError: It is another program's, or of a later version of gammond, or in no folder.
        """
        try:
            make_data_folder(self._file)
            with self._lock.acquire(wait_s):
                try:
                    return self._connect(self._file)
                except sqlite3.Error as error:
                    if not is_damage(error):
                        raise
                    self.report(error)
                    self._move_aside()
                    return self._connect(self._file)
        except (OSError, NotImplementedError, sqlite3.Error) as error:
            self.report(error)
            return None

    def try_to_open(self, wait_s: float = LOCK_WAIT_S) -> FileT | None:
        """Open the file as `open`; None also if it is another program's, or of a later version of gammond."""
        try:
            return self.open(wait_s)
        except DataFileError as error:
            self.report(error)
            return None

    def begin_reading(self) -> None:
        """Open the file for `read`, which else does so when it is first asked.

        Raises:
            DataFileError: As `open`.
        """
        self._reader = self.open()

    def read(self, question: Callable[[FileT], _Answer]) -> _Answer:
        """Return what a question says of the file as it is now.

        Raises:
            DataFileError: It cannot be read now, or others hold it for too long.
        """
        if not self._reading.acquire(timeout=self._read_wait_s):
            raise DataFileError(f"{self._what} cannot be read: it is being opened")
        try:
            if not self._is_closing:
                self._reader = self._renew(self._reader, self._read_wait_s)
            if self._reader is None:
                raise DataFileError(f"{self._what} cannot be read: see the messages of the server")
            try:
                return question(self._reader)
            except sqlite3.Error as error:
                if is_busy(error):
                    self.report(error)
                else:
                    self._reader = self._replace(self._reader, error, self._read_wait_s)
                raise DataFileError(f"{self._what} cannot be read: {error}") from error
        finally:
            self._reading.release()

    def read_apart(self, question: Callable[[FileT], _Answer]) -> _Answer | None:
        """Return what a question says that takes long, while others read; None if the file cannot be read."""
        database = self.try_to_open()
        if database is None:
            return None
        try:
            return question(database)
        except sqlite3.Error as error:
            self.report(error)
            return None
        finally:
            database.close()

    def _renew(self, database: FileT | None, wait_s: float = LOCK_WAIT_S) -> FileT | None:
        """Return a connection that has the file of now: the one that there is, or another."""
        if database is not None:
            if database.is_current():
                return database
            database.close()
        return self.try_to_open(wait_s)

    def _replace(self, database: FileT, error: sqlite3.Error, wait_s: float = LOCK_WAIT_S) -> FileT | None:
        """Return what is open in place of a file that could not be read or written."""
        self.report(error)
        database.close()
        if is_damage(error):
            with contextlib.suppress(OSError), self._lock.acquire(wait_s):
                if database.is_current() and database.is_own():  # nobody has moved or replaced it yet
                    self._move_aside()
        return self.try_to_open(wait_s)

    def report(self, error: Exception) -> None:
        """Log a fault of the file, or of the program in the thread that writes, each once."""
        text = str(error)
        if isinstance(error, sqlite3.Error) and self._file.exists():
            text += "" if os.access(self._file, os.R_OK | os.W_OK) else ": permission denied"
        if text in self._reported:
            return
        self._reported.add(text)
        if isinstance(error, _FILE_FAULTS):
            _LOG.warning("%s %s cannot be used as it is: %s", self._what, self._file, text)
        else:  # of the program
            _LOG.error("%s %s lacks what was to be written: %s", self._what, self._file, text, exc_info=error)

    def put(self, write: Write[FileT], key: object = None) -> None:
        """Write something soon.

        Args:
            write: Writes it.
            key: What it is about: of two that wait the later one is enough. None for nothing else.
        """
        key = write if key is None else key
        with self._changed:
            if self._is_closing:
                self.left_out += 1
                return
            self._writes.pop(key, None)
            self._writes[key] = write
            self._trim()
            self._start()
            self._came.notify()

    def flush(self, timeout_s: float | None = None) -> bool:
        """Wait until all that came is in the file, or could not be written; return whether none waits."""
        with self._changed:
            self._is_hurried = True
            if self._writes:
                self._start()
            self._changed.notify_all()
            self._changed.wait_for(self._is_at_rest, timeout_s)
            return not (self._writes or self._is_writing)

    def close(self, timeout_s: float | None = None) -> None:
        """Write what waits, and end.

        Args:
            timeout_s: How long to wait for that; None for as long as it takes.
        """
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
            self._came.notify()
            thread = self._thread
        if thread is not None:
            thread.join(timeout_s)
        if self._reading.acquire(timeout=self._read_wait_s):
            if self._reader is not None:
                self._reader.close()
                self._reader = None
            self._reading.release()

    def _is_at_rest(self) -> bool:
        """Return whether nothing waits that would be written at once."""
        if self._is_writing:
            return False
        return not self._writes or self._thread is None or (self.is_failing and not self._is_hurried)

    def _start(self) -> None:
        """Let the thread begin that writes, unless it has."""
        if self._thread is not None:
            return
        thread = threading.Thread(target=self._run, name=self._what, daemon=True)
        try:
            thread.start()
            self._thread = thread
        except RuntimeError as error:  # the system gives no more, or the interpreter ends
            self.report(error)
            writes, self._writes = self._writes, {}
            self._take_back(writes)

    def _trim(self) -> None:
        while len(self._writes) > self._max_waiting:
            oldest = next((key for key, write in self._writes.items() if not write.is_needed), None)
            if oldest is None:
                break
            del self._writes[oldest]
            self.left_out += 1

    def _run(self) -> None:
        """Write what comes until the end."""
        while True:
            with self._changed:
                self._came.wait_for(lambda: self._writes or self._is_closing)
                pause_s = self._retry_s if self.is_failing and self._retry_s else self._gather_s
                self._changed.wait_for(lambda: self._is_hurried or self._is_closing, pause_s)
                writes, self._writes = self._writes, {}
                self._is_writing, self._is_hurried = True, False
            is_made = not writes or self._make_step(writes)
            with self._changed:
                self._is_writing, self.is_failing = False, not is_made
                if not is_made:
                    self._take_back(writes)
                self._changed.notify_all()
                if self._is_closing and (not self._writes or (self.is_failing and self._retry_s is not None)):
                    self.left_out += len(self._writes)
                    break
        if self._writer is not None:
            self._writer.close()

    def _take_back(self, writes: dict[object, Write[FileT]]) -> None:
        """Give up writes that failed, or let them wait for another step, before those that came meanwhile."""
        if self._retry_s is None:
            self.left_out += len(writes)
        else:
            self._writes = writes | self._writes
            self._trim()

    def _make_step(self, writes: dict[object, Write[FileT]]) -> bool:
        """Write as one step; return whether it is made."""
        made = None
        try:
            made = self._write(writes)
            for write in made or ():
                write.is_made = True
                write.on_made()
            self._on_written()
        except Exception as error:  # nobody is to wait for a thread that has ended
            self.report(error)
        if made is None:
            return False
        self.left_out += len(writes) - len(made)
        return True

    def _write(self, writes: dict[object, Write[FileT]]) -> list[Write[FileT]] | None:
        """Write as one step, once more into a new file if that one is lost.

        Returns:
            What could be written; None if the file has a fault.
        """
        for _ in range(2):
            if (database := self._renew(self._writer)) is not self._writer:
                self._adopt(database)
            if database is None:
                break
            try:
                with database.write():
                    made = [write for write in writes.values() if self._try(write, database)]
                    self._on_step(database, writes.values())
                if database.is_current():  # else it was moved aside or removed meanwhile
                    return made
            except sqlite3.Error as error:
                self._adopt(self._replace(database, error))
                if not is_damage(error):
                    break
        return None

    def _try(self, write: Write[FileT], database: FileT) -> bool:
        """Write one thing; return whether it could be: a fault of its own keeps nothing else from the file.

        Raises:
            sqlite3.Error: The file has a fault.
            Exception: It is needed.
        """
        try:
            write.act(database)
        except Exception as error:
            if write.is_needed or isinstance(error, sqlite3.Error):
                raise
            self.report(error)
            return False
        return True

    def _adopt(self, database: FileT | None) -> None:
        """Go on with what was opened, once all is done that its opening makes necessary."""
        self._writer = None
        if database is not None:
            try:
                self._on_opened(database)
            except BaseException:
                database.close()
                raise
            self._writer = database

    def _move_aside(self) -> None:
        """Move the file out of the way, beside those that were moved before.

        The file itself goes first: whoever has written into it meanwhile sees that it is another now.
        """
        parts = ("", "-wal", "-shm")
        for number in itertools.count(1):
            aside = self._file.with_name(f"{self._file.name}.damaged{f'-{number}' * (number > 1)}")
            if not any(os.path.lexists(f"{aside}{suffix}") for suffix in parts):
                break
        for suffix in parts:
            with contextlib.suppress(FileNotFoundError):
                os.replace(f"{self._file}{suffix}", f"{aside}{suffix}")
        _LOG.warning("%s is damaged: it is now %s, and a new one was begun", self._what, aside)
