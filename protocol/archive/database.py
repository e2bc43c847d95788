"""The file of the archive: running tables, matches, who played them and how well."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Collection, Sequence
from pathlib import Path

from gammond.engine.errors import DataFileError
from gammond.engine.runtime.sqlite_file import Schema, SqliteFile
from gammond.protocol.archive.records import (
    SGF,
    AnalysisState,
    ArchivedAnalysis,
    MatchRecord,
    OpponentKind,
    Worth,
)
from gammond.protocol.tables.archive import ArchivedGame
from gammond.protocol.tables.names import fold_name, is_nobody

SCHEMA = Schema(
    "an archive of games",
    0x676D6D67,  # gmmg
    (
        """
CREATE TABLE tables (
    id TEXT PRIMARY KEY, slot INTEGER NOT NULL, created REAL NOT NULL, head BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE actions (
    table_id TEXT NOT NULL, place INTEGER NOT NULL, entry BLOB NOT NULL,
    PRIMARY KEY (table_id, place)
) WITHOUT ROWID;
CREATE TABLE matches (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    table_id TEXT NOT NULL, first_game INTEGER NOT NULL, games INTEGER NOT NULL,
    variant TEXT NOT NULL, length INTEGER NOT NULL, result TEXT NOT NULL,
    started INTEGER NOT NULL, ended INTEGER NOT NULL,
    is_over INTEGER NOT NULL, has_help INTEGER NOT NULL, is_named INTEGER NOT NULL,
    format TEXT NOT NULL, record BLOB NOT NULL,
    analysis TEXT NOT NULL, method TEXT NOT NULL DEFAULT '', document BLOB,
    UNIQUE (table_id, first_game)
);
CREATE INDEX matches_by_analysis ON matches (analysis, id);
CREATE INDEX matches_by_use ON matches (is_named, id);
CREATE TABLE seats (
    match INTEGER NOT NULL, seat INTEGER NOT NULL,
    kind TEXT NOT NULL, name TEXT NOT NULL, folded TEXT NOT NULL, token TEXT NOT NULL,
    points INTEGER NOT NULL, score REAL,
    counted INTEGER, error REAL, counted_error REAL, squares REAL,
    errors INTEGER, blunders INTEGER, luck REAL, luck_mwc REAL,
    PRIMARY KEY (match, seat)
) WITHOUT ROWID;
CREATE INDEX seats_by_name ON seats (folded, kind, match)
""",
        """
ALTER TABLE seats ADD COLUMN owner TEXT NOT NULL DEFAULT '';
CREATE INDEX seats_by_owner ON seats (owner, match);
ALTER TABLE matches ADD COLUMN is_rated INTEGER NOT NULL DEFAULT 1;
ALTER TABLE matches RENAME COLUMN is_named TO worth;
ALTER TABLE matches ADD COLUMN bytes INTEGER AS (
    600 + length(record) + coalesce(length(document), 0)
    + min(length(record) + coalesce(length(document), 0), 2048)
);
DROP INDEX matches_by_use;
CREATE INDEX matches_by_worth ON matches (worth, id, bytes)
""",
    ),
)
"""``bytes`` of a match is about what it takes in the file with its seats, its last page half full."""

_CLEARED_SHARE = 0.1
"""The share of the maximum size that is made free at once."""


_PUT_MATCH = """
INSERT INTO matches (
    table_id, first_game, games, variant, length, result, started, ended, is_over, has_help, is_rated, worth,
    format, record, analysis
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (table_id, first_game) DO UPDATE SET
    games = excluded.games, result = excluded.result, ended = excluded.ended, is_over = excluded.is_over,
    has_help = max(has_help, excluded.has_help), is_rated = excluded.is_rated, worth = excluded.worth,
    format = excluded.format, record = excluded.record, analysis = excluded.analysis, method = '',
    document = NULL
RETURNING id
"""


class ArchiveDatabase(SqliteFile):
    """One connection to the file of the archive; for one thread at a time.

    Args:
        file: The file.

    Raises:
        DataFileError: As `SqliteFile`.
        sqlite3.Error: As `SqliteFile`.
    """

    def __init__(self, file: Path) -> None:
        super().__init__(file, SCHEMA)
        self._fresh: set[int] = set()

    def put_table(self, table: str, slot: int, created_s: float, head: bytes) -> None:
        """Keep a table, or what has changed of it; what was done at it stays."""
        self.execute("INSERT OR REPLACE INTO tables VALUES (?, ?, ?, ?)", (table, slot, created_s, head))

    def add_actions(self, table: str, place: int, entries: Sequence[bytes]) -> None:
        """Keep actions at a table; the first of them is at a place in its log."""
        self.connection.executemany(
            "INSERT OR REPLACE INTO actions VALUES (?, ?, ?)",
            [(table, place + number, entry) for number, entry in enumerate(entries)],
        )

    def remove_table(self, table: str) -> None:
        """Remove a table, if it is there."""
        self.execute("DELETE FROM tables WHERE id = ?", (table,))
        self.execute("DELETE FROM actions WHERE table_id = ?", (table,))

    def count_actions(self, slot: int) -> dict[str, int]:
        """Return the number of actions of each table of a slot."""
        rows = self.execute(
            "SELECT id, count(place) FROM tables LEFT JOIN actions ON table_id = id WHERE slot = ? "
            "GROUP BY id",
            (slot,),
        )
        return {row[0]: int(row[1]) for row in rows}

    def list_slots(self) -> list[int]:
        """Return the slots that have tables."""
        return [int(row[0]) for row in self.execute("SELECT DISTINCT slot FROM tables ORDER BY slot")]

    def move_tables(self, slot: int, to_slot: int) -> None:
        """Let the tables of a slot belong to another."""
        self.execute("UPDATE tables SET slot = ? WHERE slot = ?", (to_slot, slot))

    def list_tables(self, slot: int) -> list[sqlite3.Row]:
        """Return the tables of a slot, the oldest first, with what there is of their actions.

        Returns:
            Rows of ``id``, ``created`` and ``head``, and of the actions ``count``, ``size`` and ``last``.
        """
        return self.execute(
            "SELECT id, created, head, count(place) AS count, total(length(entry)) AS size, "
            "coalesce((SELECT entry FROM actions WHERE table_id = id ORDER BY place DESC LIMIT 1), x'') "
            "AS last FROM tables LEFT JOIN actions ON table_id = id WHERE slot = ? GROUP BY id "
            "ORDER BY created, id",
            (slot,),
        ).fetchall()

    def list_actions(self, table: str) -> list[bytes]:
        """Return the actions of a table, in order."""
        rows = self.execute("SELECT entry FROM actions WHERE table_id = ? ORDER BY place", (table,))
        return [bytes(row[0]) for row in rows]

    def put_game(self, game: ArchivedGame, record: MatchRecord) -> int:
        """Keep a game with its match; in money play, and without points, each game is a match.

        Args:
            game: The game; one that was kept with the same number is replaced.
            record: The record of the match up to this game.

        Returns:
            The number of the match.
        """
        first = self._find_first_game(game)
        is_over = not game.length or game.match_winner is not None
        analysis = AnalysisState.WAITING if is_over and record.can_be_analysed else AnalysisState.NONE
        number: int = self.execute(
            _PUT_MATCH,
            (
                *(game.table_id, first, game.number - first + 1, game.variant, game.length, game.kind),
                *(round(game.started_s), round(game.ended_s), is_over, game.has_help),
                *(game.is_rated, _find_worth(game)),
                *(record.format, zlib.compress(record.text.encode()), analysis),
            ),
        ).fetchone()[0]
        for seat, played in enumerate(game.seats):
            points = game.score_after[seat] if game.length else game.points * (game.winner == seat)
            self.execute(
                "INSERT OR REPLACE INTO seats (match, seat, kind, name, folded, token, owner, points, score) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(number, seat, played.kind, played.name, fold_name(played.name)),
                    *(played.token_hash or "", played.owner, points, _score_seat(game, seat)),
                ),
            )
        self._fresh.add(number)
        return number

    def end_matches(self, table: str) -> None:
        """Let matches be analysed as far as they went: nobody goes on with them."""
        self.execute(
            "UPDATE matches SET analysis = ? WHERE table_id = ? AND NOT is_over AND analysis = ? "
            "AND format = ?",
            (AnalysisState.WAITING, table, AnalysisState.NONE, SGF),
        )

    def _find_first_game(self, game: ArchivedGame) -> int:
        """Return the number of the first game of the match that a game belongs to."""
        if not game.length or not any(game.score_before):
            return game.number
        row = self.execute(
            "SELECT first_game FROM matches WHERE table_id = ? AND first_game <= ? "
            "ORDER BY first_game DESC LIMIT 1",
            (game.table_id, game.number),
        ).fetchone()
        return game.number if row is None else int(row[0])

    def find_match(self, number: int) -> sqlite3.Row | None:
        """Return the row of a match."""
        found: sqlite3.Row | None = self.execute("SELECT * FROM matches WHERE id = ?", (number,)).fetchone()
        return found

    def list_seats(self, number: int) -> list[sqlite3.Row]:
        """Return the rows of the seats of a match."""
        return self.execute("SELECT * FROM seats WHERE match = ? ORDER BY seat", (number,)).fetchall()

    def list_matches(
        self, player: str | None, variant: str | None, before: int | None, limit: int
    ) -> list[sqlite3.Row]:
        """Return the rows of matches, the newest first, without their records.

        Args:
            player: Only those of a person of this name; None for all.
            variant: Only those of a variant; None for all.
            before: Only those with smaller numbers; None for all.
            limit: How many, at most.
        """
        parts, values = ["1"], list[object]()
        if player is not None:
            parts.append("id IN (SELECT match FROM seats WHERE folded = ? AND kind = ?)")
            values += [fold_name(player), OpponentKind.PERSON]
        if variant is not None:
            parts.append("variant = ?")
            values.append(variant)
        if before is not None:
            parts.append("id < ?")
            values.append(before)
        return self.execute(
            "SELECT id, table_id, variant, length, games, result, started, ended, is_over, has_help, "
            f"is_rated, format, analysis, method FROM matches WHERE {' AND '.join(parts)} "
            "ORDER BY id DESC LIMIT ?",
            (*values, limit),
        ).fetchall()

    def find_waiting(self) -> tuple[int, bytes] | None:
        """Return number and packed record of the newest match of most worth that waits for its analysis."""
        row = self.execute(
            "SELECT id, record FROM matches WHERE analysis = ? ORDER BY worth DESC, id DESC LIMIT 1",
            (AnalysisState.WAITING,),
        ).fetchone()
        return None if row is None else (int(row["id"]), row["record"])

    def put_analysis(self, number: int, found: ArchivedAnalysis, before: str) -> None:
        """Keep the analysis of a match, unless its record is another by now.

        Args:
            number: The match.
            found: The analysis.
            before: The record that was analysed.
        """
        row = self.find_match(number)
        if row is None or row["analysis"] != AnalysisState.WAITING or unpack_text(row["record"]) != before:
            return
        self.execute(
            "UPDATE matches SET analysis = ?, method = ?, record = ?, document = ? WHERE id = ?",
            (
                *(AnalysisState.DONE, found.method, zlib.compress(found.record.encode())),
                *(zlib.compress(found.document), number),
            ),
        )
        for seat, rating in enumerate(found.seats):
            total = rating.total
            self.execute(
                "UPDATE seats SET counted = ?, error = ?, counted_error = ?, squares = ?, errors = ?, "
                "blunders = ?, luck = ?, luck_mwc = ? WHERE match = ? AND seat = ?",
                (
                    *(total.counted, total.error_points, total.counted_points, total.counted_squares),
                    *(rating.errors, rating.blunders, rating.luck_points, rating.luck_mwc, number, seat),
                ),
            )

    def fail_analysis(self, number: int, reason: str) -> None:
        """Note that a match cannot be analysed, and why."""
        self.execute(
            "UPDATE matches SET analysis = ?, method = ? WHERE id = ? AND analysis = ?",
            (AnalysisState.FAILED, reason, number, AnalysisState.WAITING),
        )

    def rename_seat(self, number: int, seat: int, name: str, record: str, document: bytes | None) -> None:
        """Write another name into a seat of a match, and what has the name with it."""
        self.execute(
            "UPDATE seats SET name = ?, folded = ?, token = '', owner = '' WHERE match = ? AND seat = ?",
            (name, fold_name(name), number, seat),
        )
        self.execute(
            "UPDATE matches SET record = ?, document = ? WHERE id = ?",
            (zlib.compress(record.encode()), None if document is None else zlib.compress(document), number),
        )

    def remove_matches(self, numbers: Sequence[int]) -> int:
        """Remove matches; return how many there were."""
        marks = ",".join("?" * len(numbers))
        self.execute(f"DELETE FROM seats WHERE match IN ({marks})", numbers)
        return self.execute(f"DELETE FROM matches WHERE id IN ({marks})", numbers).rowcount

    def evict(self, max_bytes: int) -> int:
        """Remove matches if they take too much: those of least `Worth` first, and the oldest of these.

        Args:
            max_bytes: What matches may take; a tenth less is left. Those that were put since the last call
                stay.

        Returns:
            How many were removed.
        """
        fresh, self._fresh = self._fresh, set()
        removed, used = 0, self.count_match_bytes()
        if used <= max_bytes:
            return 0
        while used > max_bytes * (1.0 - _CLEARED_SHARE):
            numbers = self._list_least_worth(fresh)
            if not numbers:
                break
            removed += self.remove_matches(numbers)
            used = self.count_match_bytes()
        return removed

    def count_match_bytes(self) -> int:
        """Return about what the matches take in the file."""
        return int(self.execute("SELECT total(bytes) FROM matches").fetchone()[0])

    def _list_least_worth(self, kept: Collection[int]) -> list[int]:
        """Return the numbers of the next matches to remove."""
        rows = self.execute("SELECT id FROM matches ORDER BY worth, id LIMIT ?", (50 + len(kept),))
        return [number for row in rows if (number := int(row[0])) not in kept][:50]


def _find_worth(game: ArchivedGame) -> Worth:
    if any(seat.owner for seat in game.seats):
        return Worth.OWNED
    if game.is_trifle:
        return Worth.TRIFLE
    is_named = any(seat.kind == OpponentKind.PERSON and not is_nobody(seat.name) for seat in game.seats)
    return Worth.NAMED if is_named else Worth.NAMELESS


def _score_seat(game: ArchivedGame, seat: int) -> float | None:
    """Return 1 for a match won, 0 for one lost, 0.5 for a draw; None while it goes on."""
    if game.length:
        return None if game.match_winner is None else float(game.match_winner == seat)
    return 0.5 if game.winner is None else float(game.winner == seat)


def unpack_text(packed: object) -> str:
    """Return a text as it was packed.

    Raises:
        DataFileError: It is damaged.
    """
    return unpack(packed).decode("utf-8", "replace")


def unpack(packed: object) -> bytes:
    """Return bytes as they were packed.

    Raises:
        DataFileError: They are damaged.
    """
    try:
        return zlib.decompress(packed)  # type: ignore[arg-type]
    except (TypeError, zlib.error) as error:
        raise DataFileError(
            "a record of the archive is not as it was written: the disk has a fault"
        ) from error
