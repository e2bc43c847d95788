"""Resuming `gammond batch`: what an earlier run wrote, and whether this run may go on behind it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError
from engine.position import Phase, phases
from tools.batch.judging import BatchJudge
from tools.batch.lines import Line, decode_lines
from tools.batch.rows import CUBE_COLUMNS, VALUE_COLUMNS, RowFormat, WrittenRow, format_of

CHECKED_ROWS = 1024
"""Rows compared with their input lines at once."""

SAME_NET_WITHIN = 2e-5
"""Values of one net differ by less between machines (float32 sums in another order, six decimals)."""

SAMPLE_ROWS = 512
"""The most rows that are kept as a sample; of a longer file at least half as many."""

COMPARED_ROWS = (16, 16, 16, 4, 1)
"""How many rows of the sample are compared, in each phase of the game, by plies: deep ones take long."""

_FORMAT_BYTES = 64


class RowSample:
    """Rows spread evenly over a file of unknown length: every row, every second, every fourth, ..."""

    def __init__(self) -> None:
        self.rows: list[bytes] = []
        self._stride = 1
        self._seen = 0

    def extend(self, rows: Sequence[bytes]) -> None:
        """Go over the next rows, and take some of them."""
        place = -self._seen % self._stride
        while place < len(rows):
            if len(self.rows) == SAMPLE_ROWS:
                self.rows = self.rows[::2]
                self._stride *= 2
            self.rows.append(rows[place])
            place += self._stride
        self._seen += len(rows)


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


def take_up(
    output: BinaryIO,
    inputs: Iterator[Line],
    rows: RowFormat,
    plies: int,
    advance: Callable[[int], None] = lambda rows: None,
) -> Written:
    """Check that a file is the beginning of a run over these inputs, and cut a half-written last row off.

    Args:
        output: The file, readable and writable, at its beginning; left at its end.
        inputs: The lines of the positions, in order; as many are taken as the file has rows.
        rows: The format it must be in.
        plies: The depth it must have.
        advance: Told now and then how many rows have been checked.

    Returns:
        What was found; an empty file and a half-written header give nothing found.

    Raises:
        DataFileError: The file is in another format, of another depth or belongs to other positions.
    """
    _check_format(output, rows)
    written = Written()
    whole_bytes = _check_header(output, rows.header.encode(), written)
    plain_row = rows.plain_row(plies)
    while not written.cut and (block := list(itertools.islice(output, CHECKED_ROWS))):
        if not block[-1].endswith(b"\n"):
            written.cut = True
            block.pop()
        lines = list(itertools.islice(inputs, len(block)))
        good = _good_rows(block, lines, plain_row)
        if good is None:
            good = _read_rows(block, lines, rows, plies, written.rows)
        written.sample.extend(good)
        written.rows += len(block)
        written.errors += len(block) - len(good)
        written.last_line = lines[-1].number if lines else written.last_line
        whole_bytes += sum(map(len, block))
        advance(written.rows)
    output.seek(whole_bytes)
    output.truncate()
    return written


def _check_format(output: BinaryIO, rows: RowFormat) -> None:
    found = format_of(output.readline(_FORMAT_BYTES))
    output.seek(0)
    if found not in (None, rows.name):
        raise DataFileError(
            f"cannot resume: the output is {found}, this run is {rows.name}; --format {found} goes on",
            field="output",
        )


def _check_header(output: BinaryIO, header: bytes, written: Written) -> int:
    """Read the header; give its length, or 0 where it has to be written."""
    if not header:
        return 0
    first = output.readline(len(header))
    if not header.startswith(first):
        found = first.rstrip(b"\n").decode("utf-8", "replace")
        raise DataFileError(
            f"cannot resume: the output begins with {found!r}, expected {header.decode().rstrip()!r}",
            field="output",
        )
    written.has_header = first == header
    written.cut = first not in (header, b"")
    return len(first) if written.has_header else 0


def _good_rows(block: list[bytes], lines: list[Line], plain_row: re.Pattern[str]) -> list[bytes] | None:
    """Give the good ones of rows that all are plain and belong to these lines; None leaves it to a reader."""
    found = plain_row.findall(b"".join(block).decode("utf-8", "replace"))
    if [row_id for row_id, _ in found] != [line.text for line in lines] or len(found) != len(block):
        return None
    return [raw for raw, (_, error) in zip(block, found, strict=True) if not error]


def _read_rows(
    block: list[bytes], lines: list[Line], rows: RowFormat, plies: int, before: int
) -> list[bytes]:
    """Read rows one by one, and give the good ones.

    Args:
        block: The rows.
        lines: Their lines, as far as there are any.
        rows: The format they must be in.
        plies: The depth they must have.
        before: How many rows come before them.
    """
    good = []
    for number, (raw, line) in enumerate(itertools.zip_longest(block, lines), before + 1):
        where = f"cannot resume: row {number:,} of the output"
        try:
            row = _parsed(raw, rows)
        except ValueError as error:
            raise DataFileError(f"{where} cannot be read: {error}", field="output") from None
        if line is None:
            raise DataFileError(f"{where} has no position in the input, which is shorter", field="output")
        if row.id != line.text:
            raise DataFileError(
                f"{where} is for {row.id!r}, input line {line.number} has {line.text!r}", field="output"
            )
        if row.plies not in (None, plies):
            raise DataFileError(f"{where} is {row.plies}-ply, this run is {plies}-ply", field="output")
        if row.values is not None:
            good.append(raw)
    return good


def _parsed(raw: bytes, rows: RowFormat) -> WrittenRow:
    return rows.read(raw.decode("utf-8", "replace").removesuffix("\n"))


def check_same_net(sample: RowSample, rows: RowFormat, judge: BatchJudge) -> None:
    """Refuse to go on with another net than the one that wrote a sample of the rows.

    Finished positions tell nothing, and races may be judged by the same database whatever the net: so some
    rows of each phase before the end are compared, contact first.

    Raises:
        DataFileError: The net gives a row other numbers.
    """
    written = [_parsed(raw, rows) for raw in sample.rows]
    decoded = decode_lines([Line(0, row.id) for row in written])
    phase_of = np.where(decoded.is_good, phases(decoded.boards), Phase.OVER)
    for phase in (Phase.CONTACT, Phase.CRASHED, Phase.RACE):
        places = _spread(np.flatnonzero(phase_of == phase), COMPARED_ROWS[min(judge.plies, 4)])
        if not places.size:
            continue
        boards = np.ascontiguousarray(decoded.boards[places])
        judged = judge.judge(boards, decoded.matches, decoded.match_of[places])
        found = judged.values
        if judged.cubeful is not None:
            found = np.column_stack([found, judged.cubeful])
        for row, values in zip((written[i] for i in places.tolist()), found.tolist(), strict=True):
            _compare(row, values, judge.name)


def _compare(row: WrittenRow, values: list[float], name: str) -> None:
    columns = (*VALUE_COLUMNS, *CUBE_COLUMNS)[: len(values)]
    for column, written, present in zip(columns, row.values or (), values, strict=True):
        if not abs(present - written) <= SAME_NET_WITHIN:
            raise DataFileError(
                f"cannot resume: the output gives {row.id!r} the {column} {written:.6f}, "
                f"{name} gives it {present:.6f}; another net wrote it",
                field="output",
            )


def _spread(places: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Choose places, the first and the last among them, or all if there are no more."""
    return places[np.linspace(0, len(places) - 1, min(count, len(places))).astype(np.int64)]
