"""SQLite files that say what they hold: how they are marked, their tables, and their versions."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from engine.errors import DataFileError
from engine.runtime.private_folders import close_to_others, make_private_file
from engine.store.sqlite_database import SqliteDatabase, make_damage


@dataclass(frozen=True)
class Schema:
    """What a file holds.

    Attributes:
        what: What messages call it.
        application_id: Marks the file, so that no other program's database is written into or moved.
        steps: SQL that makes the tables: all of it for a new file, the last ones for a file of an earlier
            version. ``user_version`` is the number of steps that a file has.
        is_durable: Whether what was written outlasts a failure of power, for which each write waits.
    """

    what: str
    application_id: int
    steps: tuple[str, ...]
    is_durable: bool = False


class SqliteFile(SqliteDatabase):
    """One connection to a file that its user alone reads and writes; for one thread at a time.

    Args:
        file: The file; its folder is there.
        schema: What it holds; a file of an earlier version is brought up to it.
        may_be_new: Whether it is made if it is missing or empty.

    Raises:
        DataFileError: The file is another program's, or of a later version of gammond, or an empty one where
            that may not be.
        OSError: It cannot be made.
        sqlite3.Error: It is damaged (`engine.store.sqlite_database.is_damage`), or cannot be read or written.
    """

    def __init__(self, file: Path, schema: Schema, *, may_be_new: bool = True) -> None:
        self._schema = schema
        self._may_be_new = may_be_new
        if may_be_new:
            make_private_file(file)  # before SQLite makes it, and its log beside it, for others to read
        super().__init__(file, schema.what, schema.application_id)

    def _prepare(self) -> None:
        """Check that the file is what it is taken for, and run the steps that it lacks."""
        self.connection.row_factory = sqlite3.Row
        schema, newest = self._schema, len(self._schema.steps)
        has_tables, version = self._has_tables(), self._pragma("user_version")
        if not has_tables and not self._may_be_new:
            raise DataFileError(f"{self.file}: expected {schema.what}, got an empty file")
        self._check_kind(has_tables)
        if version > newest:
            raise DataFileError(
                f"{self.file}: expected {schema.what} of version {newest}, got version {version}, which a "
                "later gammond has written: use that one, or move the file away"
            )
        if has_tables and not version:
            raise make_damage(f"{self.file} has not the tables of {schema.what}")
        for suffix in ("", "-wal", "-shm"):
            close_to_others(self.file.with_name(f"{self.file.name}{suffix}"))
        self.execute("PRAGMA journal_mode = WAL")
        self.execute(f"PRAGMA synchronous = {'FULL' if schema.is_durable else 'NORMAL'}")
        if version < newest:
            with self.write():
                version = self._pragma("user_version")  # another process may have been first
                for step in schema.steps[version:]:
                    for statement in step.split(";"):
                        self.execute(statement)
                self.execute(f"PRAGMA user_version = {newest}")

    def _has_tables(self) -> bool:
        return bool(self.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table'").fetchone()[0])
