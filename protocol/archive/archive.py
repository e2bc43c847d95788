"""The archive of a server: running tables and finished matches, written behind, read at once."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypeVar

import msgspec

from gammond.engine.errors import DataFileError, LimitError
from gammond.engine.runtime.files import check_folder
from gammond.engine.runtime.shared_file import SharedFile, Write
from gammond.engine.runtime.sqlite_file import check_own_file
from gammond.protocol.archive.database import SCHEMA, ArchiveDatabase
from gammond.protocol.archive.options import ArchiveOptions
from gammond.protocol.archive.records import make_record
from gammond.protocol.archive.running_tables import RunningTables, TableSlots
from gammond.protocol.tables.archive import (
    Archive,
    ArchivedGame,
    SavedTable,
    TableAction,
    add_log_facts,
    decode_log,
)

RETRY_S = 5.0
"""After which time what could not be written is tried again."""

MAX_WAITING = 2000
"""Games, analyses and removals that wait for the disk; beyond, the oldest are given up."""

_LAST_WRITE_S = 5.0
"""How long a server that ends waits for what is still to be written."""

_Answer = TypeVar("_Answer")


class GameArchive(Archive):
    """Keeps tables and matches in a file; for any thread.

    Nothing is raised where the file cannot be written: it is logged once, play goes on, and what came is
    written as soon as that works again. A damaged file is moved aside, and a new one begun, which gets the
    running tables whose logs were loaded.

    Args:
        options: Where, and how much.

    Attributes:
        file: The file.

    Raises:
        DataFileError: The file that the options name is no archive, or in a folder that is not there.
    """

    def __init__(self, options: ArchiveOptions) -> None:
        self.file = options.find_file()
        if options.file:
            check_folder(self.file)
            check_own_file(self.file, SCHEMA)
        self._max_match_bytes = options.max_bytes - options.max_log_bytes
        self._has_news = threading.Event()
        self._source: SharedFile[ArchiveDatabase] = SharedFile(
            self.file,
            ArchiveDatabase,
            "the archive of games",
            retry_s=RETRY_S,
            max_waiting=MAX_WAITING,
            on_opened=lambda database: self._tables.adopt(database),
            on_step=self._evict,
            on_written=self.wake,
        )
        self._slots = TableSlots(self.file)
        slot = self._take_slot()
        self._keeps_tables = slot is not None
        rows = [] if slot is None else self._take_tables(slot)
        self._running = [table for row in rows if (table := self._decode_table(row)) is not None]
        self._tables = RunningTables(self._source, slot or 0, rows)

    def load_tables(self) -> list[SavedTable]:
        """Return the tables that ran when their server ended, however it did, the oldest first.

        Those of other servers that use the file, and run, are not among them.
        """
        tables, self._running = self._running, []
        return tables

    def load_log(self, table_id: str) -> list[TableAction]:
        """Return what was done at a table before the start.

        Raises:
            DataFileError: It cannot be read.
        """
        entries = self.read(lambda database: database.list_actions(table_id))
        if not self._tables.take_log(table_id, entries):
            raise DataFileError("the file of the table was moved aside or removed since the start")
        return decode_log(entries)

    def save_table(self, table: SavedTable) -> None:
        """Keep a table soon, or what has changed of it."""
        if self._keeps_tables:
            self._tables.put_table(table.table_id, table.created_s, msgspec.json.encode(table))

    def add_action(self, table_id: str, action: bytes) -> None:
        """Add what was done to the log of a table soon."""
        if self._keeps_tables:
            self._tables.add_action(table_id, action)

    def drop_table(self, table_id: str) -> None:
        """Forget a table soon; a match that was not played to its end is then analysed as far as it went."""
        self._tables.drop_table(table_id)

    def keep_game(self, game: ArchivedGame) -> None:
        """Keep a finished game soon."""
        self._source.put(Write(lambda database: database.put_game(game, make_record(game))), game.game_id)

    def write(self, act: Callable[[ArchiveDatabase], object]) -> None:
        """Write something soon."""
        self._source.put(Write(act))

    def read(self, question: Callable[[ArchiveDatabase], _Answer]) -> _Answer:
        """Return what a question says of the file.

        Raises:
            DataFileError: The file cannot be read.
        """
        return self._source.read(question)

    def wait_for_news(self, timeout_s: float) -> None:
        """Wait until something was written, or `wake` was called, for so long at most."""
        self._has_news.wait(timeout_s)
        self._has_news.clear()

    def wake(self) -> None:
        """End a wait for news."""
        self._has_news.set()

    def flush(self, timeout_s: float | None = None) -> bool:
        """Wait until all that came is in the file; return whether it is."""
        return self._source.flush(timeout_s)

    def close(self) -> None:
        """Write what waits, and close the file."""
        self._source.close(_LAST_WRITE_S)
        self._slots.release()

    def _evict(self, database: ArchiveDatabase, writes: Collection[Write[ArchiveDatabase]]) -> None:
        """Remove what takes too much after a step that wrote more than running tables."""
        if not all(write.is_needed for write in writes):
            database.evict(self._max_match_bytes)

    def _take_slot(self) -> int | None:
        """Return the part of the running tables that is this process's; None if they cannot be kept."""
        try:
            return self._slots.take_own()
        except (OSError, NotImplementedError, LimitError) as error:
            self._source.report(error)
        return None

    def _take_tables(self, slot: int) -> list[sqlite3.Row]:
        """Take over the tables of servers that have ended, and return their rows."""

        def take(database: ArchiveDatabase) -> list[sqlite3.Row]:
            with database.write():
                for other in database.list_slots():
                    if other != slot and self._slots.try_to_take(other):
                        database.move_tables(other, slot)
            return database.list_tables(slot)

        try:
            return self._source.read(take)
        except OSError as error:
            self._source.report(error)
        except DataFileError:  # which is logged
            pass
        return []

    def _decode_table(self, row: sqlite3.Row) -> SavedTable | None:
        """Return a table; None if it cannot be read: nobody can come to it, and it stays in the file."""
        try:
            table = msgspec.json.decode(row["head"], type=SavedTable)
        except (msgspec.MsgspecError, UnicodeError) as error:
            self._source.report(DataFileError(f"the table {row['id']} cannot be set up again: {error}"))
            return None
        return add_log_facts(table, row["last"], row["count"], round(row["size"]))


def open_archive(options: ArchiveOptions) -> GameArchive | None:
    """Return the archive; None if it is off."""
    return GameArchive(options) if options.on else None


def describe_place(archive: GameArchive | None) -> str:
    """Return where games are kept, in words for the person who starts a server."""
    return "games are not kept" if archive is None else f"games are kept in {_shorten(archive.file)}"


def _shorten(file: Path) -> str:
    try:
        return f"~/{file.absolute().relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(file)
