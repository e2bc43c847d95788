"""Resuming `gammond batch`: what an earlier run wrote, and whether this run may go on behind it."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError
from engine.evaluator import Evaluator
from engine.outcome import cubeless_equity
from engine.position import Phase, phases
from tools.batch_lines import Line, decode_lines
from tools.batch_rows import VALUE_COLUMNS, RowFormat, WrittenRow

SAME_NET_WITHIN = 2e-5
"""Values of one net differ by less between machines (float32 sums in another order, six decimals)."""

SAMPLE_ROWS = 512
"""The most rows that are kept as a sample; of a longer file at least half as many."""

COMPARED_ROWS = 16
"""How many rows of the sample are compared, in each phase of the game."""


class RowSample:
    """Rows spread evenly over a file of unknown length: every row, every second, every fourth, ..."""

    def __init__(self) -> None:
        self.rows: list[WrittenRow] = []
        self._stride = 1
        self._seen = 0

    def add(self, row: WrittenRow) -> None:
        """Take the next row, or pass over it."""
        if self._seen % self._stride == 0:
            if len(self.rows) == SAMPLE_ROWS:
                self.rows = self.rows[::2]
                self._stride *= 2
            if self._seen % self._stride == 0:
                self.rows.append(row)
        self._seen += 1


@dataclass
class Written:
    """What an earlier run left in an output file.

    Attributes:
        has_header: Whether the header is there.
        rows: Whole rows.
        errors: How many of them are error rows.
        cut: Whether a half-written row was cut off.
        last_line: The number of the input line that the last row belongs to.
        sample: Some good rows, to compare with what the present net says.
    """

    has_header: bool = False
    rows: int = 0
    errors: int = 0
    cut: bool = False
    last_line: int = 0
    sample: RowSample = field(default_factory=RowSample, repr=False)


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
    if row.values is None:
        written.errors += 1
    else:
        written.sample.add(row)


def check_same_net(sample: RowSample, evaluator: Evaluator) -> None:
    """Refuse to go on with another net than the one that wrote a sample of the rows.

    Finished positions tell nothing, and races may be judged by the same database whatever the net: so some
    rows of each phase before the end are compared, contact first.

    Raises:
        DataFileError: The net gives a row other numbers.
    """
    boards, is_good, _ = decode_lines([Line(0, row.id) for row in sample.rows])
    phase_of = np.where(is_good, phases(boards), Phase.OVER)
    for phase in (Phase.CONTACT, Phase.CRASHED, Phase.RACE):
        places = _spread(np.flatnonzero(phase_of == phase), COMPARED_ROWS)
        if not places.size:
            continue
        outcomes = evaluator.evaluate(np.ascontiguousarray(boards[places]))
        found = np.column_stack([outcomes, cubeless_equity(outcomes)])
        for row, values in zip((sample.rows[i] for i in places.tolist()), found.tolist(), strict=True):
            _compare(row, values, evaluator.name)


def _compare(row: WrittenRow, values: list[float], name: str) -> None:
    for column, written, present in zip(VALUE_COLUMNS, row.values or (), values, strict=True):
        if not abs(present - written) <= SAME_NET_WITHIN:
            raise DataFileError(
                f"cannot resume: the output gives {row.id!r} the {column} {written:.6f}, "
                f"{name} gives it {present:.6f}; another net wrote it",
                field="output",
            )


def _spread(places: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Choose places, the first and the last among them, or all if there are no more."""
    return places[np.linspace(0, len(places) - 1, min(count, len(places))).astype(np.int64)]
