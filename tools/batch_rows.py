"""The rows that `gammond batch` writes, as csv or JSON lines, and how each is read back."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import GammondError
from engine.outcome import Outcomes, cubeless_equity

VALUE_COLUMNS = ("win", "win_g", "win_bg", "lose_g", "lose_bg", "equity")
COLUMNS = ("id", "plies", *VALUE_COLUMNS, "error")

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
    values = np.column_stack([outcomes, cubeless_equity(outcomes)]).astype(np.float64)
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
