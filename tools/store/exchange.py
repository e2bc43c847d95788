"""Entries of a store as text, a JSON object a line, for other machines and for people."""

from __future__ import annotations

import itertools
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np

from gammond.engine.analysis.engine_store import read_question
from gammond.engine.errors import DataFileError
from gammond.engine.runtime.exit_codes import EXIT_FAULTS, EXIT_OK
from gammond.engine.runtime.files import make_data_folder, open_output
from gammond.engine.store.database import BadRow, StoreDatabase, StoreRow
from gammond.engine.store.entries import MAX_PAYLOAD_BYTES, EngineIdentity, StoreEntry, StoreQuestion
from gammond.engine.store.options import read_store_options
from gammond.engine.wording import format_count
from gammond.tools.common.files import name_in_errors
from gammond.tools.store.files import open_store

HEADER = {"format": "gammond-store", "version": 1}
"""The first line."""

MAX_LINE_BYTES = 8 * MAX_PAYLOAD_BYTES

_HASH = re.compile(r"[0-9a-f]{64}")
_MAX_NAME = 200
_LATEST_S = 1 << 40
_ROWS_A_STEP = 500
_SHOWN_FAULTS = 10


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
    _, match, _ = read_question(question)
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


def export_entries(database: StoreDatabase, output: Path | None) -> int:
    """Write all entries, to a file or standard output; return the exit code.

    Raises:
        DataFileError: The file cannot be written.
    """
    found = {"rows": 0, "bad": 0}

    def list_good() -> Iterator[StoreRow]:
        for row in database.iterate():
            if isinstance(row, BadRow):
                found["bad"] += 1
            else:
                found["rows"] += 1
                yield row

    lines = format_rows(list_good())
    if output is None:
        for line in lines:
            sys.stdout.write(line.decode())
    else:
        with name_in_errors(output, "written", "output"), open_output(output) as out:
            out.writelines(lines)
    sys.stderr.write(f"gammond: {format_count(found['rows'], 'entry', 'entries')} exported\n")
    if found["bad"]:
        damaged = format_count(found["bad"], "damaged entry", "damaged entries")
        sys.stderr.write(f"gammond: {damaged} left out: see `gammond store verify`\n")
    return EXIT_FAULTS if found["bad"] else EXIT_OK


def import_entries(file: Path, sources: Sequence[Path]) -> int:
    """Take the entries of files, some at a time, so that servers can write in between."""
    with name_in_errors(file.parent, "made", "file"):
        make_data_folder(file)
    read = new = faults = 0
    max_bytes = read_store_options().max_bytes
    with open_store(file) as database:
        for source in sources:

            def report(place: int, error: DataFileError, source: Path = source) -> None:
                nonlocal faults
                faults += 1
                if faults <= _SHOWN_FAULTS:
                    sys.stderr.write(f"gammond: {source}, line {place}: {error.message}\n")

            rows = _read_rows(source, report)
            while step := list(itertools.islice(rows, _ROWS_A_STEP)):
                with database.write():
                    new += sum(map(database.put_row, step))
                    database.evict(max_bytes, int(time.time()))
                read += len(step)
    sys.stdout.write(f"{format_count(read, 'entry', 'entries')} read, {new:,} of them new\n")
    if faults > _SHOWN_FAULTS:
        sys.stderr.write(f"gammond: {faults} lines in all are no entries\n")
    return EXIT_FAULTS if faults else EXIT_OK


def _read_rows(source: Path, report: Callable[[int, DataFileError], None]) -> Iterator[StoreRow]:
    """Read the rows of a file; what is none is reported with its line.

    Raises:
        DataFileError: The file cannot be read, or is of another kind.
    """
    try:
        with source.open("rb") as lines:
            check_header(lines.readline(MAX_LINE_BYTES))
            place = 1
            while line := lines.readline(MAX_LINE_BYTES + 1):
                place += 1
                try:
                    yield parse_row(line)
                except DataFileError as error:
                    report(place, error)
    except OSError as error:
        raise DataFileError(f"{source} cannot be read: {error.strerror}", field="files") from error
    except DataFileError as error:
        raise DataFileError(f"{source}: {error.message}", field="files") from error
