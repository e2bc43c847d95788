"""The file of a store: an SQLite database that several processes may use at once."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import DataFileError
from engine.store.entries import EngineIdentity, StoreEntry, StoreQuestion, compute_checksum

SCHEMA_VERSION = 1
APPLICATION_ID = 0x676D6D64
"""``gmmd``: marks the file as a store, so that no other program's database is written into or moved."""

BUSY_S = 5.0
"""How long a process waits while another one writes."""

_CLEARED_SHARE = 0.1
"""The share of the maximum size that is made free at once."""

_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)

_SCHEMA = f"""
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
CREATE TABLE engines (
    digest TEXT PRIMARY KEY,
    net TEXT NOT NULL, nets TEXT NOT NULL, tables TEXT NOT NULL, program TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE entries (
    xgid TEXT NOT NULL, rules TEXT NOT NULL, settings TEXT NOT NULL, engine TEXT NOT NULL,
    plies INTEGER NOT NULL, payload BLOB NOT NULL, checksum INTEGER NOT NULL,
    visits INTEGER NOT NULL, asked INTEGER NOT NULL, created INTEGER NOT NULL,
    PRIMARY KEY (xgid, rules, settings, engine)
) WITHOUT ROWID;
CREATE INDEX entries_by_use ON entries (visits, asked);
"""

_KEY = "xgid = ? AND rules = ? AND settings = ? AND engine = ?"
_COLUMNS = "xgid, rules, settings, engine, plies, payload, checksum, visits, asked, created"


@dataclass(frozen=True)
class StoreRow:
    """An entry with its question and its use.

    Attributes:
        question: What was asked.
        engine: Who answered.
        entry: The values.
        visits: How often it was asked.
        asked: When it was last asked, in seconds since 1970.
        created: When it was searched.
    """

    question: StoreQuestion
    engine: EngineIdentity
    entry: StoreEntry
    visits: int
    asked: int
    created: int


@dataclass(frozen=True)
class BadRow:
    """A row that is not as it was written.

    Attributes:
        question: Its question, as far as it can be told.
        digest: The engine that it names.
        problem: What is wrong with it.
    """

    question: StoreQuestion
    digest: str
    problem: str


class StoreDatabase:
    """One connection to the file of a store; for one thread at a time.

    Args:
        file: The file; it is made if it is missing, its folder is there.

    Raises:
        DataFileError: The file is another program's, or of a later version of gammond.
        sqlite3.Error: It is damaged (`is_damage`), or cannot be read or written.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._connection = sqlite3.connect(
            file, timeout=BUSY_S, isolation_level=None, check_same_thread=False
        )
        self._connection.text_factory = lambda text: text.decode("utf-8", "replace")
        try:
            self._prepare()
            self._inode = os.stat(file).st_ino
        except BaseException:
            self._connection.close()
            raise

    def is_current(self) -> bool:
        """Return whether the file is still the one that was opened, not another in its place, or none."""
        try:
            return os.stat(self.file).st_ino == self._inode
        except OSError:
            return False

    def close(self) -> None:
        """Close the connection; the last one of all merges the log into the file."""
        self._connection.close()

    @contextlib.contextmanager
    def write(self) -> Iterator[None]:
        """Make what the block writes one step: all of it is in the file, or nothing."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise

    def find(self, question: StoreQuestion, digest: str) -> StoreEntry | None:
        """Return the entry for a question by an engine, None if there is none.

        Raises:
            DataFileError: The row is damaged.
        """
        row = self._connection.execute(
            f"SELECT plies, payload, checksum FROM entries WHERE {_KEY}", (*question, digest)
        ).fetchone()
        return None if row is None else _read_entry(question, digest, *row)

    def put(self, question: StoreQuestion, engine: EngineIdentity, entry: StoreEntry, now_s: int) -> None:
        """Write an entry unless there is one as deep; it counts as not asked yet."""
        self._put(StoreRow(question, engine, entry, 0, now_s, now_s))

    def put_row(self, row: StoreRow) -> bool:
        """Write an entry with its use, from another file; return whether it is new or deeper.

        Of two entries the deeper one is kept, with the greater number of visits.
        """
        is_better = self._put(row)
        self._connection.execute(
            f"UPDATE entries SET visits = max(visits, ?), asked = max(asked, ?) WHERE {_KEY}",
            (row.visits, row.asked, *row.question, row.engine.digest),
        )
        return is_better

    def count_visits(self, question: StoreQuestion, digest: str, visits: int, now_s: int) -> None:
        """Add to the visits of an entry, if it is still there."""
        self._connection.execute(
            f"UPDATE entries SET visits = visits + ?, asked = max(asked, ?) WHERE {_KEY}",
            (visits, now_s, *question, digest),
        )

    def remove(self, question: StoreQuestion, digest: str) -> None:
        """Remove an entry, if it is there."""
        self._connection.execute(f"DELETE FROM entries WHERE {_KEY}", (*question, digest))

    def count_used_bytes(self) -> int:
        """Return the bytes of the file that hold something."""
        pages, free, size = (self._pragma(name) for name in ("page_count", "freelist_count", "page_size"))
        return (pages - free) * size

    def evict(self, max_bytes: int) -> int:
        """Remove the entries asked least often, the longest unasked first, if the file is too full.

        Args:
            max_bytes: What may be in use; a tenth less is left.

        Returns:
            How many entries were removed.
        """
        used = self.count_used_bytes()
        if used <= max_bytes:
            return 0
        share = 1.0 - max_bytes * (1.0 - _CLEARED_SHARE) / used
        number = int(self.count_entries() * share) + 1
        return self._connection.execute(
            "DELETE FROM entries WHERE (xgid, rules, settings, engine) IN "
            "(SELECT xgid, rules, settings, engine FROM entries ORDER BY visits, asked LIMIT ?)",
            (number,),
        ).rowcount

    def count_entries(self) -> int:
        """Return the number of entries."""
        return int(self._connection.execute("SELECT count(*) FROM entries").fetchone()[0])

    def list_engines(self) -> dict[str, EngineIdentity]:
        """Return the engines by their digests."""
        rows = self._connection.execute("SELECT digest, net, nets, tables, program FROM engines")
        found = {digest: EngineIdentity(*map(str, fields)) for digest, *fields in rows}
        return {digest: engine for digest, engine in found.items() if engine.digest == digest}

    def count_by_kind(self) -> list[tuple[str, bool, int, int, int]]:
        """Return engine digest, whether plays are asked for, plies, entries and visits of each kind."""
        return self._connection.execute(
            "SELECT engine, instr(settings, ' ') > 0, plies, count(*), sum(visits) FROM entries "
            "GROUP BY 1, 2, 3 ORDER BY 4 DESC"
        ).fetchall()

    def iterate(self) -> Iterator[StoreRow | BadRow]:
        """Return all entries, the most asked first, as they are at this moment."""
        engines = self.list_engines()
        for row in self._connection.execute(
            f"SELECT {_COLUMNS} FROM entries ORDER BY visits DESC, asked DESC"
        ):
            question, digest = StoreQuestion(*map(str, row[:3])), str(row[3])
            try:
                entry = _read_entry(question, digest, *row[4:7])
            except DataFileError as error:
                yield BadRow(question, digest, error.message)
                continue
            if digest in engines:
                yield StoreRow(question, engines[digest], entry, *map(int, row[7:]))
            else:
                yield BadRow(question, digest, "the file does not say by which engine it is")

    def find_structural_fault(self) -> str:
        """Return what SQLite finds wrong with the file; empty if it is sound."""
        found = self._connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        return "" if found == "ok" else str(found)

    def _put(self, row: StoreRow) -> bool:
        engine, entry = row.engine, row.entry
        self._connection.execute(
            "INSERT OR IGNORE INTO engines VALUES (?, ?, ?, ?, ?)",
            (engine.digest, engine.net, engine.nets, engine.tables, engine.program),
        )
        payload = entry.encode()
        checksum = compute_checksum(row.question, engine.digest, entry.plies, payload)
        done = self._connection.execute(
            f"INSERT INTO entries ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (xgid, rules, settings, engine) DO UPDATE SET "
            "plies = excluded.plies, payload = excluded.payload, checksum = excluded.checksum, "
            "created = excluded.created WHERE excluded.plies > plies",
            (
                *row.question,
                engine.digest,
                entry.plies,
                payload,
                checksum,
                row.visits,
                row.asked,
                row.created,
            ),
        )
        return done.rowcount > 0

    def _pragma(self, name: str) -> int:
        return int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])

    def _prepare(self) -> None:
        """Check that the file is a store, and make an empty one a store."""
        tables = self._list_tables()
        kind, version = self._pragma("application_id"), self._pragma("user_version")
        if tables and kind != APPLICATION_ID:
            raise DataFileError(
                f"{self.file}: expected a store of analyses, got a database of another program: move it away"
            )
        if version > SCHEMA_VERSION:
            raise DataFileError(
                f"{self.file}: expected a store of version {SCHEMA_VERSION}, got version {version}, which a "
                "later gammond has written: use that one, or move the file away"
            )
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        if not tables:
            with self.write():
                if not self._list_tables():  # another process may have been first
                    for statement in _SCHEMA.split(";"):
                        self._connection.execute(statement)
        if (tables and version != SCHEMA_VERSION) or not {"engines", "entries"} <= self._list_tables():
            raise _make_damage(f"{self.file} has not the tables of a store")

    def _list_tables(self) -> set[str]:
        rows: Sequence[tuple[str]] = self._connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'"
        ).fetchall()
        return {name for (name,) in rows}


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether an error says that the file is damaged, not that it is busy, full or out of reach."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return False
    return code == sqlite3.SQLITE_IOERR_SHORT_READ or code & 0xFF in _DAMAGE


def _make_damage(problem: str) -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError(problem)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def _read_entry(
    question: StoreQuestion, digest: str, plies: int, payload: bytes, checksum: int
) -> StoreEntry:
    """Read a row.

    Raises:
        DataFileError: It is not as it was written.
    """
    if not (isinstance(plies, int) and isinstance(payload, bytes)):
        raise DataFileError("expected a depth and bytes in the row")
    if checksum != compute_checksum(question, digest, plies, payload):
        raise DataFileError("the row does not have its checksum: it was changed, or the disk has a fault")
    return StoreEntry.decode(plies, payload)
