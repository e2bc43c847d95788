"""The rows that `gammond batch` writes, as csv or JSON lines, and how each is read back."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import (
    FormatError,
    GammondError,
    LimitError,
    PositionError,
    UnsupportedError,
    ValueRangeError,
)
from engine.outcome import Outcomes, cubeless_equity

VALUE_COLUMNS = ("win", "win_g", "win_bg", "lose_g", "lose_bg", "equity")
COLUMNS = ("id", "plies", *VALUE_COLUMNS, "error")

ERROR_CODES: dict[type[GammondError], str] = {
    FormatError: "format",
    PositionError: "position",
    ValueRangeError: "range",
    LimitError: "limit",
    UnsupportedError: "unsupported",
}
"""The word before the message of an error, for programs; any other error is ``error``."""

_LEAST_SHOWN = 5e-7
_SHOWN_CHARACTERS = 80
_NUMBER = r"-?[0-9]+\.[0-9]{6}"


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
        """Read a row back, given without its line end.

        Raises:
            ValueError: It is none; the message says what was expected and found.
        """
        ...

    def plain_row(self, plies: int) -> re.Pattern[str]:
        """Match, line by line in a text of many, the rows of a depth whose id stands there as it is.

        Group 1 is the id, group 2 the error as written: empty in good rows. Rows that it does not match may
        be rows all the same; `read` knows.
        """
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
        """Read a row back, given without its line end; ValueError says that it is none."""
        try:
            id_text, plies, *numbers, error = next(csv.reader([row], strict=True))
            if len(numbers) == len(VALUE_COLUMNS):
                if error:
                    return WrittenRow(id_text, None, None)
                return WrittenRow(id_text, int(plies), tuple(map(float, numbers)))
        except (ValueError, StopIteration, csv.Error):
            pass
        raise ValueError(f"expected {','.join(COLUMNS)}, found {row[:_SHOWN_CHARACTERS]!r}")

    def plain_row(self, plies: int) -> re.Pattern[str]:
        """Match rows whose id needs no quotes: group 1 the id, group 2 the error."""
        numbers = f",{_NUMBER}" * len(VALUE_COLUMNS)
        blanks = "," * (len(COLUMNS) - 1)
        error = r'"(?:[^"\n]|"")+"|[^",\n]+'
        return re.compile(rf'^([^",\n]*)(?:,{plies}{numbers},|{blanks}({error}))$', re.MULTILINE)


class JsonRows:
    """One JSON object a line: good rows have all columns but ``error``, bad ones ``id`` and ``error``."""

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
        """Read a row back, given without its line end; ValueError says that it is none."""
        try:
            entry = json.loads(row)
            if isinstance(entry, dict) and isinstance(entry.get("id"), str):
                if "error" in entry:
                    return WrittenRow(entry["id"], None, None)
                values = tuple(float(entry[column]) for column in VALUE_COLUMNS)
                return WrittenRow(entry["id"], int(entry["plies"]), values)
        except (ValueError, KeyError, TypeError):
            pass
        fields = ", ".join(COLUMNS[:-1])
        found = repr(row[:_SHOWN_CHARACTERS])
        raise ValueError(f"expected a JSON object with {fields}, or with id and error, found {found}")

    def plain_row(self, plies: int) -> re.Pattern[str]:
        """Match rows whose id needs no escapes: group 1 the id, group 2 the error."""
        numbers = "".join(f', "{column}": {_NUMBER}' for column in VALUE_COLUMNS)
        error = r'"error": ("(?:[^"\\\n]|\\[^\n])*")'
        return re.compile(
            rf'^\{{"id": "([^"\\\n]*)", (?:"plies": {plies}{numbers}|{error})\}}$', re.MULTILINE
        )


ROW_FORMATS: dict[str, RowFormat] = {"csv": CsvRows(), "jsonl": JsonRows()}
"""The formats by the name that ``--format`` takes."""


def error_text(error: GammondError) -> str:
    """What an error row says: the code of `ERROR_CODES`, a colon, the message, on one line."""
    return " ".join(f"{ERROR_CODES.get(type(error), 'error')}: {error.message}".split())


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
