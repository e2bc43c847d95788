"""What a store holds."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections import Counter
from dataclasses import dataclass

import msgspec

from engine.analysis.deepening import is_deepened_now
from engine.errors import DataFileError
from engine.store.database import StoreDatabase
from engine.store.entries import EngineIdentity
from engine.store.options import read_store_options
from engine.store.tiers import DEFAULT_TIERS
from engine.wording import format_count
from nets.catalogue import BOOK_FILE, identify_engine
from tools.store.files import format_depths, is_usable


@dataclass(frozen=True)
class StoredKind:
    """Entries of one kind.

    Attributes:
        net: The net that they are of.
        program: The version of gammond.
        is_usable: Whether that net gives the same answers now.
        asks_for_plays: Whether they are plays of a roll, not positions.
        plies: Their depth.
        entries: How many there are.
        visits: How often their questions were asked.
    """

    net: str
    program: str
    is_usable: bool
    asks_for_plays: bool
    plies: int
    entries: int
    visits: int


@dataclass(frozen=True)
class StoreStatus:
    """What a store holds.

    Attributes:
        file: The file.
        used_bytes: What of it is in use.
        max_bytes: What may be in use.
        questions: How many questions have entries.
        visits: How often these were asked.
        kinds: The entries by kind, the most numerous first.
        book_entries: How many the shipped opening book has beside them; 0 if it is of other nets or tables.
        is_deepened: Whether a process searches what is due now.
        due: How many searches by usable nets are due at each depth, by the default tiers.
    """

    file: str
    used_bytes: int
    max_bytes: int
    questions: int
    visits: int
    kinds: tuple[StoredKind, ...]
    book_entries: int
    is_deepened: bool
    due: dict[int, int]


def describe_store(database: StoreDatabase) -> StoreStatus:
    """Count what a store holds."""
    engines, now_s = database.list_engines(), int(time.time())
    kinds = []
    due: Counter[int] = Counter()
    for digest, engine in engines.items():
        if is_usable(engine):
            due.update(database.count_due(digest, DEFAULT_TIERS, now_s))
    for digest, asks_for_plays, plies, entries, visits in database.count_by_kind(now_s):
        engine = engines.get(digest, EngineIdentity("unknown", "", "", "unknown"))
        kind = StoredKind(
            engine.net, engine.program, is_usable(engine), bool(asks_for_plays), plies, entries, visits
        )
        kinds.append(kind)
    return StoreStatus(
        str(database.file),
        database.count_used_bytes(),
        read_store_options().max_bytes,
        database.count_questions(),
        database.count_visits_of_all(now_s),
        tuple(kinds),
        _count_book_entries(now_s),
        is_deepened_now(database.file),
        dict(due),
    )


def _count_book_entries(now_s: int) -> int:
    try:
        book = StoreDatabase(BOOK_FILE, is_book=True)
        kinds = book.count_by_kind(now_s)
        book.close()
    except (DataFileError, sqlite3.Error):
        return 0
    digest = identify_engine().of_book.digest
    return sum(entries for engine, _, _, entries, _ in kinds if engine == digest)


def show_status(database: StoreDatabase, as_json: bool) -> int:
    """Write what a store holds to standard output; return 0."""
    status = describe_store(database)
    if as_json:
        sys.stdout.write(msgspec.json.encode(status).decode() + "\n")
        return 0
    entries = sum(kind.entries for kind in status.kinds)
    lines = [
        f"file     {status.file}",
        f"size     {status.used_bytes / 1e6:.1f} MB of {status.max_bytes / 1e6:.0f} MB",
        f"entries  {entries:,} for {status.questions:,} questions, asked {status.visits:,} times",
    ]
    for kind in status.kinds:
        what = "plays" if kind.asks_for_plays else "positions"
        note = "" if kind.is_usable else ", not used: other nets, tables or version than now"
        lines.append(
            f"         {kind.entries:,} {what} at {kind.plies}-ply by {kind.net} ({kind.program}), "
            f"asked {kind.visits:,} times{note}"
        )
    lines.append(f"book     {format_count(status.book_entries, 'entry', 'entries')} shipped with gammond")
    note = "; a process searches now" if status.is_deepened else ""
    lines.append(f"due      {format_depths(status.due)}{note}")
    sys.stdout.write("\n".join(lines) + "\n")
    return 0
