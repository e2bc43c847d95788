"""The file of a store: an SQLite database that several processes may use at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gammond.engine.errors import DataFileError, FormatError, ValueRangeError
from gammond.engine.runtime.sqlite_file import Schema, SqliteFile
from gammond.engine.search.tree import MAX_PLIES
from gammond.engine.store.entries import (
    EngineIdentity,
    EntryReader,
    KeptEntry,
    StoreEntry,
    StoreQuestion,
    compute_checksum,
)

SCHEMA = Schema(
    "a store of analyses",
    0x676D6D64,  # gmmd
    (
        """
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
)
""",
    ),
    is_private=False,
)
"""An answer for each depth; a question is there as long as it has one."""

HALVING_S = 30 * 24 * 3600
"""At the end of each period of so many seconds since 1970 all visits count half, so that a question of today
overtakes one that was asked often last year."""

MAX_TIERS = 16
MAX_TIER_VISITS = 1_000_000

_TIER = re.compile(r"([0-9]{1,9}):([0-9]{1,9})")

_PLY_FACTOR_BITS = 4
"""A search takes about 16 times as long with a ply more."""

_CLEARED_SHARE = 0.1
"""The share of the maximum size that is made free at once."""

_KEY = "xgid = ? AND rules = ? AND settings = ? AND engine = ?"
_AGED_VISITS = f"(visits >> min(62, max(0, ? / {HALVING_S} - asked / {HALVING_S})))"
"""What visits count at a time, given in seconds since 1970; they are kept as they counted when last asked."""

_ROWS = "answers JOIN questions ON questions.id = answers.question"


@dataclass(frozen=True)
class StoreRow:
    """An entry with its question and its use.

    Attributes:
        question: What was asked.
        engine: Who answered.
        entry: The values.
        visits: How often the question was asked, at any depth, as that counted then: visits age.
        asked: When it was last asked, in seconds since 1970.
        created: When the entry was searched.
    """

    question: StoreQuestion
    engine: EngineIdentity
    entry: KeptEntry
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


class DueQuestion(NamedTuple):
    """A question that is asked often enough to be searched deeper.

    Attributes:
        question: What was asked.
        plies: The depth of its next search, one more than its deepest entry has.
        visits: How often it was asked.
    """

    question: StoreQuestion
    plies: int
    visits: int


@dataclass(frozen=True)
class DepthTiers:
    """The depth for each number of visits.

    Attributes:
        steps: From so many visits on, so many plies; both rise from step to step. Questions with fewer visits
            than the first has are not deepened.
        max_plies: The deepest search there is.

    Raises:
        ValueRangeError: There is none or too many, they do not rise, or a number is out of range.
    """

    steps: tuple[tuple[int, int], ...]
    max_plies: int = MAX_PLIES

    def __post_init__(self) -> None:
        if not 1 <= len(self.steps) <= MAX_TIERS:
            raise ValueRangeError(f"expected 1 to {MAX_TIERS} tiers, got {len(self.steps)}", field="tiers")
        before = 0, 0
        for visits, plies in self.steps:
            if not (before[0] < visits <= MAX_TIER_VISITS and before[1] < plies <= self.max_plies):
                raise ValueRangeError(
                    f"expected tiers with rising visits, 1 to {MAX_TIER_VISITS:,}, and rising plies, 1 to "
                    f"{self.max_plies}, got {self}",
                    field="tiers",
                )
            before = visits, plies

    def __str__(self) -> str:
        return "/".join(f"{visits}:{plies}" for visits, plies in self.steps)

    @classmethod
    def parse(cls, text: str) -> DepthTiers:
        """Parse ``VISITS:PLIES/...``, as `str` writes it.

        Raises:
            FormatError: It is written otherwise.
            ValueRangeError: As for the class.
        """
        found = [_TIER.fullmatch(part.strip()) for part in text[:400].split("/")]
        steps = tuple((int(each[1]), int(each[2])) for each in found if each)
        if len(steps) < len(found):
            raise FormatError(
                f"expected tiers as VISITS:PLIES, such as {DEFAULT_TIERS}, got {text[:80]!r}", field="tiers"
            )
        return cls(steps)


DEFAULT_TIERS = DepthTiers(((1, 2), (3, 3), (5, 4)))
"""Those of the fifth founding document: its usual search for what was asked once or twice, one ply more from
the third time, two from the fifth. It counts the play itself as a ply, so its three plies are 2-ply. What
it searches "very deep", from the sixteenth time, stays at 4-ply, the deepest search there is."""


class StoreDatabase(SqliteFile):
    """One connection to the file of a store; for one thread at a time.

    Args:
        file: As for `SqliteFile`, with its errors.
        is_book: Whether it is there, and is only read; nobody writes into it.
        read_entry: Reads the entries, all of one game.
    """

    def __init__(
        self, file: Path, *, is_book: bool = False, read_entry: EntryReader = StoreEntry.decode
    ) -> None:
        self._read_entry = read_entry
        super().__init__(file, SCHEMA, is_read_only=is_book)

    def find(self, question: StoreQuestion, digest: str) -> list[KeptEntry]:
        """Return the entries for a question by an engine, the shallowest first.

        Raises:
            DataFileError: A row is damaged.
        """
        rows = self.execute(
            f"SELECT plies, payload, checksum FROM {_ROWS} WHERE {_KEY} ORDER BY plies", (*question, digest)
        )
        return [self._read(question, digest, *row) for row in rows]

    def put(
        self, question: StoreQuestion, engine: EngineIdentity, entry: KeptEntry, now_s: int, visits: int = 0
    ) -> None:
        """Write an entry unless there is one of its depth, and count visits to its question."""
        self.put_row(StoreRow(question, engine, entry, 0, now_s, now_s))
        if visits:
            self.count_visits(question, engine.digest, visits, now_s)

    def put_row(self, row: StoreRow) -> bool:
        """Write an entry with its use, unless there is one of its depth; return whether it is new.

        A question that is there keeps the greater number of visits.
        """
        engine, entry, key = row.engine, row.entry, (*row.question, row.engine.digest)
        payload = entry.encode()
        checksum = compute_checksum(row.question, engine.digest, entry.plies, payload)
        self.execute(
            "INSERT OR IGNORE INTO engines VALUES (?, ?, ?, ?, ?)",
            (engine.digest, engine.net, engine.nets, engine.tables, engine.program),
        )
        self.execute(
            "INSERT INTO questions (xgid, rules, settings, engine, visits, asked) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (xgid, rules, settings, engine) DO UPDATE SET "
            f"visits = max({_AGED_VISITS}, excluded.visits >> min(62, max(0, asked / {HALVING_S} - "
            f"excluded.asked / {HALVING_S}))), asked = max(asked, excluded.asked)",
            (*key, row.visits, row.asked, row.asked),
        )
        done = self.execute(
            f"INSERT OR IGNORE INTO answers SELECT id, ?, ?, ?, ? FROM questions WHERE {_KEY}",
            (entry.plies, payload, checksum, row.created, *key),
        )
        return done.rowcount > 0

    def count_visits(self, question: StoreQuestion, digest: str, visits: int, now_s: int) -> None:
        """Add to the visits of a question, if it is still there."""
        self.execute(
            f"UPDATE questions SET visits = {_AGED_VISITS} + ?, asked = max(asked, ?) WHERE {_KEY}",
            (now_s, visits, now_s, *question, digest),
        )

    def remove(self, question: StoreQuestion, digest: str) -> None:
        """Remove a question with all its entries, if it is there."""
        self._remove(f"SELECT id FROM questions WHERE {_KEY}", (*question, digest))

    def evict(self, max_bytes: float, now_s: int) -> int:
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
        rows = self.execute(
            f"SELECT xgid, rules, settings, kept + 1, uses FROM ({_make_due_selection(tiers)}) "
            f"ORDER BY uses * 1.0 / (1 << {_PLY_FACTOR_BITS} * kept) DESC, asked DESC LIMIT ?",
            (now_s, digest, limit),
        )
        return [DueQuestion(StoreQuestion(*map(str, row[:3])), int(row[3]), int(row[4])) for row in rows]

    def count_due(self, digest: str, tiers: DepthTiers, now_s: int) -> dict[int, int]:
        """Return how many searches are due at each depth, if every ply takes one."""
        rows = self.execute(
            f"SELECT kept, wanted, count(*) FROM ({_make_due_selection(tiers)}) GROUP BY 1, 2",
            (now_s, digest),
        )
        due: Counter[int] = Counter()
        for kept, wanted, number in rows:
            due.update(dict.fromkeys(range(kept + 1, wanted + 1), number))
        return dict(sorted(due.items()))

    def count_questions(self) -> int:
        """Return the number of questions."""
        return int(self.execute("SELECT count(*) FROM questions").fetchone()[0])

    def count_visits_of_all(self, now_s: int) -> int:
        """Return how often all questions together were asked, as that counts now."""
        statement = f"SELECT coalesce(sum({_AGED_VISITS}), 0) FROM questions"
        return int(self.execute(statement, (now_s,)).fetchone()[0])

    def list_engines(self) -> dict[str, EngineIdentity]:
        """Return the engines by their digests."""
        rows = self.execute("SELECT digest, net, nets, tables, program FROM engines")
        found = {digest: EngineIdentity(*map(str, fields)) for digest, *fields in rows}
        return {digest: engine for digest, engine in found.items() if engine.digest == digest}

    def count_by_kind(self, now_s: int) -> list[tuple[str, bool, int, int, int]]:
        """Return engine digest, whether plays are asked for, plies, entries and visits of each kind."""
        return self.execute(
            f"SELECT engine, instr(settings, ' ') > 0, plies, count(*), sum({_AGED_VISITS}) FROM {_ROWS} "
            "GROUP BY 1, 2, 3 ORDER BY 4 DESC",
            (now_s,),
        ).fetchall()

    def iterate(self) -> Iterator[StoreRow | BadRow]:
        """Return all entries, the most asked first, as they are at this moment."""
        engines = self.list_engines()
        for row in self.execute(
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
        self.execute(f"DELETE FROM answers WHERE question IN ({selection})", parameters)
        return self.execute(f"DELETE FROM questions WHERE id IN ({selection})", parameters).rowcount


def _make_due_selection(tiers: DepthTiers) -> str:
    """Return a selection of the questions that are due: its parameters are the time and an engine."""
    cases = " ".join(f"WHEN uses >= {visits} THEN {plies}" for visits, plies in reversed(tiers.steps))
    return (
        f"SELECT *, CASE {cases} ELSE 0 END AS wanted FROM ("
        f"SELECT xgid, rules, settings, asked, {_AGED_VISITS} AS uses, "
        "(SELECT max(plies) FROM answers WHERE question = id) AS kept "
        "FROM questions WHERE engine = ?) WHERE kept < wanted"
    )
