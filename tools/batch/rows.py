"""The rows that `gammond batch` writes as csv, JSON lines or parquet, and how each is read back."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from gammond.engine.errors import DataFileError, GammondError, missing_package

Cell = float | int | str | None
"""What stands in a row; None for nothing."""

Columns = dict[str, list[Cell]]
"""Cells by column, in the order of the columns, with one cell for each position."""

LINE_COLUMN = "line"
"""The first column, if asked for: the number of the input's line."""

ERROR_COLUMN = "error"
"""The last column: why a row has no numbers."""

SAME_OPTIONS = "give the same --want, --ids and other options as before, or --force in place of --resume"

_MAX_SHOWN_CHARACTERS = 80

_BLOCK_ROWS = 4096
_NAMES_OF_NUMBERS = ("line", "plies", "trials")


class RowFormat(Protocol):
    """One way to write rows; every row ends with a newline and holds no other.

    Attributes:
        name: What ``--format`` calls it.
        header: The first line of a file; empty if there is none.
    """

    name: str
    header: str

    def format_rows(self, columns: Mapping[str, Sequence[Any]]) -> str:
        """Format rows, given by columns."""
        ...

    def parse_row(self, row: str) -> dict[str, Any]:
        """Parse a row, given without its line end, into cells by column; empty ones are left out.

        Raises:
            ValueError: It is none; the message says what was expected and found.
        """
        ...

    def show_cell(self, cell: object) -> object:
        """Return what `parse_row` gives for a cell of the input that was carried over; None for nothing."""
        ...


class CsvRows:
    """Cells between commas or tabs, with a header.

    Args:
        columns: The columns.
        delimiter: What stands between cells.
    """

    def __init__(self, columns: Sequence[str], delimiter: str = ",") -> None:
        self.name = "csv" if delimiter == "," else "tsv"
        self._columns = tuple(columns)
        self._delimiter = delimiter
        self.header = delimiter.join(map(self._quote, self._columns)) + "\n"

    def format_rows(self, columns: Mapping[str, Sequence[Any]]) -> str:
        """Format rows, given by columns."""
        formats, cells = [], []
        for name in self._columns:
            kinds = set(map(type, columns[name]))
            if kinds == {type(None)}:
                formats.append("")
            elif kinds == {float}:
                formats.append("%.6f")
                cells.append(columns[name])
            elif kinds == {float, type(None)}:
                formats.append("%s")
                cells.append(["" if cell is None else f"{cell:.6f}" for cell in columns[name]])
            else:
                formats.append("%s")
                is_plain = kinds == {int} or (
                    kinds == {str} and not self._needs_quotes("".join(columns[name]))
                )
                cells.append(columns[name] if is_plain else list(map(self._format_cell, columns[name])))
        template = self._delimiter.join(formats) + "\n"
        return "".join([template % row for row in zip(*cells, strict=True)])

    def parse_row(self, row: str) -> dict[str, Any]:
        """Parse a row, given without its line end; raise ValueError if it is none."""
        try:
            cells = next(csv.reader([row], strict=True, delimiter=self._delimiter))
        except (StopIteration, csv.Error):
            cells = []
        if len(cells) != len(self._columns):
            raise ValueError(f"expected {self.header.strip()}, found {row[:_MAX_SHOWN_CHARACTERS]!r}")
        return {name: cell for name, cell in zip(self._columns, cells, strict=True) if cell}

    def show_cell(self, cell: object) -> object:
        """Return what `parse_row` gives for a cell of the input."""
        if isinstance(cell, float):
            return f"{cell:.6f}"
        return None if cell is None else _join(str(cell)) or None

    def _format_cell(self, cell: object) -> str:
        if isinstance(cell, float):
            return f"{cell:.6f}"
        return "" if cell is None else self._quote(str(cell))

    def _needs_quotes(self, text: str) -> bool:
        return self._delimiter in text or '"' in text or not text.isprintable()

    def _quote(self, text: str) -> str:
        if self._needs_quotes(text):
            return '"' + _join(text.replace('"', '""')) + '"'
        return text


def _join(text: str) -> str:
    """Return a text as one line."""
    return text.replace("\n", " ").replace("\r", " ")


class JsonRows:
    """One JSON object a line, without the cells that are empty.

    Args:
        columns: The columns.
    """

    name = "jsonl"
    header = ""

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = tuple(columns)

    def format_rows(self, columns: Mapping[str, Sequence[Any]]) -> str:
        """Format rows, given by columns."""
        cells = [list(map(_format_pair, repeat(json.dumps(name)), columns[name])) for name in self._columns]
        return "".join([f"{{{', '.join(filter(None, row))}}}\n" for row in zip(*cells, strict=True)])

    def parse_row(self, row: str) -> dict[str, Any]:
        """Parse a row, given without its line end; raise ValueError if it is none."""
        try:
            entry = json.loads(row)
        except ValueError:
            entry = None
        if not isinstance(entry, dict):
            raise ValueError(f"expected a JSON object, found {row[:_MAX_SHOWN_CHARACTERS]!r}")
        if unknown := [name for name in entry if name not in self._columns]:
            raise ValueError(f"this run has no {', '.join(unknown)}: {SAME_OPTIONS}")
        return entry

    def show_cell(self, cell: object) -> object:
        """Return what `parse_row` gives for a cell of the input."""
        return round(cell, 6) if isinstance(cell, float) else cell


ROW_FORMATS: dict[str, Callable[[Sequence[str]], RowFormat]] = {
    "csv": CsvRows,
    "tsv": lambda columns: CsvRows(columns, "\t"),
    "jsonl": JsonRows,
}
"""Name for ``--format`` -> the format, given the columns."""


def detect_format(first_line: bytes) -> str:
    """Detect the format of a file by its first line."""
    return "jsonl" if first_line.startswith(b"{") else "tsv" if b"\t" in first_line else "csv"


def format_error(error: GammondError) -> str:
    """Format an error: its code, a colon and the message, on one line."""
    return " ".join(f"{error.row_code}: {error.message}".split())


def _format_pair(name: str, cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{name}: {cell:.6f}"
    if isinstance(cell, str) and cell.isprintable() and '"' not in cell and "\\" not in cell:
        return f'{name}: "{cell}"'
    return f"{name}: {json.dumps(cell, ensure_ascii=False, default=str)}"


class ParquetRows:
    """A parquet file, in columns with types, that is written block by block, used as a context manager.

    The columns of the input keep the types of their first block.

    Args:
        path: The file.
        carried: The columns of the input.
        texts: Those of the other columns that hold text.

    Raises:
        UnsupportedError: pyarrow is missing.
    """

    def __init__(self, path: Path, carried: Sequence[str], texts: Sequence[str]) -> None:
        self._arrow, self._parquet = _import_pyarrow()
        self._path = path
        self._carried = frozenset(carried)
        self._texts = frozenset(texts)
        self._writer: Any = None

    def __enter__(self) -> ParquetRows:
        return self

    def write(self, columns: Mapping[str, Sequence[object]]) -> None:
        """Write a block of rows."""
        arrow = self._arrow
        if self._writer is None:
            fields = [arrow.field(name, self._choose_type(name, cells)) for name, cells in columns.items()]
            self._writer = self._parquet.ParquetWriter(self._path, arrow.schema(fields))
        try:
            self._writer.write_table(arrow.table(dict(columns), schema=self._writer.schema))
        except (arrow.ArrowInvalid, arrow.ArrowTypeError) as error:
            raise DataFileError(
                f"a column of the input changes its type, which parquet does not allow ({error}): write csv",
                field="output",
            ) from None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._writer is not None:
            self._writer.close()

    def _choose_type(self, name: str, cells: Sequence[object]) -> object:
        if name in self._carried:
            kind = self._arrow.array(cells).type
            return self._arrow.string() if self._arrow.types.is_null(kind) else kind
        if name in self._texts:
            return self._arrow.string()
        return self._arrow.int64() if name in _NAMES_OF_NUMBERS else self._arrow.float64()


def read_parquet(path: Path) -> tuple[tuple[str, ...], Iterator[Sequence[object]]]:
    """Return the names of the columns of a file, and its rows.

    Raises:
        UnsupportedError: pyarrow is missing.
        DataFileError: The file is damaged.
    """
    arrow, parquet = _import_pyarrow()
    try:
        file = parquet.ParquetFile(path)
    except (arrow.ArrowException, OSError) as error:
        raise DataFileError(f"{path} is no parquet file that can be read: {error}", field="file") from None

    def read() -> Iterator[Sequence[object]]:
        for batch in file.iter_batches(_BLOCK_ROWS):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    return tuple(file.schema_arrow.names), read()


def _import_pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise missing_package("parquet needs", "pyarrow", "parquet", "output") from None
    return pyarrow, pyarrow.parquet
