"""The loop of `gammond batch`: blocks of lines in, blocks of rows out."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from gammond.engine.errors import GammondError
from gammond.tools.batch.evaluation import BatchAnalysis, Cell, LineAnalysis, LineAnswers, select_positions
from gammond.tools.batch.ids import list_ids
from gammond.tools.batch.lines import PLAIN_COLUMNS, PositionLine, decode_lines
from gammond.tools.batch.rows import ERROR_COLUMN, LINE_COLUMN, format_error


@dataclass
class BatchCounts:
    """Counts of a run: rows written, error rows among them, seconds without reading and writing.

    Attributes:
        assumed: What was assumed of positions that programs write in more than one way, and of how many.
    """

    rows: int = 0
    errors: int = 0
    compute_s: float = 0.0
    assumed: Counter[str] = field(default_factory=Counter)


BlockRows = tuple[dict[str, list[Any]], dict[int, GammondError], list[str]]
"""The rows of a block by column, the errors of bad lines by place, and what was assumed of others."""


class MadeBlock(NamedTuple):
    """A block of lines and its rows.

    Attributes:
        lines: The lines.
        columns: The rows by column.
        errors: The errors of bad lines by place.
        assumed: What was assumed of others.
        took_s: Seconds that were waited for the rows.
    """

    lines: list[PositionLine]
    columns: dict[str, list[Any]]
    errors: dict[int, GammondError]
    assumed: list[str]
    took_s: float


class BlockMaker(Protocol):
    """Makes the rows of blocks of lines, here or elsewhere."""

    def make_blocks(self, blocks: Iterator[list[PositionLine]]) -> Iterator[MadeBlock]:
        """Make the rows of blocks, in their order."""
        ...


@dataclass(frozen=True)
class BlockAnalysis:
    """Makes the rows of a block of lines: of positions, what the analysis says of them.

    Attributes:
        analysis: Of the positions.
        carried: The columns of the input that the rows have too.
        id_forms: Forms in which they have the positions.
        needs_dice: Whether dice are of use.
        has_line_numbers: Whether rows begin with the number of their line.
    """

    analysis: BatchAnalysis | LineAnalysis
    carried: tuple[str, ...] = PLAIN_COLUMNS
    id_forms: tuple[str, ...] = ()
    needs_dice: bool = False
    has_line_numbers: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the rows."""
        first = (LINE_COLUMN,) if self.has_line_numbers else ()
        return (*first, *self.carried, *self.id_forms, *self.analysis.columns, ERROR_COLUMN)

    def make_blocks(self, blocks: Iterator[list[PositionLine]]) -> Iterator[MadeBlock]:
        """Make the rows of blocks here, as `BlockMaker`."""
        for lines in blocks:
            started_s = time.perf_counter()
            rows = self.make_rows(lines)
            yield MadeBlock(lines, *rows, time.perf_counter() - started_s)

    def make_rows(self, block: list[PositionLine]) -> BlockRows:
        """Return the rows of lines by column, the errors of bad lines, and what was assumed of others."""
        cells, errors, assumed = self._answer_lines(block)
        columns: dict[str, list[Any]] = {}
        if self.has_line_numbers:
            columns[LINE_COLUMN] = [line.number for line in block]
        for place, name in enumerate(self.carried):
            columns[name] = [line.cells[place] for line in block]
        good = [place for place in range(len(block)) if place not in errors] if errors else []
        for name in (*self.id_forms, *self.analysis.columns):
            columns[name] = [None] * len(block) if errors else cells[name]
            for place, cell in zip(good, cells[name] if good else (), strict=True):
                columns[name][place] = cell
        columns[ERROR_COLUMN] = [None] * len(block)
        for place, error in errors.items():
            columns[ERROR_COLUMN][place] = format_error(error)
        return columns, errors, assumed

    def _answer_lines(self, block: list[PositionLine]) -> LineAnswers:
        if isinstance(self.analysis, LineAnalysis):
            return self.analysis.answer_lines(block)
        found = decode_lines(
            block, self.analysis.check_match, needs_dice=self.needs_dice, variant=self.analysis.variant
        )
        good = np.flatnonzero(found.is_good)
        cells: dict[str, list[Cell]] = {}
        if good.size:
            chosen = found if len(good) == len(block) else select_positions(found, good)
            cells = {**list_ids(chosen, self.id_forms), **self.analysis.answer(chosen)}
        return cells, found.errors, list(found.assumed.values())


def run_batch(
    lines: Iterator[PositionLine],
    maker: BlockMaker,
    block_lines: int,
    write: Callable[[Mapping[str, Sequence[Any]]], None],
    report: Callable[[PositionLine, GammondError], None],
    advance: Callable[[int, BatchCounts], None],
) -> BatchCounts:
    """Answer for lines block by block; memory does not grow with their number.

    Args:
        lines: Lines with positions.
        maker: Makes their rows.
        block_lines: How many lines make a block.
        write: Receives the rows of a block, by column.
        report: Receives each bad line.
        advance: Called after each block with the number of its last line and the counts so far.

    Returns:
        The counts of all blocks.
    """
    counts = BatchCounts()
    for made in maker.make_blocks(split_blocks(lines, block_lines)):
        counts.compute_s += made.took_s
        for place, error in sorted(made.errors.items()):
            report(made.lines[place], error)
        write(made.columns)
        counts.rows += len(made.lines)
        counts.errors += len(made.errors)
        counts.assumed.update(made.assumed)
        advance(made.lines[-1].number, counts)
    return counts


def split_blocks(lines: Iterator[PositionLine], block_lines: int) -> Iterator[list[PositionLine]]:
    """Cut lines into blocks, taken as they are needed."""
    while block := list(itertools.islice(lines, block_lines)):
        yield block
