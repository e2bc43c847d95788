"""The file of a store as those find it who cannot do without an answer: opened, begun anew, or left alone.

The archive of games opens its own file so, too.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import filelock

from engine.errors import DataFileError
from engine.runtime.output_files import check_folder
from engine.runtime.private_folders import make_private_folder
from engine.store.sqlite_database import is_damage

LOCK_WAIT_S = 10.0

_LOG = logging.getLogger(__name__)

_FILE_FAULTS = (OSError, NotImplementedError, sqlite3.Error, DataFileError)


def make_data_folder(file: Path) -> None:
    """Make the data folder if a file in it is to be made; a folder that somebody named must be there.

    Raises:
        DataFileError: It is not.
        OSError: The data folder cannot be made.
    """
    if not file.parent.is_dir():
        from engine.bearoff.databases import data_folder  # takes 50 ms

        if file.parent != data_folder():
            check_folder(file)
        make_private_folder(file.parent)


class OpenDatabase(Protocol):
    """One connection to such a file."""

    def is_current(self) -> bool:
        """Return whether the file is still the one that was opened."""
        ...

    def is_own(self) -> bool:
        """Return whether what is in its place is known to be gammond's."""
        ...

    def close(self) -> None:
        """Close it."""
        ...


_DatabaseT = TypeVar("_DatabaseT", bound=OpenDatabase)


class StoreFile(Generic[_DatabaseT]):
    """Opens the file of a store; safe to use from several threads.

    A file that is damaged is moved aside, and a new one begun. All faults are logged, each once.

    Args:
        file: The file.
        connect: Opens it, and makes it if it is missing, as `StoreDatabase` does and with its errors.
        what: What messages call it.
    """

    def __init__(
        self, file: Path, connect: Callable[[Path], _DatabaseT], what: str = "the store of analyses"
    ) -> None:
        self._file = file
        self._connect = connect
        self._what = what
        self._reported: set[str] = set()
        # Held by whoever opens the file or moves it aside: nobody begins one beside parts of another.
        self._lock = filelock.FileLock(file.with_name(f".{file.name}.lock"), timeout=LOCK_WAIT_S)

    def open(self) -> _DatabaseT | None:
        """Open the file, a new one if it is damaged; None if it cannot be used.

        Raises:
            DataFileError: It is another program's, or of a later version of gammond, or in no folder.
        """
        try:
            make_data_folder(self._file)
            with self._lock:
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

    def try_to_open(self) -> _DatabaseT | None:
        """Open the file as `open`; None also if it is another program's, or of a later version of gammond."""
        try:
            return self.open()
        except DataFileError as error:
            self.report(error)
            return None

    def replace(self, database: _DatabaseT, error: sqlite3.Error) -> _DatabaseT | None:
        """Return what is open in place of a file that could not be read or written."""
        self.report(error)
        database.close()
        if is_damage(error):
            with contextlib.suppress(OSError), self._lock:
                if database.is_current() and database.is_own():  # nobody has moved or replaced it yet
                    self._move_aside()
        return self.try_to_open()

    def report(self, error: Exception) -> None:
        """Log a fault of the file, each once."""
        text = str(error)
        if isinstance(error, sqlite3.Error) and self._is_closed_to_us():
            text += ": permission denied"
        if text not in self._reported:
            self._reported.add(text)
            trace = None if isinstance(error, _FILE_FAULTS) else error  # a fault of the program
            _LOG.warning("%s %s cannot be used as it is: %s", self._what, self._file, text, exc_info=trace)

    def _is_closed_to_us(self) -> bool:
        return self._file.exists() and not os.access(self._file, os.R_OK | os.W_OK)

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
