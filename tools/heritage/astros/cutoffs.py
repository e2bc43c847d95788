"""`gammond measure cutoffs`: what Star1 and Star2 cut-offs save, compared with the full average.

Each decision is a contact position of games that the net plays against itself, with a random roll. The same
search makes it without cut-offs, with Star1, with Star1 and Star2, and with both by iterative deepening; all
must choose the same play with the same value, to the last bit. Leaves are the positions that the net
evaluated, equal ones of a batch once. For comparison the engine's own search makes the decisions, once with
all replies and once with pruning and a filter, whose choices may differ.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from gammond.engine.bearoff import defer_bearoff
from gammond.engine.evaluation.evaluator import Evaluator
from gammond.engine.evaluation.pruning import PlayPruner
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.moves import expand_rolls
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import Board, Position
from gammond.engine.runtime.exit_codes import EXIT_FAULTS, EXIT_OK
from gammond.engine.runtime.version import read_version
from gammond.engine.search import (
    UNPRUNED,
    IterativeSearch,
    NPlyEvaluator,
    SearchWatch,
    TreeSearch,
    find_move_filter,
)
from gammond.engine.search.filters import DEFAULT_FILTER
from gammond.engine.search.tree import Objective
from gammond.nets.catalogue import load_pruner
from gammond.nets.heritage.astros.leaf_evaluators import EquityLeafEvaluator
from gammond.nets.heritage.astros.star_evaluator import MAX_STAR_PLIES, Cutoffs
from gammond.nets.heritage.astros.star_search import StarSearch
from gammond.tools.common.command_options import Json, ToolCommand, option
from gammond.tools.common.opponents import load_net_evaluator
from gammond.tools.common.progress import Progress
from gammond.tools.common.reports import format_json_report
from gammond.tools.common.strength import DEFAULT_NET, Net
from gammond.tools.measure.decisions import draw_contact_decisions

_ENGINE_SEARCH = "the engine's"

SUMMARY = "measure what Star1 and Star2 cut-offs save, compared with the full average"

SearchFunction = Callable[[Position, Roll], tuple[Board, float, int]]
"""Makes a decision: the position after the play, its value, and the number of leaves."""


@dataclass(frozen=True)
class SearchStats:
    """The measurements of a search.

    Attributes:
        name: Of the search.
        leaves: Positions evaluated per decision.
        share: `leaves` as a share of those of the full average.
        milliseconds: Wall-clock time per decision.
        processor_ms: CPU time per decision.
        same_play: Decisions with the play that the full average chose.
        same_value: Those with the same value too, to the last bit; None for the engine's own search, which
            adds in single precision.
    """

    name: str
    leaves: float
    share: float
    milliseconds: float
    processor_ms: float
    same_play: int
    same_value: int | None


class CutoffsOptions(Struct, frozen=True, kw_only=True):
    """Which decisions are searched, and how deep."""

    decisions: Annotated[int, option("number of decisions", ge=1)] = 200
    seed: Annotated[int, option("seed of positions and rolls, 0 or more", ge=0)] = 1
    net: Net = DEFAULT_NET
    plies: Annotated[
        int, option(f"look-ahead of all searches, 1 to {MAX_STAR_PLIES}", ge=1, le=MAX_STAR_PLIES)
    ] = 1
    json: Json = False


def run(options: CutoffsOptions) -> int:
    """Measure and report.

    Returns:
        0, or 1 where a search with cut-offs did not agree with the full average.

    Raises:
        ValueRangeError: An unknown net, or a number out of range.
        DataFileError: A net or database is missing or faulty.
    """
    evaluator = load_net_evaluator(options.net)
    decisions, _ = draw_contact_decisions(evaluator, options.decisions, options.seed)
    ways = make_searches(evaluator, load_pruner(), options.plies)
    rows = compare_searches(ways, decisions)
    if options.json:
        report = {"net": evaluator.name, "plies": options.plies, "seed": options.seed}
        rows_json = [asdict(row) for row in rows]
        sys.stdout.write(format_json_report(**report, decisions=len(decisions), rows=rows_json))
    else:
        head = f"gammond {read_version()}, {evaluator.name}, {options.plies}-ply, seed {options.seed}: "
        sys.stdout.write(f"{head}{len(decisions):,} contact decisions\n{_format_table(rows)}")
    is_exact = all(row.same_value == len(decisions) for row in rows if row.same_value is not None)
    return EXIT_OK if is_exact else EXIT_FAULTS


def make_searches(evaluator: Evaluator, pruner: PlayPruner, plies: int) -> dict[str, SearchFunction]:
    """Make the searches, the full average first.

    Args:
        evaluator: Evaluates the leaves.
        pruner: Prunes replies.
        plies: Look-ahead of all.
    """
    exact = (defer_bearoff().two_sided,)
    leaves = EquityLeafEvaluator(evaluator, exact)

    def star(cutoffs: Cutoffs, *, is_deepening: bool = False) -> SearchFunction:
        search = StarSearch(leaves, pruner, cutoffs, is_deepening=is_deepening)

        def decide(position: Position, roll: Roll) -> tuple[Board, float, int]:
            found = search.search(position, roll, plies)
            return found.best[0].result, found.best[0].value, found.effort.nodes

        return decide

    def unpruned(position: Position, roll: Roll) -> tuple[Board, float, int]:
        watch = SearchWatch()
        children, _, _ = expand_rolls(position.board[None], np.array([roll], np.int8))
        search = NPlyEvaluator(evaluator, None, plies, UNPRUNED, exact=exact)
        equities = -cubeless_equity(search.evaluate(children, watch))
        best = int(equities.argmax())
        return children[best], float(equities[best]), watch.nodes

    pruned_search = IterativeSearch(Objective(evaluator), TreeSearch(pruner))

    def pruned(position: Position, roll: Roll) -> tuple[Board, float, int]:
        watch = SearchWatch()
        found = pruned_search.rank(position, roll, plies, find_move_filter(DEFAULT_FILTER), watch)
        return found.best.play.result.board, found.best.evaluation.equity, watch.nodes

    return {
        "full average": star(Cutoffs.NONE),
        "star1": star(Cutoffs.STAR1),
        "star1 and star2": star(Cutoffs.STAR2),
        "star1 and star2, depth by depth": star(Cutoffs.STAR2, is_deepening=True),
        f"{_ENGINE_SEARCH}, all replies": unpruned,
        f"{_ENGINE_SEARCH}, filter {DEFAULT_FILTER}": pruned,
    }


def compare_searches(
    search_functions: dict[str, SearchFunction], decisions: list[tuple[Position, Roll]]
) -> list[SearchStats]:
    """Make all decisions by each search, and compare them with the first one's."""
    rows: list[SearchStats] = []
    reference: list[tuple[Board, float, int]] = []
    with Progress(len(search_functions) * len(decisions), "decisions") as bar:
        for number, (name, decide) in enumerate(search_functions.items()):
            decide(*decisions[0])  # compiles kernels, and starts what has to be started
            found, times = [], []
            for done, decision in enumerate(decisions, 1):
                clock, processor = time.monotonic(), time.process_time()
                found.append(decide(*decision))
                times.append((time.monotonic() - clock, time.process_time() - processor))
                bar.update(number * len(decisions) + done, name)
            reference = reference or found
            rows.append(_compute_stats(name, found, reference, np.array(times)))
    return rows


def _compute_stats(
    name: str,
    results: list[tuple[Board, float, int]],
    reference: list[tuple[Board, float, int]],
    times: NDArray[np.float64],
) -> SearchStats:
    leaves, full = (float(np.mean([each[2] for each in side])) for side in (results, reference))
    pairs = list(zip(results, reference, strict=True))
    same = [np.array_equal(mine[0], theirs[0]) for mine, theirs in pairs]
    values = [each and mine[1] == theirs[1] for each, (mine, theirs) in zip(same, pairs, strict=True)]
    clock_ms, processor_ms = 1000.0 * times.mean(axis=0)
    return SearchStats(
        name=name,
        leaves=round(leaves, 1),
        share=round(leaves / full, 5),
        milliseconds=round(float(clock_ms), 3),
        processor_ms=round(float(processor_ms), 3),
        same_play=sum(same),
        same_value=None if name.startswith(_ENGINE_SEARCH) else sum(values),
    )


def _format_table(rows: list[SearchStats]) -> str:
    width = max(len(row.name) for row in rows)
    lines = [f"{'':<{width}}  {'leaves':>12}  {'share':>7}  {'ms':>9}  {'cpu ms':>9}  same play  same value"]
    lines += [
        f"{row.name:<{width}}  {row.leaves:12,.0f}  {row.share:7.2%}  {row.milliseconds:9.1f}  "
        f"{row.processor_ms:9.1f}  {row.same_play:9,}  "
        f"{'-' if row.same_value is None else f'{row.same_value:,}':>10}"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


COMMAND = ToolCommand(CutoffsOptions, run)
