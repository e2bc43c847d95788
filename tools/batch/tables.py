"""The input of `gammond batch`, whatever it is: plain lines, a table with a header, JSON lines, parquet."""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gammond.engine.errors import FormatError, GammondError, LimitError, UnsupportedError, ValueRangeError
from gammond.engine.formats.position_text import FORMATS, find_position
from gammond.engine.formats.snowie import is_snowie
from gammond.engine.match_files.reading import (
    MAX_FILE_BYTES,
    decode_text,
    holds_positions,
    read_head,
    read_positions,
    recognise_format,
)
from gammond.engine.options import MAX_QUOTED_CHARS, did_you_mean
from gammond.tools.batch.lines import PLAIN_COLUMNS, LineStream, PositionLine, decode_lines, read_lines
from gammond.tools.batch.rows import read_parquet

POSITION_COLUMNS = (*FORMATS, "gnubgid", "positionid", "position", "id")
"""Columns that hold positions, the first of them where a table has several: lower case, letters only."""

MAX_TABLE_LINE_BYTES = 1 << 16
MAX_CELL_LINES = 50
"""Lines that a cell in quotes may have."""

_MATCH_COLUMNS = ("matchid",)
_DICE_COLUMNS = ("dice", "roll", "die1", "die2")
_DELIMITERS = "\t;,"
_NOT_A_LETTER = re.compile(r"[^a-z0-9]")
_HEAD_LINES = 40
_MAX_SKIPPED_LINES = 1000
_PARQUET_MAGIC = b"PAR1"


@dataclass(frozen=True)
class PositionInput:
    """Positions with the columns that are carried over to their rows.

    Attributes:
        columns: Their names.
        lines: The lines, each with a cell for each of them.
        count: How many lines; None where that is not known.
    """

    columns: tuple[str, ...]
    lines: Iterator[PositionLine]
    count: int | None = None


class _LineSource:
    """A stream whose first lines can be looked at before they are read."""

    def __init__(self, stream: LineStream) -> None:
        self._stream = stream
        self._ahead: deque[bytes] = deque()

    def readline(self, limit: int, /) -> bytes:
        """Read a line, or as much of it as the limit allows."""
        if not self._ahead:
            return self._stream.readline(limit)
        line = self._ahead.popleft()
        if len(line) > limit:
            self._ahead.appendleft(line[limit:])
        return line[:limit]

    def put_back(self, lines: Sequence[bytes]) -> None:
        """Make lines the next ones."""
        self._ahead.extendleft(reversed(lines))

    def find_line(self, skipped: int = 0) -> bytes:
        """Return the first line that is neither blank nor a comment, and leave all to be read.

        Args:
            skipped: How many such lines come before the one that is returned.
        """
        seen: list[bytes] = []
        while line := self.readline(MAX_TABLE_LINE_BYTES):
            seen.append(line)
            bare = line.removeprefix(b"\xef\xbb\xbf").strip()
            skipped -= bool(bare and not bare.startswith(b"#"))
            if skipped < 0 or len(seen) == _MAX_SKIPPED_LINES:
                break
        self.put_back(seen)
        return line

    def look_ahead(self) -> bytes:
        """Return the first lines, and leave all to be read: two of a list of positions, else some more."""
        seen: list[bytes] = []
        while len(seen) < _HEAD_LINES and (line := self.readline(MAX_TABLE_LINE_BYTES)):
            seen.append(line)
            said = [each for each in seen if each.strip()]
            if len(said) > 1 and find_position(said[0].decode("utf-8-sig", "replace")):
                break
        self.put_back(seen)
        return b"".join(seen)

    def read_rest(self, limit: int) -> bytes:
        """Read to the end, or as far as the limit allows."""
        content = bytearray()
        while len(content) < limit and (line := self.readline(limit)):
            content += line
        return bytes(content)


class _TableColumns:
    """Where the position, its match state and its dice stand in a table.

    Args:
        names: Of all columns.
        wanted: The column of positions; None for one of `POSITION_COLUMNS`.
        dropped: Columns that are not carried over: the rows have their own of these names.

    Raises:
        ValueRangeError: There is no such column.
    """

    def __init__(self, names: Sequence[str], wanted: str | None, dropped: Collection[str]) -> None:
        plain = [_simplify(name) for name in names]
        places = {name: place for place, name in reversed(list(enumerate(plain)))}
        self.position = _find_column(names, wanted, places)
        self._match = next((places[name] for name in _MATCH_COLUMNS if name in places), None)
        dice = [places[name] for name in _DICE_COLUMNS if name in places]
        is_pair = "die1" in places and "die2" in places and "dice" not in places and "roll" not in places
        self._dice = [places["die1"], places["die2"]] if is_pair else dice[:1]
        self._carried = [place for place, name in enumerate(names) if name not in dropped]
        self.carried = tuple(names[place] for place in self._carried)

    def make_line(self, number: int, row: Sequence[Any]) -> PositionLine:
        """Make the line of a row, which has a cell for each column."""
        text = _show(row[self.position]).strip()
        if self._match is not None and self._match != self.position and ":" not in text:
            text = ":".join(filter(None, (text, _show(row[self._match]).strip())))
        dice = " ".join(_show(row[place]) for place in self._dice if place != self.position).strip()
        return PositionLine(number, text, tuple([row[place] for place in self._carried]), dice)


def open_input(
    stream: LineStream, path: Path | None, column: str | None, dropped: Collection[str]
) -> PositionInput:
    """Recognise the input by its beginning, and open it.

    A file of positions that is no list (`gammond.engine.match_files.reading.holds_positions`) is read whole:
    its columns are the position and, if somebody wrote about one of them, the comment on one line.

    Args:
        stream: The input, at its beginning.
        path: Its file; None where it is none.
        column: The column of positions; None for one of `POSITION_COLUMNS` where the input is a table.
        dropped: Columns of tables that are not carried over.

    Raises:
        ValueRangeError: The table has no such column, or none whose name tells that it holds positions.
        FormatError: The input cannot be read.
        UnsupportedError: It is parquet, and no file, or pyarrow is missing.
        GammondError: As `read_positions`; it is a match file, for example.
    """
    if path is not None and path.is_file() and _is_no_list(read_head(path)):
        return _open_positions(read_head(path, MAX_FILE_BYTES + 1), str(path))
    source = _LineSource(stream)
    first = source.find_line()
    if path is None and _is_no_list(source.look_ahead()):
        return _open_positions(source.read_rest(MAX_FILE_BYTES + 1), "the input")
    if first.startswith(_PARQUET_MAGIC):
        if path is None:
            raise UnsupportedError("parquet is read from a file, not from a pipe", field="file")
        names, rows = read_parquet(path)
        columns = _TableColumns(names, column, dropped)
        return PositionInput(
            columns.carried, (columns.make_line(number, row) for number, row in enumerate(rows, 1))
        )
    header = first.decode("utf-8-sig", "replace").strip()
    if header.startswith("{"):
        return _open_json(source, header, column, dropped)
    delimiter = max(_DELIMITERS, key=header.count)
    names = tuple(_split_cells([header], delimiter))
    if column is not None and (header_position := _find_position([header, *names])):
        raise ValueRangeError(
            f"--column is for tables with a header: the first line holds the position {header_position!r}; "
            "remove --column, or put a line with the names of the columns before it",
            field="column",
        )
    has_names = bool(set(map(_simplify, names)) & set(POSITION_COLUMNS)) and not is_snowie(header)
    if column is None and not has_names:
        if len(names) > 1 and not _find_position([header]):
            _refuse_unknown_columns(names, source.find_line(1).decode("utf-8", "replace"), delimiter)
        return PositionInput(PLAIN_COLUMNS, read_lines(source))
    columns = _TableColumns(names, column, dropped)
    return PositionInput(columns.carried, _read_table(source, columns, len(names), delimiter))


def _is_no_list(head: bytes) -> bool:
    """Return whether an input is to be read whole: a match file, or positions with what was said of them."""
    if holds_positions(head):
        return True
    is_match = recognise_format(head) is not None
    return is_match and not any(map(find_position, decode_text(head).splitlines()))


def _open_positions(content: bytes, name: str) -> PositionInput:
    found = read_positions(content, name=name)
    comments = [" ".join(each.notes.comment.split()) for each in found]
    columns = (*PLAIN_COLUMNS, "comment") if any(comments) else PLAIN_COLUMNS
    rows = enumerate(zip([each.xgid for each in found], comments, found, strict=True), 1)
    lines = (
        PositionLine(
            number, text, (text, comment)[: len(columns)], comment=comment, unkept=tuple(each.unkept)
        )
        for number, (text, comment, each) in rows
    )
    return PositionInput(columns, lines, len(found))


def _split_cells(lines: Sequence[str], delimiter: str) -> list[str]:
    """Return the cells of a row, in which a carriage return is a blank.

    Raises:
        FormatError: They cannot be told apart, or one is too large.
    """
    try:
        return next(csv.reader([line.replace("\r", " ") for line in lines], delimiter=delimiter), [])
    except csv.Error as error:
        raise FormatError(f"expected a row of a table: {error}", field="file") from error


def _find_position(texts: Sequence[str]) -> str:
    """Return the first of some texts that is a position; empty if none is."""
    found = decode_lines([PositionLine(0, text.strip(), ()) for text in texts])
    return next((text for text, is_good in zip(texts, found.is_good, strict=True) if is_good), "")


def _refuse_unknown_columns(names: Sequence[str], second: str, delimiter: str) -> None:
    """Refuse a table with positions in a column that `POSITION_COLUMNS` does not have.

    Args:
        names: The cells of the first line.
        second: The line that follows.
        delimiter: Between the cells.

    Raises:
        ValueRangeError: The first line is a header: the cell below one of its names is a position.
    """
    row = _split_cells([second], delimiter)
    text = _find_position(row) if len(row) == len(names) else ""
    if text:
        raise ValueRangeError(
            f"expected one of the columns {', '.join(POSITION_COLUMNS)}, the input has {_list_names(names)}: "
            f"--column {shlex.quote(names[row.index(text)].strip())}",
            field="column",
        )


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(name[:MAX_QUOTED_CHARS] for name in names)[:200]


def _find_column(names: Sequence[str], wanted: str | None, places: Mapping[str, int]) -> int:
    if wanted is None:
        return next(places[name] for name in POSITION_COLUMNS if name in places)
    for place, name in enumerate(names):
        if name == wanted or _simplify(name) == _simplify(wanted):
            return place
    raise ValueRangeError(
        f"expected a column {wanted!r}, the input has {_list_names(names)}{did_you_mean(wanted, names)}",
        field="column",
    )


def _read_table(
    source: _LineSource, columns: _TableColumns, width: int, delimiter: str
) -> Iterator[PositionLine]:
    """Read the rows of a table behind its header; blank lines and comments before the header have none."""
    number, is_header_read = 0, False
    while raw := source.readline(MAX_TABLE_LINE_BYTES):
        number += 1
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8", "replace")
        if not text.strip() or (not is_header_read and text.lstrip().startswith("#")):
            continue
        if not is_header_read:
            is_header_read = True
            continue
        extra = _read_quoted_lines(source, text) if text.count('"') % 2 else []
        row: list[str] = []
        fault: GammondError | None = None
        try:
            row = _split_cells([text, *extra], delimiter)
        except FormatError as error:
            fault = error
        cells: list[str] = [" ".join(cell.split()) for cell in row]
        line = columns.make_line(number, (cells + [""] * width)[:width])
        if len(raw) == MAX_TABLE_LINE_BYTES and not raw.endswith(b"\n"):
            fault = LimitError(f"a line of a table has at most {MAX_TABLE_LINE_BYTES} bytes", field="file")
            while (rest := source.readline(MAX_TABLE_LINE_BYTES)) and not rest.endswith(b"\n"):
                pass
        elif len(row) > width:
            fault = FormatError(f"expected {width} columns, got {len(row)}", field="file")
        if fault is not None:
            line = line._replace(error=fault, text="")
        number += len(extra)
        yield line


def _read_quoted_lines(source: _LineSource, text: str) -> list[str]:
    """Read the further lines of a cell that has line ends; none where its quote is never closed."""
    lines: list[bytes] = []
    while len(lines) < MAX_CELL_LINES and (line := source.readline(MAX_TABLE_LINE_BYTES)):
        lines.append(line)
        if line.count(b'"') % 2:
            return [each.decode("utf-8", "replace") for each in lines]
    source.put_back(lines)
    return []


def _open_json(
    source: _LineSource, first: str, column: str | None, dropped: Collection[str]
) -> PositionInput:
    names = tuple(_parse_object(first))
    if column is None and not set(map(_simplify, names)) & set(POSITION_COLUMNS):
        raise FormatError(
            f"expected objects with one of {', '.join(POSITION_COLUMNS)}, or --column, got {first[:60]!r}",
            field="file",
        )
    columns = _TableColumns(names, column, dropped)

    def read() -> Iterator[PositionLine]:
        number = 0
        while raw := source.readline(MAX_TABLE_LINE_BYTES):
            number += 1
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8", "replace").strip()
            if not text or text.startswith("#"):
                continue
            try:
                entry = _parse_object(text)
            except FormatError as error:
                line = columns.make_line(number, [""] * len(names))
                yield line._replace(error=error, text="")
                continue
            yield columns.make_line(number, [entry.get(name) for name in names])

    return PositionInput(columns.carried, read())


def _parse_object(text: str) -> dict[str, Any]:
    try:
        entry = json.loads(text)
    except ValueError:
        entry = None
    if not isinstance(entry, dict):
        raise FormatError(f"expected a JSON object, got {text[:60]!r}", field="file")
    return entry


def _simplify(name: str) -> str:
    return _NOT_A_LETTER.sub("", name.lower())


def _show(value: object) -> str:
    return "" if value is None else str(value)
