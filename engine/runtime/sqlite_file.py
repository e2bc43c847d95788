"""SQLite files that say what they hold: looked at before they are opened, versions, steps, damage."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gammond.engine.errors import DataFileError
from gammond.engine.runtime.files import close_to_others, make_private_file

BUSY_S = 5.0
"""How long a process waits while another one writes."""

_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)
_TABLE = re.compile(r"CREATE TABLE (\w+)")


@dataclass(frozen=True)
class Schema:
    """What a file holds.

    Attributes:
        what: What messages call it.
        application_id: Marks the file, so that no other program's database is written into or moved.
        steps: SQL that makes the tables: all of it for a new file, the last ones for a file of an earlier
            version. ``user_version`` is the number of steps that a file has.
        is_durable: Whether what was written outlasts a failure of power, for which each write waits.
        is_private: Whether its user alone reads and writes it, whatever the folder that it is in.
    """

    what: str
    application_id: int
    steps: tuple[str, ...]
    is_durable: bool = False
    is_private: bool = True

    @property
    def tables(self) -> frozenset[str]:
        """The names of its tables."""
        return frozenset(_TABLE.findall("".join(self.steps)))


class SqliteFile:
    """One connection to a file; for one thread at a time.

    Args:
        file: The file; its folder is there.
        schema: What it holds; a file of an earlier version is brought up to it.
        may_be_new: Whether it is made if it is missing or empty.
        is_read_only: Whether it is there, and is only read; nobody writes into it.

    Attributes:
        file: As given.
        connection: The connection.

    Raises:
        DataFileError: The file is another program's, or of a later version of gammond, or an empty one where
            that may not be; it is left as it is.
        OSError: It cannot be made.
        sqlite3.Error: It is damaged (`is_damage`), or cannot be read or written.
    """

    def __init__(
        self, file: Path, schema: Schema, *, may_be_new: bool = True, is_read_only: bool = False
    ) -> None:
        self.file = file
        self._schema = schema
        self._is_read_only = is_read_only
        if schema.is_private and may_be_new and not is_read_only:
            make_private_file(file)  # before SQLite makes it, and its log beside it, for others to read
        check_own_file(file, schema)
        self.connection = sqlite3.connect(
            _make_address(file) if is_read_only else file,
            timeout=BUSY_S,
            isolation_level=None,
            check_same_thread=False,
            uri=is_read_only,
        )
        self.connection.row_factory = sqlite3.Row
        self.connection.text_factory = lambda text: text.decode("utf-8", "replace")
        try:
            self._prepare(may_be_new)
            self._inode = os.stat(file).st_ino
        except BaseException as error:
            self.connection.close()
            if isinstance(error, sqlite3.Error) and is_damage(error) and not self.is_own():
                raise _make_foreign_error(file, schema, "a damaged one, not known to be gammond's") from error
            raise

    def _prepare(self, may_be_new: bool) -> None:
        """Check that the file is what it is taken for, and run the steps that it lacks."""
        schema, newest = self._schema, len(self._schema.steps)
        tables, version = self._list_tables(), self._pragma("user_version")
        if not (tables or may_be_new):
            raise DataFileError(f"{self.file}: expected {schema.what}, got an empty file")
        if self._pragma("application_id") != schema.application_id:
            if tables:
                raise _make_foreign_error(self.file, schema, "a database of another program")
            if not self._is_read_only:  # first of all: whatever damages it later, it is known whose it is
                self.execute(f"PRAGMA application_id = {schema.application_id}")
        if version > newest:
            raise DataFileError(
                f"{self.file}: expected {schema.what} of version {newest}, got version {version}, which a "
                "later gammond has written: use that one, or move the file away"
            )
        if not self._is_read_only and not (tables and not version):
            if schema.is_private:
                for suffix in ("", "-wal", "-shm"):
                    close_to_others(self.file.with_name(f"{self.file.name}{suffix}"))
            self.execute("PRAGMA journal_mode = WAL")
            self.execute(f"PRAGMA synchronous = {'FULL' if schema.is_durable else 'NORMAL'}")
            if version < newest:
                self._run_steps()
            tables, version = self._list_tables(), newest
        if version != newest or not tables >= schema.tables:
            raise make_damage(f"{self.file} has not the tables of {schema.what}")

    def _run_steps(self) -> None:
        """Bring the file up to the version of now."""
        steps = self._schema.steps
        with self.write():
            for step in steps[self._pragma("user_version") :]:  # another process may have been first
                for statement in step.split(";"):
                    self.execute(statement)
            self.execute(f"PRAGMA user_version = {len(steps)}")

    def is_current(self) -> bool:
        """Return whether the file is still the one that was opened, not another in its place, or none."""
        try:
            return os.stat(self.file).st_ino == self._inode
        except OSError:
            return False

    def is_own(self) -> bool:
        """Return whether what is in the place of the file, damaged or not, is known to be gammond's."""
        try:
            return _look(self.file, self._schema)[0] == self._schema.application_id
        except (sqlite3.Error, DataFileError):
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
        """Run a statement.

        Raises:
            sqlite3.Error: The file cannot be read or written, or is damaged.
        """
        try:
            return self.connection.execute(statement, parameters)
        except UnicodeDecodeError as error:  # the message about the damage has bytes of the file in it
            raise make_damage("its tables are not as they were made") from error

    def count_used_bytes(self) -> int:
        """Return the bytes of the file that hold something."""
        pages, free, size = (self._pragma(name) for name in ("page_count", "freelist_count", "page_size"))
        return (pages - free) * size

    def find_structural_fault(self) -> str:
        """Return what SQLite finds wrong with the file; empty if it is sound."""
        found = self.execute("PRAGMA integrity_check(1)").fetchone()[0]
        return "" if found == "ok" else str(found)

    def _list_tables(self) -> set[str]:
        return {row[0] for row in self.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def _pragma(self, name: str) -> int:
        return int(self.execute(f"PRAGMA {name}").fetchone()[0])


def check_own_file(file: Path, schema: Schema) -> None:
    """Check that a file, where there is one that is not empty, begins as SQLite's, and as no other program's.

    Raises:
        DataFileError: It is something else.
    """
    with contextlib.suppress(sqlite3.OperationalError):  # it cannot be read: who opens it will hear why
        mark, has_tables = _look(file, schema)
        if mark not in (0, schema.application_id) or (mark == 0 and has_tables):
            raise _make_foreign_error(file, schema, "a database of another program")


def _look(file: Path, schema: Schema) -> tuple[int, bool]:
    """Return the ``application_id`` that a file has in its place, and whether it has tables or is damaged.

    The mark is 0 in files of programs that have none, and where only the log beside the file, which is not
    read, has it so far; a file that is missing or empty counts as gammond's. SQLite reads it: whoever else
    opened and closed the file would end the locks of this process's connections to it.

    Raises:
        DataFileError: The file is not SQLite's.
        sqlite3.OperationalError: It cannot be read.
    """
    if file.exists() and not (file.is_file() or file.is_dir()):
        raise _make_foreign_error(file, schema, "a pipe or a device")
    if not file.is_file() or not file.stat().st_size:
        return schema.application_id, False
    with contextlib.closing(sqlite3.connect(_make_address(file), uri=True)) as connection:
        try:
            connection.execute("PRAGMA writable_schema = ON")  # so that one which was cut can be looked at
            mark = int(connection.execute("PRAGMA application_id").fetchone()[0])
        except sqlite3.OperationalError:
            raise
        except (sqlite3.Error, UnicodeDecodeError):
            raise _make_foreign_error(file, schema, "a file that is no database") from None
        try:
            return mark, bool(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
        except (sqlite3.Error, UnicodeDecodeError):
            return mark, True


def _make_address(file: Path) -> str:
    """Return the address of a file that is only read, whatever lies beside it."""
    return f"{file.absolute().as_uri()}?mode=ro&immutable=1"


def _make_foreign_error(file: Path, schema: Schema, found: str) -> DataFileError:
    """Return the error for a file that is not gammond's."""
    return DataFileError(
        f"{file}: expected {schema.what}, got {found}: name another file, or move that one away"
    )


def is_damage(error: Exception) -> bool:
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
