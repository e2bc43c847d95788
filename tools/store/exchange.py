"""Entries of a store written as text, and taken in."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from engine.errors import DataFileError
from engine.runtime.exit_codes import EXIT_FAULTS, EXIT_OK
from engine.runtime.output_files import open_output
from engine.store.database import StoreDatabase
from engine.store.exchange import MAX_LINE_BYTES, check_header, format_rows, parse_row
from engine.store.options import read_store_options
from engine.store.rows import BadRow, StoreRow
from engine.store.store_file import make_data_folder
from engine.wording import format_count
from tools.store.files import open_store

_ROWS_A_STEP = 500
_SHOWN_FAULTS = 10


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
    try:
        if output is None:
            for line in lines:
                sys.stdout.write(line.decode())
        else:
            with open_output(output) as out:
                out.writelines(lines)
    except OSError as error:
        raise DataFileError(f"{output} cannot be written: {error.strerror}", field="output") from error
    sys.stderr.write(f"gammond: {format_count(found['rows'], 'entry', 'entries')} exported\n")
    if found["bad"]:
        damaged = format_count(found["bad"], "damaged entry", "damaged entries")
        sys.stderr.write(f"gammond: {damaged} left out: see `gammond store verify`\n")
    return EXIT_FAULTS if found["bad"] else EXIT_OK


def import_entries(file: Path, sources: list[Path]) -> int:
    """Take the entries of files, some at a time, so that servers can write in between."""
    try:
        make_data_folder(file)
    except OSError as error:
        raise DataFileError(f"{file.parent} cannot be made: {error.strerror}", field="file") from error
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
