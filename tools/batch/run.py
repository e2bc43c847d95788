"""The loop of `gammond batch`: blocks of lines in, blocks of rows out, made here or by a cluster."""

from __future__ import annotations

import itertools
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.errors import GammondError
from gammond.engine.rules.rules import VARIANTS, Rules
from gammond.engine.search.filters import DEFAULT_FILTER
from gammond.protocol.games import OTHER_GAMES
from gammond.tools.batch.evaluation import BatchEvaluator, LineAnalysis
from gammond.tools.batch.lines import PLAIN_COLUMNS, PositionLine
from gammond.tools.batch.options import BatchOptions
from gammond.tools.batch.rollouts import BatchRollouts
from gammond.tools.batch.rows import ERROR_COLUMN, LINE_COLUMN, format_error
from gammond.tools.common.opponents import load_net_engine
from gammond.tools.parallel.executor import Executor


@dataclass
class BatchCounts:
    """Counts of a run: rows written, error rows among them.

    Attributes:
        assumed: What was assumed of positions that programs write in more than one way, and of how many.
    """

    rows: int = 0
    errors: int = 0
    assumed: Counter[str] = field(default_factory=Counter)


class BlockRows(NamedTuple):
    """The rows of a block of lines.

    Attributes:
        lines: The lines.
        columns: The rows by column.
        errors: The errors of bad lines by place.
        assumed: What was assumed of others.
    """

    lines: list[PositionLine]
    columns: dict[str, list[Any]]
    errors: dict[int, GammondError]
    assumed: list[str]


@dataclass(frozen=True)
class BlockAnalysis:
    """Makes the rows of a block of lines: of positions, what the analysis says of them.

    Attributes:
        analysis: Of the positions.
        carried: The columns of the input that the rows have too.
        has_line_numbers: Whether rows begin with the number of their line.
    """

    analysis: LineAnalysis
    carried: tuple[str, ...] = PLAIN_COLUMNS
    has_line_numbers: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the rows."""
        first = (LINE_COLUMN,) if self.has_line_numbers else ()
        return (*first, *self.carried, *self.analysis.columns, ERROR_COLUMN)

    def make_rows(self, block: list[PositionLine]) -> BlockRows:
        """Make the rows of lines."""
        cells, errors, assumed = self.analysis.answer_lines(block)
        columns: dict[str, list[Any]] = {}
        if self.has_line_numbers:
            columns[LINE_COLUMN] = [line.number for line in block]
        for place, name in enumerate(self.carried):
            columns[name] = [line.cells[place] for line in block]
        good = [place for place in range(len(block)) if place not in errors] if errors else []
        for name in self.analysis.columns:
            columns[name] = [None] * len(block) if errors else cells[name]
            for place, cell in zip(good, cells[name] if good else (), strict=True):
                columns[name][place] = cell
        columns[ERROR_COLUMN] = [None] * len(block)
        for place, error in errors.items():
            columns[ERROR_COLUMN][place] = format_error(error)
        return BlockRows(block, columns, errors, assumed)


def load_analysis(options: BatchOptions, threads: int) -> LineAnalysis:
    """Load what the options of a run ask for, to be used by one thread.

    Args:
        options: Of the command.
        threads: Threads that search, rank plays or roll out.

    Raises:
        GammondError: An option is out of range, or the net cannot be loaded.
    """
    if options.variant in OTHER_GAMES:
        from gammond.tools.batch.other_games import load_game_analysis  # backgammon does without it

        return load_game_analysis(options, threads)
    rules, is_cubeful = Rules(VARIANTS[options.variant]), not options.cubeless
    if options.is_rollout:
        numbers = options.rollouts.numbers.read(options.plies, threads)
        engine = load_net_engine(options.net, threads).with_rules(rules)
        return BatchRollouts(
            engine, numbers, is_cubeful=is_cubeful, wants=options.wants, id_forms=options.id_forms
        )
    settings = EvalSettings(options.plies or 0, options.filter or DEFAULT_FILTER, is_cubeful)
    engine = load_net_engine(options.net, threads).with_rules(rules)
    return BatchEvaluator(engine, settings, wants=options.wants, id_forms=options.id_forms, threads=threads)


def share_rows(
    executor: Executor,
    options: BatchOptions,
    carried: tuple[str, ...],
    blocks: Iterable[list[PositionLine]],
) -> Iterator[BlockRows]:
    """Have the rows of blocks made by an executor, in the order of the blocks.

    Args:
        executor: Does the work; its workers get the lines and the options of the run.
        options: Of the command.
        carried: The columns of the input that the rows have too.
        blocks: Lines.
    """
    return executor.map(partial(_make_rows, secrets.token_hex(8), options, carried), blocks)


_loaded: dict[str, BlockAnalysis] = {}
"""In a worker, what makes the rows of the run at hand, by its key."""


def _make_rows(
    key: str, options: BatchOptions, carried: tuple[str, ...], block: list[PositionLine]
) -> BlockRows:
    if key not in _loaded:
        _loaded.clear()
        _loaded[key] = BlockAnalysis(load_analysis(options, 1), carried, options.line_numbers)
    return _loaded[key].make_rows(block)


def run_batch(
    made: Iterable[BlockRows],
    write: Callable[[Mapping[str, Sequence[Any]]], None],
    report: Callable[[PositionLine, GammondError], None],
    advance: Callable[[int, BatchCounts], None],
) -> BatchCounts:
    """Write the rows of one block after the other; memory does not grow with their number.

    Args:
        made: The rows, made as they are needed.
        write: Receives the rows of a block, by column.
        report: Receives each bad line.
        advance: Called after each block with the number of its last line and the counts so far.

    Returns:
        The counts of all blocks.
    """
    counts = BatchCounts()
    for block in made:
        for place, error in sorted(block.errors.items()):
            report(block.lines[place], error)
        write(block.columns)
        counts.rows += len(block.lines)
        counts.errors += len(block.errors)
        counts.assumed.update(block.assumed)
        advance(block.lines[-1].number, counts)
    return counts


def split_blocks(lines: Iterator[PositionLine], block_lines: int) -> Iterator[list[PositionLine]]:
    """Cut lines into blocks, taken as they are needed."""
    while block := list(itertools.islice(lines, block_lines)):
        yield block
