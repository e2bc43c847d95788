"""SQLite files of this program: connections, what is written as one step, damage told from other faults."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BUSY_S = 5.0
"""How long a process waits while another one writes."""

_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)


class CheckedSqlite(sqlite3.Connection):
    """A connection that tells damage from other faults where the message about it is no text either."""

    def execute(self, statement: str, parameters: Any = ()) -> sqlite3.Cursor:  # noqa: ANN401  (as its base)
        """Run a statement, as `sqlite3.Connection.execute`."""
        try:
            return super().execute(statement, parameters)
        except UnicodeDecodeError as error:  # the message has bytes of the file in it
            raise make_damage("its tables are not as they were made") from error


class SqliteDatabase(ABC):
    """One connection to a file; for one thread at a time.

    Args:
        file: The file; it is made if it is missing, its folder is there.
        is_read_only: Whether it is there, and is only read; nobody writes into it.

    Attributes:
        file: As given.
        connection: The connection.

    Raises:
        DataFileError: The file is another program's, or of a later version of gammond.
        sqlite3.Error: It is damaged (`is_damage`), or cannot be read or written.
    """

    def __init__(self, file: Path, *, is_read_only: bool = False) -> None:
        self.file = file
        self.connection = sqlite3.connect(
            f"{file.absolute().as_uri()}?mode=ro&immutable=1" if is_read_only else file,
            timeout=BUSY_S,
            isolation_level=None,
            check_same_thread=False,
            uri=is_read_only,
            factory=CheckedSqlite,
        )
        self.connection.text_factory = lambda text: text.decode("utf-8", "replace")
        try:
            self._prepare()
            self._inode = os.stat(file).st_ino
        except BaseException:
            self.connection.close()
            raise

    @abstractmethod
    def _prepare(self) -> None:
        """Check that the file is what it is taken for, and make its tables where it lacks them."""

    def is_current(self) -> bool:
        """Return whether the file is still the one that was opened, not another in its place, or none."""
        try:
            return os.stat(self.file).st_ino == self._inode
        except OSError:
            return False

    def close(self) -> None:
        """Close the connection; the last one of all merges the log into the file."""
        self.connection.close()

    @contextlib.contextmanager
    def write(self) -> Iterator[None]:
        """Make what the block writes one step: all of it is in the file, or nothing."""
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self.execute("ROLLBACK")
            raise

    def execute(self, statement: str, parameters: Any = ()) -> sqlite3.Cursor:  # noqa: ANN401  (as sqlite3 has it)
        """Run a statement."""
        return self.connection.execute(statement, parameters)

    def count_used_bytes(self) -> int:
        """Return the bytes of the file that hold something."""
        pages, free, size = (self._pragma(name) for name in ("page_count", "freelist_count", "page_size"))
        return (pages - free) * size

    def _pragma(self, name: str) -> int:
        return int(self.execute(f"PRAGMA {name}").fetchone()[0])


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether an error says that the file is damaged, not that it is busy, full or out of reach."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return False
    return code == sqlite3.SQLITE_IOERR_SHORT_READ or code & 0xFF in _DAMAGE


def is_busy(error: sqlite3.Error) -> bool:
    """Return whether an error says that another process or connection has the file to itself just now."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def make_damage(problem: str) -> sqlite3.DatabaseError:
    """Return an error that `is_damage` takes for one."""
    error = sqlite3.DatabaseError(problem)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error
