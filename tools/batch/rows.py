"""The rows that `gammond batch` writes, as csv or JSON lines, and how each is read back."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from engine.errors import GammondError, StateError
from tools.batch.evaluation import BatchEvaluation

VALUE_COLUMNS = ("win", "win_g", "win_bg", "lose_g", "lose_bg", "equity")
COLUMNS = ("id", "plies", *VALUE_COLUMNS, "error")
CUBE_COLUMNS = ("cubeful", "mwc")
"""The columns that follow where cube and score count."""

_MONEY_VALUE_COUNT = len(VALUE_COLUMNS) + 1
_MAX_SHOWN_CHARACTERS = 80
_NUMBER_PATTERN = r"-?[0-9]+\.[0-9]{6}"


class ParsedRow(NamedTuple):
    """A row read back.

    Attributes:
        id: The position's text.
        plies: Plies of look-ahead; None in an error row.
        values: The six numbers of `VALUE_COLUMNS`, and the cubeful equity where it counts; None in an error
            row.
    """

    id: str
    plies: int | None
    values: tuple[float, ...] | None


class RowFormat(Protocol):
    """One way to write rows; every row ends with a newline and holds no other.

    Attributes:
        name: What ``--format`` calls it.
        header: The first line of a file; empty if there is none.
    """

    name: str
    header: str

    def format_rows(self, ids: Sequence[str], plies: int, evaluation: BatchEvaluation) -> list[str]:
        """Format the rows of evaluated positions, with `CUBE_COLUMNS` where these rows have them."""
        ...

    def format_error_row(self, id_text: str, error: GammondError) -> str:
        """Format the row of a position that could not be evaluated."""
        ...

    def parse_row(self, row: str) -> ParsedRow:
        """Parse a row, given without its line end.

        Raises:
            ValueError: It is none; the message says what was expected and found.
        """
        ...

    def compile_plain_row(self, plies: int) -> re.Pattern[str]:
        """Compile a pattern for the rows of a depth whose id needs no quoting, line by line in a text.

        Group 1 is the id, group 2 the error as written: empty in good rows. Rows that it does not match may
        still be rows; `parse_row` decides.
        """
        ...


class CsvRows:
    """Comma-separated values with a header; ``error`` is empty in good rows, the numbers in bad ones.

    Args:
        is_cubeful: Whether the rows have `CUBE_COLUMNS`.
    """

    name = "csv"

    def __init__(self, is_cubeful: bool = True) -> None:
        self._cube_columns = CUBE_COLUMNS if is_cubeful else ()
        self._columns = (*COLUMNS, *self._cube_columns)
        self.header = ",".join(self._columns) + "\n"

    def format_rows(self, ids: Sequence[str], plies: int, evaluation: BatchEvaluation) -> list[str]:
        """Format the rows of evaluated positions, with `CUBE_COLUMNS` where these rows have them."""
        template = f"%s,{plies}" + ",%.6f" * len(VALUE_COLUMNS) + ","
        fields = map(_quote_csv, ids)
        if not self._cube_columns:
            template += "\n"
            return [
                template % (name, *row) for name, row in zip(fields, evaluation.values.tolist(), strict=True)
            ]
        money, match = template + ",%.6f,\n", template + ",%.6f,%.6f\n"
        return [
            (money if len(row) == _MONEY_VALUE_COUNT else match) % (name, *row)
            for name, row in zip(fields, _cubeful_rows(evaluation), strict=True)
        ]

    def format_error_row(self, id_text: str, error: GammondError) -> str:
        """Format the row of a position that could not be evaluated."""
        blanks, after = "," * (len(COLUMNS) - 1), "," * len(self._cube_columns)
        return f"{_quote_csv(id_text)}{blanks}{_quote_csv(format_error(error))}{after}\n"

    def parse_row(self, row: str) -> ParsedRow:
        """Parse a row, given without its line end; raise ValueError if it is none."""
        try:
            fields = next(csv.reader([row], strict=True))
            if len(fields) == len(self._columns):
                id_text, plies, *numbers = fields[: len(COLUMNS) - 1]
                if fields[len(COLUMNS) - 1]:
                    return ParsedRow(id_text, None, None)
                numbers += fields[len(COLUMNS) :][:1]
                return ParsedRow(id_text, int(plies), tuple(map(float, numbers)))
        except (ValueError, StopIteration, csv.Error):
            pass
        raise ValueError(f"expected {','.join(self._columns)}, found {row[:_MAX_SHOWN_CHARACTERS]!r}")

    def compile_plain_row(self, plies: int) -> re.Pattern[str]:
        """Match rows whose id needs no quotes: group 1 the id, group 2 the error."""
        numbers = f",{_NUMBER_PATTERN}" * len(VALUE_COLUMNS)
        blanks = "," * (len(COLUMNS) - 1)
        error = r'"(?:[^"\n]|"")+"|[^",\n]+'
        cube = f",{_NUMBER_PATTERN},(?:{_NUMBER_PATTERN})?" if self._cube_columns else ""
        after = "," * len(self._cube_columns)
        return re.compile(rf'^([^",\n]*)(?:,{plies}{numbers},{cube}|{blanks}({error}){after})$', re.MULTILINE)


class JsonRows:
    """One JSON object a line: good rows have all columns but ``error``, bad ones ``id`` and ``error``.

    ``mwc`` is there in matches only.

    Args:
        is_cubeful: Whether the rows have `CUBE_COLUMNS`.
    """

    name = "jsonl"
    header = ""

    def __init__(self, is_cubeful: bool = True) -> None:
        self._cube_columns = CUBE_COLUMNS if is_cubeful else ()

    def format_rows(self, ids: Sequence[str], plies: int, evaluation: BatchEvaluation) -> list[str]:
        """Format the rows of evaluated positions, with `CUBE_COLUMNS` where these rows have them."""
        numbers = [f', "{column}": %.6f' for column in (*VALUE_COLUMNS, *self._cube_columns)]
        start = f'{{"id": %s, "plies": {plies}'
        rows = _cubeful_rows(evaluation) if self._cube_columns else evaluation.values.tolist()
        return [
            "".join((start, *numbers[: len(row)], "}\n")) % (name, *row)
            for name, row in zip(map(_quote_json, ids), rows, strict=True)
        ]

    def format_error_row(self, id_text: str, error: GammondError) -> str:
        """Format the row of a position that could not be evaluated."""
        return f'{{"id": {_quote_json(id_text)}, "error": {_quote_json(format_error(error))}}}\n'

    def parse_row(self, row: str) -> ParsedRow:
        """Parse a row, given without its line end; raise ValueError if it is none."""
        try:
            entry = json.loads(row)
            if isinstance(entry, dict) and isinstance(entry.get("id"), str):
                if "error" in entry:
                    return ParsedRow(entry["id"], None, None)
                columns = (*VALUE_COLUMNS, *self._cube_columns[:1])
                values = tuple(float(entry[column]) for column in columns)
                if ("cubeful" in entry) == bool(self._cube_columns):
                    return ParsedRow(entry["id"], int(entry["plies"]), values)
        except (ValueError, KeyError, TypeError):
            pass
        fields = ", ".join((*COLUMNS[:-1], *self._cube_columns[:1]))
        found = repr(row[:_MAX_SHOWN_CHARACTERS])
        raise ValueError(f"expected a JSON object with {fields}, or with id and error, found {found}")

    def compile_plain_row(self, plies: int) -> re.Pattern[str]:
        """Match rows whose id needs no escapes: group 1 the id, group 2 the error."""
        numbers = "".join(f', "{column}": {_NUMBER_PATTERN}' for column in VALUE_COLUMNS)
        if self._cube_columns:
            numbers += f', "cubeful": {_NUMBER_PATTERN}(?:, "mwc": {_NUMBER_PATTERN})?'
        error = r'"error": ("(?:[^"\\\n]|\\[^\n])*")'
        return re.compile(
            rf'^\{{"id": "([^"\\\n]*)", (?:"plies": {plies}{numbers}|{error})\}}$', re.MULTILINE
        )


ROW_FORMATS: dict[str, Callable[[bool], RowFormat]] = {"csv": CsvRows, "jsonl": JsonRows}
"""Name for ``--format`` -> the format; its argument is whether the rows have `CUBE_COLUMNS`."""

_FORMAT_PREFIXES = {b"id,plies,": CsvRows.name, b'{"id": ': JsonRows.name}


def detect_format(first_line: bytes) -> str | None:
    """Detect the format of a file by its first line; None if it has none or is cut too short."""
    return next((name for start, name in _FORMAT_PREFIXES.items() if first_line.startswith(start)), None)


def format_error(error: GammondError) -> str:
    """Format an error: its code, a colon and the message, on one line."""
    return " ".join(f"{error.row_code}: {error.message}".split())


def _cubeful_rows(evaluation: BatchEvaluation) -> list[list[float]]:
    """Return the numbers of each row: `_MONEY_VALUE_COUNT`, and in a match the match-winning chance."""
    if evaluation.cubeful is None or evaluation.mwc is None:
        raise StateError("expected a cubeful evaluation for rows with the cube", field="cubeful")
    rows: list[list[float]] = np.column_stack([evaluation.values, evaluation.cubeful]).tolist()
    for place in np.flatnonzero(~np.isnan(evaluation.mwc)).tolist():
        rows[place].append(float(evaluation.mwc[place]))
    return rows


def _quote_csv(text: str) -> str:
    if "," in text or '"' in text or not text.isprintable():
        return '"' + text.replace('"', '""') + '"'
    return text


def _quote_json(text: str) -> str:
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return json.dumps(text, ensure_ascii=False)
