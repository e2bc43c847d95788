"""The rows that `gammond batch` writes, as csv or JSON lines, and reads back to resume."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError, GammondError
from engine.outcome import Outcomes

VALUE_COLUMNS = ("win", "win_g", "win_bg", "lose_g", "lose_bg", "equity")
COLUMNS = ("id", "plies", *VALUE_COLUMNS, "error")

_EQUITY_WEIGHTS = np.array([2.0, 1.0, 1.0, -1.0, -1.0])
_LEAST_SHOWN = 5e-7


class WrittenRow(NamedTuple):
    """A row read back.

    Attributes:
        id: The position's text.
        plies: Plies of look-ahead; None in an error row.
        values: The six numbers of `VALUE_COLUMNS`; None in an error row.
    """

    id: str
    plies: int | None
    values: tuple[float, ...] | None


class RowFormat(Protocol):
    """One way to write rows; every row ends with a newline and holds no other."""

    header: str

    def good(self, ids: Sequence[str], plies: int, outcomes: Outcomes) -> list[str]:
        """Write the rows of evaluated positions, ``float32[n, 5]``."""
        ...

    def bad(self, id_text: str, error: GammondError) -> str:
        """Write the row of a position that could not be evaluated."""
        ...

    def read(self, row: str) -> WrittenRow:
        """Read a row back; ValueError says that it is none."""
        ...


class CsvRows:
    """Comma-separated values with a header; ``error`` is empty in good rows, the numbers in bad ones."""

    header = ",".join(COLUMNS) + "\n"

    def good(self, ids: Sequence[str], plies: int, outcomes: Outcomes) -> list[str]:
        """Write the rows of evaluated positions, ``float32[n, 5]``."""
        template = f"%s,{plies}" + ",%.6f" * len(VALUE_COLUMNS) + ",\n"
        fields = map(_csv_field, ids)
        return [template % (name, *row) for name, row in zip(fields, _values(outcomes).tolist(), strict=True)]

    def bad(self, id_text: str, error: GammondError) -> str:
        """Write the row of a position that could not be evaluated."""
        blanks = "," * (len(COLUMNS) - 1)
        return f"{_csv_field(id_text)}{blanks}{_csv_field(error_text(error))}\n"

    def read(self, row: str) -> WrittenRow:
        """Read a row back; ValueError says that it is none."""
        fields = next(csv.reader([row], strict=True), [])
        if len(fields) != len(COLUMNS):
            raise ValueError(f"{len(fields)} fields, expected {len(COLUMNS)}")
        id_text, plies, *numbers, error = fields
        if error:
            return WrittenRow(id_text, None, None)
        return WrittenRow(id_text, int(plies), tuple(map(float, numbers)))


class JsonRows:
    """One JSON object a line, with ``error`` in place of the numbers in bad ones."""

    header = ""

    def good(self, ids: Sequence[str], plies: int, outcomes: Outcomes) -> list[str]:
        """Write the rows of evaluated positions, ``float32[n, 5]``."""
        numbers = "".join(f', "{column}": %.6f' for column in VALUE_COLUMNS)
        template = f'{{"id": %s, "plies": {plies}{numbers}}}\n'
        names = map(_json_string, ids)
        return [template % (name, *row) for name, row in zip(names, _values(outcomes).tolist(), strict=True)]

    def bad(self, id_text: str, error: GammondError) -> str:
        """Write the row of a position that could not be evaluated."""
        return f'{{"id": {_json_string(id_text)}, "error": {_json_string(error_text(error))}}}\n'

    def read(self, row: str) -> WrittenRow:
        """Read a row back; ValueError says that it is none."""
        entry = json.loads(row)
        if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
            raise ValueError("no object with an id")
        if "error" in entry:
            return WrittenRow(entry["id"], None, None)
        try:
            values = tuple(float(entry[column]) for column in VALUE_COLUMNS)
            return WrittenRow(entry["id"], int(entry["plies"]), values)
        except (KeyError, TypeError) as missing:
            raise ValueError(f"no row of this program: {missing}") from None


ROW_FORMATS: dict[str, RowFormat] = {"csv": CsvRows(), "jsonl": JsonRows()}
"""The formats by the name that ``--format`` takes."""


def error_text(error: GammondError) -> str:
    """What an error row says: the type, a colon, the message, on one line."""
    return " ".join(f"{type(error).__name__}: {error.message}".split())


def _values(outcomes: Outcomes) -> NDArray[np.float64]:
    """The numbers of `VALUE_COLUMNS`, ``float64[n, 6]``, without negative zeros."""
    exact = outcomes.astype(np.float64)
    values = np.column_stack([exact, exact @ _EQUITY_WEIGHTS - 1.0])
    values[np.abs(values) < _LEAST_SHOWN] = 0.0
    return values


def _csv_field(text: str) -> str:
    if "," in text or '"' in text or not text.isprintable():
        return '"' + text.replace('"', '""') + '"'
    return text


def _json_string(text: str) -> str:
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return json.dumps(text, ensure_ascii=False)


@dataclass
class Written:
    """What an earlier run left in an output file.

    Attributes:
        has_header: Whether the header is there.
        rows: Whole rows.
        errors: How many of them are error rows.
        cut: Whether a half-written row was cut off.
        last_line: The number of the input line that the last row belongs to.
        sample: A good row, to compare with what the present net says.
    """

    has_header: bool = False
    rows: int = 0
    errors: int = 0
    cut: bool = False
    last_line: int = 0
    sample: WrittenRow | None = field(default=None, repr=False)


def take_up(output: BinaryIO, inputs: Iterator[tuple[int, str]], rows: RowFormat, plies: int) -> Written:
    """Check that a file is the beginning of a run over these inputs, and cut a half-written last row off.

    Args:
        output: The file, readable and writable, at its beginning; left at its end.
        inputs: Line numbers and texts of the positions, in order; as many are taken as the file has rows.
        rows: The format it must be in.
        plies: The depth it must have.

    Returns:
        What was found; an empty file and a half-written header give nothing found.

    Raises:
        DataFileError: The file is in another format, of another depth or belongs to other positions.
    """
    written = Written()
    whole_bytes = 0
    header = rows.header.encode()
    if header:
        first = output.readline()
        if first != header and not header.startswith(first):
            raise DataFileError(
                f"cannot resume: the output begins with {first[:80]!r}, expected {header!r}", field="output"
            )
        written.has_header = first == header
        written.cut = first not in (header, b"")
        whole_bytes = len(first) if written.has_header else 0
    for raw in output if not written.cut else ():
        if not raw.endswith(b"\n"):
            written.cut = True
            break
        _check_row(raw, next(inputs, None), rows, plies, written)
        whole_bytes += len(raw)
    output.seek(whole_bytes)
    output.truncate()
    return written


def _check_row(
    raw: bytes, expected: tuple[int, str] | None, rows: RowFormat, plies: int, written: Written
) -> None:
    where = f"cannot resume: row {written.rows + 1} of the output"
    try:
        row = rows.read(raw.decode("utf-8", "replace").removesuffix("\n"))
    except (ValueError, csv.Error) as error:
        raise DataFileError(f"{where} cannot be read: {error}", field="output") from None
    if expected is None:
        raise DataFileError(f"{where} has no position in the input, which is shorter", field="output")
    number, text = expected
    if row.id != text:
        raise DataFileError(f"{where} is for {row.id!r}, input line {number} has {text!r}", field="output")
    if row.plies not in (None, plies):
        raise DataFileError(f"{where} is {row.plies}-ply, this run is {plies}-ply", field="output")
    written.rows += 1
    written.last_line = number
    written.errors += row.values is None
    if written.sample is None and row.values is not None:
        written.sample = row
