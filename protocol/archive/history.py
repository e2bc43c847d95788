"""Answers about kept matches, by keys: lists of them, one of them, its record; and their removal."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gammond.engine.errors import FormatError, StateError, UnsupportedError
from gammond.engine.match_analysis.statistics import round_value
from gammond.engine.match_files.model import RecordedMatch
from gammond.protocol.archive.database import ArchiveDatabase, unpack, unpack_text
from gammond.protocol.archive.players import describe_rating, make_total
from gammond.protocol.archive.records import MAT, SGF, TEXT, OpponentKind
from gammond.protocol.tables.seats import is_token

MAX_LISTED = 100
"""Matches in one answer."""

REMOVED_NAME = "anonymous"
"""Who removed a match against another person has this name in it from then on."""


@dataclass(frozen=True)
class RecordFile:
    """The record of a match as a file.

    Attributes:
        name: Of the file.
        media_type: Its type.
        content: What is in it.
    """

    name: str
    media_type: str
    content: bytes


def list_matches(
    database: ArchiveDatabase, player: str | None, variant: str | None, before: int | None, limit: int
) -> dict[str, object]:
    """Return a page of matches, the newest first; arguments as for `ArchiveDatabase.list_matches`."""
    rows = database.list_matches(player, variant, before, limit)
    matches = [_describe_match(row, database.list_seats(row["id"])) for row in rows]
    return {"games": matches, "next": rows[-1]["id"] if len(rows) == limit else None}


def describe_match(database: ArchiveDatabase, number: int) -> dict[str, object] | None:
    """Return all that is known of a match; None if there is none.

    Raises:
        DataFileError: Its row is damaged.
    """
    row = database.find_match(number)
    if row is None:
        return None
    document = None if row["document"] is None else json.loads(unpack(row["document"]))
    record = {"format": row["format"], "text": unpack_text(row["record"])} if row["format"] else None
    return {
        **_describe_match(row, database.list_seats(number)),
        "record": record,
        "document": document,
    }


def make_file(database: ArchiveDatabase, number: int, wanted: str) -> RecordFile | None:
    """Return the record of a match as a file; None if there is no such match.

    Args:
        database: The archive.
        number: The match.
        wanted: The format: `TEXT`, or one of `gammond.engine.match_files.writing.MATCH_FORMATS`.

    Raises:
        DataFileError: Its row is damaged.
        UnsupportedError: The match has no record in this format.
    """
    row = database.find_match(number)
    if row is None:
        return None
    from gammond.engine.match_files.writing import MATCH_FORMATS  # here: a server starts without the readers

    kept, text = row["format"], unpack_text(row["record"])
    content = text.encode()
    if kept == SGF and wanted not in (SGF, TEXT):
        try:
            content = MATCH_FORMATS[wanted].write(_read_record(text))
        except FormatError as error:
            raise UnsupportedError(f"this match cannot be written as .{wanted}: {error.message}") from error
    elif kept != wanted:
        has = f"it has .{kept}" if kept else "it has none"
        raise UnsupportedError(f"this match has no record as .{wanted}: {has}")
    ending = "txt" if wanted == TEXT else wanted
    media_type = MATCH_FORMATS[MAT if wanted == TEXT else wanted].media_type
    return RecordFile(f"gammond-{number}.{ending}", media_type, content)


def find_own_seats(seats: Sequence[sqlite3.Row], tokens: Sequence[str], owner: str) -> list[int]:
    """Return the seats of a match that belong to somebody.

    Args:
        seats: Their rows.
        tokens: Secrets of seats that he has.
        owner: What marks the account that he is logged in to (`Accounts.find_owner`); empty for none.
    """
    return [
        row["seat"]
        for row in seats
        if row["kind"] == OpponentKind.PERSON
        and (
            (owner and row["owner"] == owner)
            or (row["token"] and any(is_token(token, row["token"]) for token in tokens))
        )
    ]


def remove_match(database: ArchiveDatabase, number: int, tokens: Sequence[str], owner: str) -> bool:
    """Remove a match, or where another person played, one's name from it; within a write.

    Args:
        database: The archive.
        number: The match.
        tokens: As for `find_own_seats`.
        owner: As for `find_own_seats`.

    Returns:
        Whether there is such a match.

    Raises:
        StateError: It belongs to others.
    """
    seats = database.list_seats(number)
    if not seats:
        return False
    own = find_own_seats(seats, tokens, owner)
    if not own:
        raise StateError(
            "this game is not yours: the token of a seat of it shows that, or a login as when it was played",
            field="token",
        )
    others = [row for row in seats if row["kind"] == OpponentKind.PERSON and row["seat"] not in own]
    if any(row["folded"] != REMOVED_NAME for row in others):
        for seat in own:
            _remove_name(database, number, seat)
    else:
        database.remove_matches([number])
    return True


def remove_matches_of(database: ArchiveDatabase, owner: str) -> int:
    """Remove all matches of an account, as `remove_match`; within a write. Return how many there were."""
    rows = database.execute("SELECT DISTINCT match FROM seats WHERE owner = ?", (owner,)).fetchall()
    return sum(remove_match(database, row[0], (), owner) for row in rows)


def _describe_match(row: sqlite3.Row, seats: Sequence[sqlite3.Row]) -> dict[str, object]:
    return {
        "id": row["id"],
        "table": row["table_id"],
        "variant": row["variant"],
        "length": row["length"],
        "games": row["games"],
        "result": row["result"],
        "started": row["started"],
        "ended": row["ended"],
        "is_over": bool(row["is_over"]),
        "has_help": bool(row["has_help"]),
        "is_rated": bool(row["is_rated"]),
        "format": row["format"],
        "analysis": row["analysis"],
        "method": row["method"],
        "seats": [_describe_seat(seat) for seat in seats],
    }


def _describe_seat(row: sqlite3.Row) -> dict[str, object]:
    rating: dict[str, object] = {}
    if row["counted"] is not None:
        rating = {
            **describe_rating(make_total(row)),
            "errors": row["errors"],
            "blunders": row["blunders"],
            "luck": round_value(row["luck"]),
            "luck_mwc": round_value(row["luck_mwc"]),
        }
    return {
        "kind": row["kind"],
        "name": row["name"],
        "points": row["points"],
        "score": row["score"],
        "is_owned": bool(row["owner"]),
        "rating": rating or None,
    }


def _read_record(text: str) -> RecordedMatch:
    from gammond.engine.match_files.reading import read_matches  # here: a server starts without the readers

    return read_matches(text.encode(), name="record")[0]


def _remove_name(database: ArchiveDatabase, number: int, seat: int) -> None:
    row = database.find_match(number)
    assert row is not None
    text, document = unpack_text(row["record"]), None
    if row["document"] is not None:
        found = json.loads(unpack(row["document"]))
        found["names"][seat] = REMOVED_NAME
        document = json.dumps(found).encode()
    if row["format"] == SGF:
        from gammond.engine.match_files.sgf.writer import format_sgf

        match = _read_record(text)
        names = list(match.names)
        names[seat] = REMOVED_NAME
        text = format_sgf(replace(match, names=(names[0], names[1])))
    elif row["format"]:
        text = ""  # whose it is can be read in it
    database.rename_seat(number, seat, REMOVED_NAME, text, document)
