"""The file of a store: an SQLite database that several processes may use at once."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.errors import DataFileError
from engine.store.entries import (
    EngineIdentity,
    EntryReader,
    KeptEntry,
    StoreEntry,
    StoreQuestion,
    compute_checksum,
)
from engine.store.rows import BadRow, DueQuestion, StoreRow
from engine.store.sqlite_database import SqliteDatabase, make_damage
from engine.store.tiers import DepthTiers

SCHEMA_VERSION = 1
APPLICATION_ID = 0x676D6D64
"""``gmmd``: marks the file as a store, so that no other program's database is written into or moved."""

STORE_NAME = "a store of analyses"
"""What messages call it."""

HALVING_S = 30 * 24 * 3600
"""At the end of each period of so many seconds since 1970 all visits count half, so that a question of today
overtakes one that was asked often last year."""

_PLY_FACTOR_BITS = 4
"""A search takes about 16 times as long with a ply more."""

_CLEARED_SHARE = 0.1
"""The share of the maximum size that is made free at once."""

_SCHEMA = f"""
PRAGMA user_version = {SCHEMA_VERSION};
CREATE TABLE engines (
    digest TEXT PRIMARY KEY,
    net TEXT NOT NULL, nets TEXT NOT NULL, tables TEXT NOT NULL, program TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE questions (
    id INTEGER PRIMARY KEY,
    xgid TEXT NOT NULL, rules TEXT NOT NULL, settings TEXT NOT NULL, engine TEXT NOT NULL,
    visits INTEGER NOT NULL, asked INTEGER NOT NULL,
    UNIQUE (xgid, rules, settings, engine)
);
CREATE INDEX questions_by_use ON questions (visits, asked);
CREATE TABLE answers (
    question INTEGER NOT NULL, plies INTEGER NOT NULL,
    payload BLOB NOT NULL, checksum INTEGER NOT NULL, created INTEGER NOT NULL,
    PRIMARY KEY (question, plies)
);
"""
"""An answer for each depth; a question is there as long as it has one."""

_TABLES = frozenset({"engines", "questions", "answers"})

_KEY = "xgid = ? AND rules = ? AND settings = ? AND engine = ?"
_AGED_VISITS = f"(visits >> min(62, max(0, ? / {HALVING_S} - asked / {HALVING_S})))"
"""What visits count at a time, given in seconds since 1970; they are kept as they counted when last asked."""

_ROWS = "answers JOIN questions ON questions.id = answers.question"


class StoreDatabase(SqliteDatabase):
    """One connection to the file of a store; for one thread at a time.

    Args:
        file: The file; it is made if it is missing, its folder is there.
        is_book: Whether it is there, and is only read; nobody writes into it.
        read_entry: Reads the entries, all of one game.

    Raises:
        DataFileError: The file is another program's, or of a later version of gammond.
        sqlite3.Error: It is damaged (`is_damage`), or cannot be read or written.
    """

    def __init__(
        self, file: Path, *, is_book: bool = False, read_entry: EntryReader = StoreEntry.decode
    ) -> None:
        self._read_entry = read_entry
        self._is_book = is_book
        super().__init__(file, STORE_NAME, APPLICATION_ID, is_read_only=is_book)

    def set_busy_wait(self, wait_s: float) -> None:
        """Set how long this connection waits while another process writes, `BUSY_S` at first."""
        self.connection.execute(f"PRAGMA busy_timeout = {round(wait_s * 1000)}")

    def write_copy(self, file: Path) -> None:
        """Write all of it into another file, which is replaced as a whole, for use as a book.

        Raises:
            DataFileError: The file cannot be written.
        """
        try:
            with tempfile.TemporaryDirectory(prefix=".", dir=file.parent) as folder:
                copy = Path(folder, "copy")
                self.connection.execute("VACUUM INTO ?", (str(copy),))
                os.replace(copy, file)
        except (OSError, sqlite3.Error) as error:
            raise DataFileError(f"{file} cannot be written: {error}", field="output") from error

    def find(self, question: StoreQuestion, digest: str) -> list[KeptEntry]:
        """Return the entries for a question by an engine, the shallowest first.

        Raises:
            DataFileError: A row is damaged.
        """
        rows = self.connection.execute(
            f"SELECT plies, payload, checksum FROM {_ROWS} WHERE {_KEY} ORDER BY plies", (*question, digest)
        )
        return [self._read(question, digest, *row) for row in rows]

    def put(self, question: StoreQuestion, engine: EngineIdentity, entry: KeptEntry, now_s: int) -> None:
        """Write an entry unless there is one of its depth; a new question counts as not asked yet."""
        self.put_row(StoreRow(question, engine, entry, 0, now_s, now_s))

    def put_row(self, row: StoreRow) -> bool:
        """Write an entry with its use, unless there is one of its depth; return whether it is new.

        A question that is there keeps the greater number of visits.
        """
        engine, entry, key = row.engine, row.entry, (*row.question, row.engine.digest)
        payload = entry.encode()
        checksum = compute_checksum(row.question, engine.digest, entry.plies, payload)
        self.connection.execute(
            "INSERT OR IGNORE INTO engines VALUES (?, ?, ?, ?, ?)",
            (engine.digest, engine.net, engine.nets, engine.tables, engine.program),
        )
        self.connection.execute(
            "INSERT INTO questions (xgid, rules, settings, engine, visits, asked) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (xgid, rules, settings, engine) DO UPDATE SET "
            f"visits = max({_AGED_VISITS}, excluded.visits >> min(62, max(0, asked / {HALVING_S} - "
            f"excluded.asked / {HALVING_S}))), asked = max(asked, excluded.asked)",
            (*key, row.visits, row.asked, row.asked),
        )
        done = self.connection.execute(
            f"INSERT OR IGNORE INTO answers SELECT id, ?, ?, ?, ? FROM questions WHERE {_KEY}",
            (entry.plies, payload, checksum, row.created, *key),
        )
        return done.rowcount > 0

    def count_visits(self, question: StoreQuestion, digest: str, visits: int, now_s: int) -> None:
        """Add to the visits of a question, if it is still there."""
        self.connection.execute(
            f"UPDATE questions SET visits = {_AGED_VISITS} + ?, asked = max(asked, ?) WHERE {_KEY}",
            (now_s, visits, now_s, *question, digest),
        )

    def remove(self, question: StoreQuestion, digest: str) -> None:
        """Remove a question with all its entries, if it is there."""
        self._remove(f"SELECT id FROM questions WHERE {_KEY}", (*question, digest))

    def evict(self, max_bytes: int, now_s: int) -> int:
        """Remove the questions asked least often, the longest unasked first, if the file is too full.

        Args:
            max_bytes: What may be in use; a tenth less is left.
            now_s: The time, in seconds since 1970.

        Returns:
            How many questions were removed, with all their entries.
        """
        used = self.count_used_bytes()
        if used <= max_bytes:
            return 0
        share = 1.0 - max_bytes * (1.0 - _CLEARED_SHARE) / used
        number = int(self.count_questions() * share) + 1
        selection = f"SELECT id FROM questions ORDER BY {_AGED_VISITS}, asked LIMIT ?"
        return self._remove(selection, (now_s, number))

    def list_due(self, digest: str, tiers: DepthTiers, now_s: int, limit: int) -> list[DueQuestion]:
        """Return questions of an engine that are to be searched deeper.

        First come those with the most visits for the time of a search, which a ply more multiplies
        (`_PLY_FACTOR_BITS`); of equal ones those that were asked last.

        Args:
            digest: The engine's.
            tiers: How deep, by visits.
            now_s: The time, in seconds since 1970.
            limit: How many, at most.
        """
        rows = self.connection.execute(
            f"SELECT xgid, rules, settings, kept + 1, uses FROM ({_make_due_selection(tiers)}) "
            f"ORDER BY uses * 1.0 / (1 << {_PLY_FACTOR_BITS} * kept) DESC, asked DESC LIMIT ?",
            (now_s, digest, limit),
        )
        return [DueQuestion(StoreQuestion(*map(str, row[:3])), int(row[3]), int(row[4])) for row in rows]

    def count_due(self, digest: str, tiers: DepthTiers, now_s: int) -> dict[int, int]:
        """Return how many searches are due at each depth, if every ply takes one."""
        rows = self.connection.execute(
            f"SELECT kept, wanted, count(*) FROM ({_make_due_selection(tiers)}) GROUP BY 1, 2",
            (now_s, digest),
        )
        due: Counter[int] = Counter()
        for kept, wanted, number in rows:
            due.update(dict.fromkeys(range(kept + 1, wanted + 1), number))
        return dict(sorted(due.items()))

    def count_questions(self) -> int:
        """Return the number of questions."""
        return int(self.connection.execute("SELECT count(*) FROM questions").fetchone()[0])

    def count_visits_of_all(self, now_s: int) -> int:
        """Return how often all questions together were asked, as that counts now."""
        statement = f"SELECT coalesce(sum({_AGED_VISITS}), 0) FROM questions"
        return int(self.connection.execute(statement, (now_s,)).fetchone()[0])

    def list_engines(self) -> dict[str, EngineIdentity]:
        """Return the engines by their digests."""
        rows = self.connection.execute("SELECT digest, net, nets, tables, program FROM engines")
        found = {digest: EngineIdentity(*map(str, fields)) for digest, *fields in rows}
        return {digest: engine for digest, engine in found.items() if engine.digest == digest}

    def count_by_kind(self, now_s: int) -> list[tuple[str, bool, int, int, int]]:
        """Return engine digest, whether plays are asked for, plies, entries and visits of each kind."""
        return self.connection.execute(
            f"SELECT engine, instr(settings, ' ') > 0, plies, count(*), sum({_AGED_VISITS}) FROM {_ROWS} "
            "GROUP BY 1, 2, 3 ORDER BY 4 DESC",
            (now_s,),
        ).fetchall()

    def iterate(self) -> Iterator[StoreRow | BadRow]:
        """Return all entries, the most asked first, as they are at this moment."""
        engines = self.list_engines()
        for row in self.connection.execute(
            "SELECT xgid, rules, settings, engine, plies, payload, checksum, visits, asked, created "
            f"FROM {_ROWS} ORDER BY visits DESC, asked DESC, id, plies"
        ):
            question, digest = StoreQuestion(*map(str, row[:3])), str(row[3])
            try:
                entry = self._read(question, digest, *row[4:7])
            except DataFileError as error:
                yield BadRow(question, digest, error.message)
                continue
            if digest in engines:
                yield StoreRow(question, engines[digest], entry, *map(int, row[7:]))
            else:
                yield BadRow(question, digest, "the file does not say by which engine it is")

    def find_structural_fault(self) -> str:
        """Return what SQLite finds wrong with the file; empty if it is sound."""
        found = self.connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        return "" if found == "ok" else str(found)

    def _read(
        self, question: StoreQuestion, digest: str, plies: int, payload: bytes, checksum: int
    ) -> KeptEntry:
        """Read a row.

        Raises:
            DataFileError: It is not as it was written.
        """
        if not (isinstance(plies, int) and isinstance(payload, bytes)):
            raise DataFileError("expected a depth and bytes in the row")
        if checksum != compute_checksum(question, digest, plies, payload):
            raise DataFileError("the row does not have its checksum: it was changed, or the disk has a fault")
        return self._read_entry(plies, payload)

    def _remove(self, selection: str, parameters: Sequence[object]) -> int:
        """Remove the questions whose numbers a statement selects; return how many."""
        self.connection.execute(f"DELETE FROM answers WHERE question IN ({selection})", parameters)
        return self.connection.execute(
            f"DELETE FROM questions WHERE id IN ({selection})", parameters
        ).rowcount

    def _prepare(self) -> None:
        """Check that the file is a store, and make an empty one a store unless it is a book."""
        tables, version = self._list_tables(), self._pragma("user_version")
        if tables or not self._is_book:
            self._check_kind(bool(tables))
        if version > SCHEMA_VERSION:
            raise DataFileError(
                f"{self.file}: expected a store of version {SCHEMA_VERSION}, got version {version}, which a "
                "later gammond has written: use that one, or move the file away"
            )
        if not self._is_book:
            self.connection.execute("PRAGMA journal_mode = WAL")
            self.connection.execute("PRAGMA synchronous = NORMAL")
        if not (tables or self._is_book):
            with self.write():
                if not self._list_tables():  # another process may have been first
                    for statement in _SCHEMA.split(";"):
                        self.connection.execute(statement)
        if (tables and version != SCHEMA_VERSION) or not self._list_tables() >= _TABLES:
            raise make_damage(f"{self.file} has not the tables of a store")

    def _list_tables(self) -> set[str]:
        rows: Sequence[tuple[str]] = self.connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'"
        ).fetchall()
        return {name for (name,) in rows}


def _make_due_selection(tiers: DepthTiers) -> str:
    """Return a selection of the questions that are due: its parameters are the time and an engine."""
    cases = " ".join(f"WHEN uses >= {visits} THEN {plies}" for visits, plies in reversed(tiers.steps))
    return (
        f"SELECT *, CASE {cases} ELSE 0 END AS wanted FROM ("
        f"SELECT xgid, rules, settings, asked, {_AGED_VISITS} AS uses, "
        "(SELECT max(plies) FROM answers WHERE question = id) AS kept "
        "FROM questions WHERE engine = ?) WHERE kept < wanted"
    )
