"""The file of a store as those find it who cannot do without an answer: opened, begun anew, or left alone."""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
from pathlib import Path

import filelock

from engine.errors import DataFileError
from engine.runtime.private_folders import make_private_folder
from engine.store.database import StoreDatabase, is_damage
from engine.store.entries import EntryReader, StoreEntry

LOCK_WAIT_S = 10.0

_LOG = logging.getLogger(__name__)


class StoreFile:
    """Opens the file of a store; safe to use from several threads.

    A file that is damaged is moved aside, and a new one begun. All faults are logged, each once.

    Args:
        file: The file.
        read_entry: As for `StoreDatabase`.
    """

    def __init__(self, file: Path, read_entry: EntryReader = StoreEntry.decode) -> None:
        self._file = file
        self._read_entry = read_entry
        self._reported: set[str] = set()
        # Held by whoever opens the file or moves it aside: nobody begins one beside parts of another.
        self._lock = filelock.FileLock(file.with_name(f".{file.name}.lock"), timeout=LOCK_WAIT_S)

    def open(self) -> StoreDatabase | None:
        """Open the file, a new one if it is damaged; None if it cannot be used.

        Raises:
            DataFileError: It is another program's, or of a later version of gammond.
        """
        try:
            make_private_folder(self._file.parent)
            with self._lock:
                try:
                    return StoreDatabase(self._file, read_entry=self._read_entry)
                except sqlite3.Error as error:
                    if not is_damage(error):
                        raise
                    self.report(error)
                    self._move_aside()
                    return StoreDatabase(self._file, read_entry=self._read_entry)
        except (OSError, NotImplementedError, sqlite3.Error) as error:
            self.report(error)
            return None

    def try_to_open(self) -> StoreDatabase | None:
        """Open the file as `open`; None also if it is another program's, or of a later version of gammond."""
        try:
            return self.open()
        except DataFileError as error:
            self.report(error)
            return None

    def replace(self, database: StoreDatabase, error: sqlite3.Error) -> StoreDatabase | None:
        """Return what is open in place of a file that could not be read or written."""
        self.report(error)
        database.close()
        if is_damage(error):
            with contextlib.suppress(OSError), self._lock:
                if database.is_current():  # no other process has moved it yet
                    self._move_aside()
        return self.try_to_open()

    def report(self, error: Exception) -> None:
        """Log a fault of the file, each once."""
        text = str(error)
        if text not in self._reported:
            self._reported.add(text)
            _LOG.warning("the store of analyses %s cannot be used as it is: %s", self._file, text)

    def _move_aside(self) -> None:
        """Move the file out of the way, in place of one that was moved before.

        The file itself goes first: whoever has written into it meanwhile sees that it is another now.
        """
        aside = self._file.with_name(f"{self._file.name}.damaged")
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.replace(f"{self._file}{suffix}", f"{aside}{suffix}")
        _LOG.warning("the store of analyses is damaged: it is now %s, and a new one was begun", aside)
