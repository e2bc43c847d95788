"""Resuming `gammond batch`: check the output of an earlier run, and whether this run may continue it."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError, PositionError
from gammond.engine.rules.position import Phase, classify_phases
from gammond.engine.runtime.files import open_output
from gammond.tools.batch.evaluation import PositionAnalysis, select_positions
from gammond.tools.batch.lines import PositionLine, decode_lines
from gammond.tools.batch.rows import (
    ERROR_COLUMN,
    LINE_COLUMN,
    SAME_OPTIONS,
    Cell,
    JsonRows,
    RowFormat,
    detect_format,
    format_error,
)
from gammond.tools.batch.run import BlockAnalysis

CHECK_BLOCK_ROWS = 1024
"""Rows compared with their input lines at once."""

SAME_NET_TOLERANCE = 2e-5
"""Values of one net differ by less between machines (float32 sums in another order, six decimals)."""

MAX_DIFFERENT_SHARE = 0.1
"""The share of compared rows that may differ by more."""

SAMPLE_ROWS = 512
"""The most rows in a sample; of a longer file at least half as many."""

COMPARED_ROWS_PER_PHASE = (16, 16, 16, 4, 1)
"""Rows of the sample to compare in each phase of the game, by plies: deep ones take long."""

_MAX_FORMAT_BYTES = 64
_MAX_HEADER_BYTES = 1 << 16
_MAX_SHOWN_CHARACTERS = 200
_CHUNK_BYTES = 1 << 20


class ParsedRow(NamedTuple):
    """A good row of an earlier run: its line, and its cells by column."""

    line: PositionLine
    cells: dict[str, Any]


class CorrectedRow(NamedTuple):
    """A row with an error whose line has changed since: the line, and where the row stands in the file."""

    line: PositionLine
    start: int
    end: int


class RowSample:
    """Rows spread evenly over a file of unknown length: every row, every second, every fourth, ..."""

    def __init__(self) -> None:
        self.rows: list[ParsedRow] = []
        self._stride = 1
        self._seen = 0

    def add(self, row: ParsedRow) -> None:
        """Take the next row."""
        if self._seen % self._stride == 0:
            if len(self.rows) == SAMPLE_ROWS:
                self.rows = self.rows[::2]
                self._stride *= 2
            if self._seen % self._stride == 0:
                self.rows.append(row)
        self._seen += 1


@dataclass
class ExistingOutput:
    """The output file of an earlier run.

    Attributes:
        has_header: Whether the header is there.
        rows: Whole rows.
        bad_lines: The number of the line and the error of each of them that has one.
        corrected: Rows with errors that belong to lines which have changed since; not among `bad_lines`.
        is_truncated: Whether a half-written row was cut off.
        last_line: The number of the input line that the last row belongs to.
        sample: Some good rows, to compare with what the present net says.
        lines_ahead: Lines that were taken of the input and have no row yet.
    """

    has_header: bool = False
    rows: int = 0
    bad_lines: list[tuple[int, str]] = field(default_factory=list, repr=False)
    corrected: list[CorrectedRow] = field(default_factory=list, repr=False)
    is_truncated: bool = False
    last_line: int = 0
    sample: RowSample = field(default_factory=RowSample, repr=False)
    lines_ahead: list[PositionLine] = field(default_factory=list, repr=False)

    @property
    def errors(self) -> int:
        """How many rows have errors."""
        return len(self.bad_lines)


def resume_output(
    output: BinaryIO,
    inputs: Iterator[PositionLine],
    carried: Sequence[str],
    row_format: RowFormat,
    plies: int,
    advance: Callable[[int], None] = lambda rows: None,
) -> ExistingOutput:
    """Check that a file is the beginning of a run over these inputs, and remove a half-written last row.

    Args:
        output: The file, readable and writable, at its beginning; left at its end.
        inputs: The lines of the positions, in order; as many are taken as the file has rows.
        carried: The columns of the input that the rows have too.
        row_format: The format it must be in.
        plies: The depth it must have.
        advance: Called now and then with the number of rows checked.

    Returns:
        What was found, with the rows that `redo_rows` is to replace; an empty file and a half-written header
        give nothing found.

    Raises:
        DataFileError: The file is in another format, of another depth or belongs to other positions.
    """
    _check_format(output, row_format)
    written = ExistingOutput()
    whole_bytes = _check_header(output, row_format.header.encode(), written)
    while not written.is_truncated and (block := list(itertools.islice(output, CHECK_BLOCK_ROWS))):
        if not block[-1].endswith(b"\n"):
            written.is_truncated = True
            half = block.pop()
            if not (block or written.rows or written.has_header):
                written.lines_ahead = list(itertools.islice(inputs, 1))
                _check_begun_row(half, written.lines_ahead, carried)
        lines = list(itertools.islice(inputs, len(block)))
        for raw, line in itertools.zip_longest(block, lines):
            _take_row(raw, line, carried, row_format, plies, written, whole_bytes)
            written.rows += 1
            whole_bytes += len(raw)
        if lines:
            written.last_line = lines[-1].number
        advance(written.rows)
    output.truncate(whole_bytes)
    output.seek(whole_bytes)
    return written


def _check_format(output: BinaryIO, row_format: RowFormat) -> None:
    begun = output.readline(_MAX_FORMAT_BYTES)
    output.seek(0)
    if row_format.header.encode().startswith(begun):  # which may be cut before it has a delimiter
        return
    found = detect_format(begun)
    if found != row_format.name:
        raise DataFileError(
            f"cannot resume: the output is {found}, this run is {row_format.name}; use --format {found}",
            field="output",
        )


def _check_header(output: BinaryIO, header: bytes, written: ExistingOutput) -> int:
    """Read the header; return its length, or 0 if it has to be written."""
    if not header:
        return 0
    first = output.readline(_MAX_HEADER_BYTES)
    if not header.startswith(first):
        expected, found = (line.decode("utf-8", "replace").strip() for line in (header, first))
        raise DataFileError(
            f"cannot resume: {_compare_headers(expected, found)}: {SAME_OPTIONS}", field="output"
        )
    written.has_header = first == header
    written.is_truncated = first not in (header, b"")
    return len(first) if written.has_header else 0


def _check_begun_row(half: bytes, lines: Sequence[PositionLine], carried: Sequence[str]) -> None:
    """Check that a file which is half a row, and has no header, is of this run, before it is cut off.

    Args:
        half: All that the file has.
        lines: The first line of the input, if it has one.
        carried: The columns that they have in common.
    """
    for line in lines:
        cells = {name: [cell] for name, cell in zip(carried, line.cells, strict=True)}
        begun = JsonRows(carried).format_rows(cells).removesuffix("}\n")
        for expected in (begun, f'{{"{LINE_COLUMN}": {line.number}, {begun[1:]}'):
            if half.startswith(expected.encode()) or expected.encode().startswith(half):
                return
    raise DataFileError(
        f"cannot resume: the output begins with {half[:_MAX_SHOWN_CHARACTERS].decode('utf-8', 'replace')!r}, "
        "which is no row of this run",
        field="output",
    )


def _compare_headers(expected: str, found: str) -> str:
    delimiter = "\t" if "\t" in expected else ","
    wanted, present = expected.split(delimiter), found.split(delimiter)
    lacking = [name for name in wanted if name not in present]
    surplus = [name for name in present if name not in wanted]
    if not lacking and not surplus:
        return f"the output begins with {found!r}, expected {expected!r}"
    parts = [f"the output has no {', '.join(lacking)}"] if lacking else []
    parts += [f"this run has no {', '.join(surplus)[:_MAX_SHOWN_CHARACTERS]}"] if surplus else []
    return ", and ".join(parts)


def _take_row(
    raw: bytes,
    line: PositionLine | None,
    carried: Sequence[str],
    row_format: RowFormat,
    plies: int,
    written: ExistingOutput,
    start: int,
) -> None:
    """Parse a row and check that it belongs to its line.

    Args:
        raw: The row.
        line: Its line; None where the input has no more.
        carried: The columns that they have in common.
        row_format: The format it must be in.
        plies: The depth it must have.
        written: What comes before it; takes what is found.
        start: Where it stands in the file.
    """
    where = f"cannot resume: row {written.rows + 1:,} of the output"
    try:
        cells = row_format.parse_row(raw.decode("utf-8", "replace").removesuffix("\n"))
    except ValueError as error:
        raise DataFileError(f"{where} cannot be read: {error}", field="output") from None
    if line is None:
        raise DataFileError(f"{where} has no position in the input, which is shorter", field="output")
    for name, cell in zip(carried, line.cells, strict=True):
        if cells.get(name) != row_format.show_cell(cell):
            if ERROR_COLUMN in cells:
                written.corrected.append(CorrectedRow(line, start, start + len(raw)))
                return
            raise DataFileError(
                f"{where} is for {cells.get(name)!r}, input line {line.number} has {cell!r}: "
                "undo the change of the input, or begin anew with --force in place of --resume",
                field="output",
            )
    if ERROR_COLUMN in cells:
        written.bad_lines.append((line.number, str(cells[ERROR_COLUMN])))
        return
    if str(cells.get("plies")) != str(plies):
        raise DataFileError(f"{where} is {cells.get('plies')}-ply, this run is {plies}-ply", field="output")
    written.sample.add(ParsedRow(line, cells))


def redo_rows(path: Path, written: ExistingOutput, blocks: BlockAnalysis, row_format: RowFormat) -> None:
    """Replace the rows of corrected lines; the file has all of them anew or none.

    Args:
        path: The file, closed.
        written: What was found in it; takes the errors of rows that are still bad.
        blocks: Makes rows.
        row_format: Formats them.
    """
    if not written.corrected:
        return
    with path.open("rb") as before, open_output(path) as after:
        for row in written.corrected:
            _copy_bytes(before, after, row.start - before.tell())
            made = blocks.make_rows([row.line])
            after.write(row_format.format_rows(made.columns).encode())
            written.bad_lines += [(row.line.number, format_error(error)) for error in made.errors.values()]
            before.seek(row.end)
        shutil.copyfileobj(before, after)
    written.bad_lines.sort()


def _copy_bytes(source: BinaryIO, target: BinaryIO, count: int) -> None:
    while count and (chunk := source.read(min(count, _CHUNK_BYTES))):
        target.write(chunk)
        count -= len(chunk)


def check_same_net(sample: RowSample, analysis: PositionAnalysis, most: int | None = None) -> None:
    """Check that the evaluator is the one that wrote a sample of the rows.

    Finished positions have the same values by any net, and so may races, from a database. So some rows of
    each phase of unfinished games are compared, contact first. Where two plays are equally good, rounding on
    another processor chooses the other one, so a few rows may differ.

    Args:
        sample: Some good rows.
        analysis: Answers for their positions again.
        most: Rows to compare in each phase; None for `COMPARED_ROWS_PER_PHASE`.

    Raises:
        DataFileError: The net gives too many rows other numbers, of which the first is named; or a row has no
            position of the variant.
    """
    written = sample.rows
    lines = [row.line for row in written]
    decoded = decode_lines(lines, needs_dice=True, variant=analysis.variant)
    for place, error in decoded.errors.items():
        if isinstance(error, PositionError):  # else its dice, which were of no use
            reason = f"the output has values of {lines[place].text!r}: {error.message}"
            raise DataFileError(f"cannot resume: {reason}; {SAME_OPTIONS}", field="output")
    phase_of = np.where(decoded.is_good, classify_phases(decoded.boards), Phase.OVER)
    for phase in (Phase.CONTACT, Phase.CRASHED, Phase.RACE):
        most = COMPARED_ROWS_PER_PHASE[min(analysis.plies, 4)] if most is None else most
        places = _pick_evenly(np.flatnonzero(phase_of == phase), most)
        if not places.size:
            continue
        found = analysis.answer(select_positions(decoded, places))
        differences = [
            difference
            for number, place in enumerate(places.tolist())
            if (
                difference := _describe_difference(
                    written[place], {name: cells[number] for name, cells in found.items()}, analysis.name
                )
            )
        ]
        if len(differences) > MAX_DIFFERENT_SHARE * len(places):
            raise DataFileError(f"cannot resume: the output gives {differences[0]}", field="output")


def _describe_difference(row: ParsedRow, present: dict[str, Cell], name: str) -> str:
    """Describe the first number of a row that a net gives another value; empty if there is none."""
    for column, value in present.items():
        written = row.cells.get(column)
        if value is not None and written is None:
            return f"{row.line.text!r} no {column}: {SAME_OPTIONS}"
        if isinstance(value, float) and not abs(value - _read_number(written)) <= SAME_NET_TOLERANCE:
            return (
                f"{row.line.text!r} the {column} {written}, {name} gives it {value:.6f}; another net wrote it"
            )
    return ""


def _read_number(text: object) -> float:
    try:
        return float(str(text))
    except ValueError:
        return float("nan")


def _pick_evenly(places: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Choose evenly spread places including the first and the last, or all if there are no more."""
    return places[np.linspace(0, len(places) - 1, min(count, len(places))).astype(np.int64)]
