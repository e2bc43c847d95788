"""What a store holds."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import msgspec

from gammond.engine.analysis.deepening import is_deepened_now
from gammond.engine.errors import DataFileError
from gammond.engine.store.database import DEFAULT_TIERS, StoreDatabase
from gammond.engine.store.entries import EngineIdentity
from gammond.engine.store.options import name_game_file, read_store_options
from gammond.engine.wording import format_count
from gammond.nets.catalogue import BOOK_FILE, identify_engine
from gammond.protocol.game_entry import GameStore
from gammond.protocol.games import GAMES
from gammond.tools.store.files import find_game, format_depths, is_usable, make_missing_error, open_store


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
        game: The name of another game than backgammon, if they are of one.
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
    game: str = ""


def describe_store(database: StoreDatabase, game: str = "") -> StoreStatus:
    """Count what a store holds.

    Args:
        database: The store.
        game: The game that its entries are of; empty for backgammon.
    """
    load_rules = GAMES[game].load_store if game else None
    rules = load_rules() if load_rules else GameStore(identify_engine, DEFAULT_TIERS)
    engines, now_s = database.list_engines(), int(time.time())
    kinds = []
    due: Counter[int] = Counter()
    for digest, engine in engines.items():
        if is_usable(engine, rules.identify):
            due.update(database.count_due(digest, rules.tiers, now_s))
    for digest, asks_for_plays, plies, entries, visits in database.count_by_kind(now_s):
        engine = engines.get(digest, EngineIdentity("unknown", "", "", "unknown"))
        can_be_used, is_for_plays = is_usable(engine, rules.identify), bool(asks_for_plays) and not game
        kinds.append(
            StoredKind(engine.net, engine.program, can_be_used, is_for_plays, plies, entries, visits)
        )
    return StoreStatus(
        str(database.file),
        database.count_used_bytes(),
        read_store_options().max_bytes,
        database.count_questions(),
        database.count_visits_of_all(now_s),
        tuple(kinds),
        0 if game else _count_book_entries(now_s),
        is_deepened_now(database.file),
        dict(due),
        game,
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


def show_status(file: Path, as_json: bool) -> int:
    """Write what a store holds to standard output, and those of other games beside it; return 0.

    Raises:
        DataFileError: There is none, or one is damaged or of another kind.
    """
    found = []
    kept = [game for game, entry in GAMES.items() if entry.load_store]
    for game in ("", *kept):
        of_game = name_game_file(file, game) if game else file
        if of_game.exists():
            with open_store(of_game) as database:
                found.append(describe_store(database, game or find_game(database)))
    if not found:
        raise make_missing_error(file)
    if as_json:
        first: dict[str, object] = next((msgspec.to_builtins(each) for each in found if not each.game), {})
        games = {each.game: each for each in found if each.game}
        sys.stdout.write(msgspec.json.encode({**first, "games": games}).decode() + "\n")
        return 0
    sys.stdout.write("\n\n".join("\n".join(_list_status_lines(status)) for status in found) + "\n")
    return 0


def _list_status_lines(status: StoreStatus) -> list[str]:
    entries = sum(kind.entries for kind in status.kinds)
    lines = [f"game     {status.game}"] if status.game else []
    lines += [
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
    if not status.game:
        book = format_count(status.book_entries, "entry", "entries")
        lines.append(f"book     {book} shipped with gammond")
    note = "; a process searches now" if status.is_deepened else ""
    return [*lines, f"due      {format_depths(status.due)}{note}"]
