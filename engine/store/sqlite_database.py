"""SQLite files of this program: connections, what is written as one step, damage told from other faults."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.errors import DataFileError

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
        what: What messages call what it holds.
        application_id: Marks the files that hold it.
        is_read_only: Whether it is there, and is only read; nobody writes into it.

    Attributes:
        file: As given.
        connection: The connection.

    Raises:
        DataFileError: The file is another program's, or of a later version of gammond; it is left as it is.
        sqlite3.Error: It is damaged (`is_damage`), or cannot be read or written.
    """

    def __init__(self, file: Path, what: str, application_id: int, *, is_read_only: bool = False) -> None:
        self.file = file
        self._what, self._application_id = what, application_id
        check_own_file(file, what, application_id)
        self.connection = sqlite3.connect(
            _make_address(file) if is_read_only else file,
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
        except BaseException as error:
            self.connection.close()
            if isinstance(error, sqlite3.Error) and is_damage(error) and not self.is_own():
                raise _make_foreign_error(file, what, "a damaged one, not known to be gammond's") from error
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

    def is_own(self) -> bool:
        """Return whether what is in the place of the file, damaged or not, is known to be gammond's."""
        try:
            return _read_mark(self.file, self._what) in (None, self._application_id)
        except (sqlite3.Error, DataFileError):
            return False

    def _check_kind(self, has_tables: bool) -> None:
        """Check that the file is not another program's, and mark one that has no tables yet.

        The mark is there before anything else: whatever damages the file later, it is known whose it is.

        Raises:
            DataFileError: It is.
        """
        if self._pragma("application_id") == self._application_id:
            return
        if has_tables:
            raise _make_foreign_error(self.file, self._what, "a database of another program")
        self.execute(f"PRAGMA application_id = {self._application_id}")

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


def check_own_file(file: Path, what: str, application_id: int) -> None:
    """Check that a file, where there is one that is not empty, begins as SQLite's, and as no other program's.

    Args:
        file: The file.
        what: What messages call what it should hold.
        application_id: Marks the files that hold it.

    Raises:
        DataFileError: It is something else.
    """
    with contextlib.suppress(sqlite3.OperationalError):  # it cannot be read: who opens it will hear why
        mark = _read_mark(file, what)
        if mark not in (None, 0, application_id) or (mark == 0 and _has_tables(file)):
            raise _make_foreign_error(file, what, "a database of another program")


def _read_mark(file: Path, what: str) -> int | None:
    """Return the ``application_id`` that a file has in its place; None if it is missing or empty.

    It is 0 in files of programs that have none, and where only the log beside the file has it so far. SQLite
    reads it: whoever else opened and closed the file would end the locks of this process's connections to it.

    Raises:
        DataFileError: The file is not SQLite's.
        sqlite3.OperationalError: It cannot be read.
    """
    if not file.exists() or file.is_dir():
        return None
    if not file.is_file():
        raise _make_foreign_error(file, what, "a pipe or a device")
    if not file.stat().st_size:
        return None
    with contextlib.closing(_connect_to_look(file)) as connection:
        try:
            connection.execute("PRAGMA writable_schema = ON")  # so that one which was cut can be looked at
            return int(connection.execute("PRAGMA application_id").fetchone()[0])
        except sqlite3.OperationalError:
            raise
        except (sqlite3.Error, UnicodeDecodeError):
            raise _make_foreign_error(file, what, "a file that is no database") from None


def _has_tables(file: Path) -> bool:
    """Return whether a database has tables, without the log beside it, or cannot be read."""
    with contextlib.closing(_connect_to_look(file)) as connection:
        try:
            return bool(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
        except (sqlite3.Error, UnicodeDecodeError):
            return True


def _connect_to_look(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(_make_address(file), uri=True)


def _make_address(file: Path) -> str:
    """Return the address of a file that is only read, whatever lies beside it."""
    return f"{file.absolute().as_uri()}?mode=ro&immutable=1"


def _make_foreign_error(file: Path, what: str, found: str) -> DataFileError:
    """Return the error for a file that is not gammond's."""
    return DataFileError(f"{file}: expected {what}, got {found}: name another file, or move that one away")


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
