"""Entries of a store as text: a JSON object a line, for other machines and for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec
import numpy as np

from engine.errors import DataFileError
from engine.store.entries import MAX_PAYLOAD_BYTES, EngineIdentity, StoreEntry, StoreQuestion
from engine.store.rows import StoreRow

HEADER = {"format": "gammond-store", "version": 1}
"""The first line."""

MAX_LINE_BYTES = 8 * MAX_PAYLOAD_BYTES

_HASH = re.compile(r"[0-9a-f]{64}")
_MAX_NAME = 200
_LATEST_S = 1 << 40


class _Line(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An entry; the fields are those of `StoreQuestion`, `EngineIdentity`, `StoreEntry` and `StoreRow`."""

    xgid: str
    rules: str
    settings: str
    net: str
    nets: str
    tables: str
    program: str
    plies: int
    values: list[list[float]]
    order: list[int]
    depths: list[int]
    survivors: int
    visits: int
    asked: int
    created: int


def format_rows(rows: Iterable[StoreRow]) -> Iterator[bytes]:
    """Return rows as lines, each with its end."""
    yield msgspec.json.encode(HEADER) + b"\n"
    for row in rows:
        engine, entry = row.engine, row.entry
        assert isinstance(entry, StoreEntry)  # no other game's entries are written
        line = _Line(
            *row.question,
            engine.net,
            engine.nets,
            engine.tables,
            engine.program,
            entry.plies,
            entry.values.tolist(),
            entry.order.tolist(),
            entry.depths.tolist(),
            entry.survivors,
            row.visits,
            row.asked,
            row.created,
        )
        yield msgspec.json.encode(line) + b"\n"


def check_header(line: bytes) -> None:
    """Check the first line of a file.

    Raises:
        DataFileError: It is not that of entries.
    """
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        found = None
    if found != HEADER:
        expected = msgspec.json.encode(HEADER).decode()
        raise DataFileError(f"expected entries of a store, beginning with the line {expected}")


def parse_row(line: bytes) -> StoreRow:
    """Read a line with an entry.

    Raises:
        DataFileError: It is no entry, or one with impossible values.
    """
    if len(line) > MAX_LINE_BYTES:
        raise DataFileError(f"expected at most {MAX_LINE_BYTES} bytes, got {len(line)}")
    try:
        found = msgspec.json.decode(line, type=_Line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataFileError(f"expected an entry of a store: {error}") from error
    question = StoreQuestion(found.xgid, found.rules, found.settings)
    _, match = question.read()
    engine = EngineIdentity(found.net, found.nets, found.tables, found.program)
    if not (_HASH.fullmatch(found.nets) and _HASH.fullmatch(found.tables)):
        raise DataFileError("expected nets and tables as 64 hexadecimal digits")
    for name in (found.net, found.program):
        if not (0 < len(name) <= _MAX_NAME and name.isprintable()):
            raise DataFileError(f"expected a name, got {name[:40]!r}")
    if not all(0 <= number < _LATEST_S for number in (found.visits, found.asked, found.created)):
        raise DataFileError("expected visits and times of 0 or more")
    entry = _make_entry(found)
    if match.roll is None and len(entry.values) != 1:
        raise DataFileError(f"expected the values of one position, got {len(entry.values)} rows")
    return StoreRow(question, engine, entry, found.visits, found.asked, found.created)


def _make_entry(line: _Line) -> StoreEntry:
    try:
        values = np.array(line.values, np.float64)
        with np.errstate(over="ignore"):
            narrow = values.astype(np.float32)
        order, depths = np.array(line.order, np.int64), np.array(line.depths, np.int8)
    except (ValueError, OverflowError) as error:
        raise DataFileError(f"expected rows of one length and whole numbers: {error}") from error
    if values.ndim != 2 or not np.array_equal(narrow.astype(np.float64), values):
        raise DataFileError("expected rows of values in single precision")
    return StoreEntry(line.plies, narrow, order, depths, line.survivors)
