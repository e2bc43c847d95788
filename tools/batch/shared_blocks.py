"""Blocks of lines whose rows the workers of a cluster make: they get the lines and the options of the run."""

from __future__ import annotations

import argparse
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.rules.rules import VARIANTS, Rules
from gammond.engine.search.filters import DEFAULT_FILTER
from gammond.tools.batch.evaluation import BatchAnalysis, load_batch_evaluator
from gammond.tools.batch.lines import PositionLine
from gammond.tools.batch.rollouts import BatchRollouts
from gammond.tools.batch.run import BlockAnalysis, BlockRows, MadeBlock
from gammond.tools.common.opponents import load_net_engine
from gammond.tools.common.rollout_options import QUICK, read_rollout_options
from gammond.tools.parallel.executor import Executor


def load_analysis(args: argparse.Namespace, threads: int) -> BatchAnalysis:
    """Load what the options of a run ask for.

    Raises:
        GammondError: A net cannot be loaded, or an option is out of range.
    """
    is_cubeful, variant = not args.cubeless, VARIANTS[args.variant]
    if not args.rollout:
        return load_batch_evaluator(
            args.net,
            EvalSettings(args.plies or 0, args.filter or DEFAULT_FILTER, is_cubeful),
            threads=threads,
            wants=args.want,
            variant=variant,
        )
    options = read_rollout_options(args, threads, QUICK)
    engine = load_net_engine(args.net, threads).with_rules(Rules(variant))
    return BatchRollouts(engine, options, is_cubeful=is_cubeful, wants=args.want)


@dataclass(frozen=True)
class _Options:
    """The options of a run, as workers get them.

    Attributes:
        key: Of the run.
        args: Of the command.
        make_blocks: Makes what makes rows, given the analysis of positions.
    """

    key: str
    args: argparse.Namespace
    make_blocks: Callable[[BatchAnalysis], BlockAnalysis]


class SharedBlocks:
    """Makes the rows of blocks by an executor, in the order of the blocks.

    Args:
        executor: Does the work.
        args: Of the command.
        blocks: How rows are made here.
    """

    def __init__(self, executor: Executor, args: argparse.Namespace, blocks: BlockAnalysis) -> None:
        self._executor = executor
        make_blocks = partial(
            BlockAnalysis,
            carried=blocks.carried,
            id_forms=blocks.id_forms,
            needs_dice=blocks.needs_dice,
            has_line_numbers=blocks.has_line_numbers,
        )
        self._options = _Options(secrets.token_hex(8), args, make_blocks)

    def make_blocks(self, blocks: Iterator[list[PositionLine]]) -> Iterator[MadeBlock]:
        """Make the rows of blocks, as `gammond.tools.batch.run.BlockMaker`."""
        began_s = time.perf_counter()
        for lines, rows in self._executor.map(partial(_make_rows, self._options), blocks):
            yield MadeBlock(lines, *rows, time.perf_counter() - began_s)
            began_s = time.perf_counter()


_loaded: dict[str, BlockAnalysis] = {}
"""In a worker, what makes the rows of the run at hand, by its key."""


def _make_rows(options: _Options, block: list[PositionLine]) -> tuple[list[PositionLine], BlockRows]:
    blocks = _loaded.get(options.key)
    if blocks is None:
        _loaded.clear()
        blocks = _loaded[options.key] = options.make_blocks(load_analysis(options.args, 1))
    return block, blocks.make_rows(block)
