"""Measure what pruning and move filters cost: a search compared with an exact one.

The positions are contact positions of games that the net plays against itself, each with a random roll. Both
searches have the same depth. The exact one follows all legal replies and evaluates every play that is near
the best one at one ply less; at 2 plies it takes some seconds per decision.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from gammond.engine.errors import ValueRangeError
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.match_analysis.statistics import MILLIPOINTS
from gammond.engine.rules.dice import Roll, format_roll
from gammond.engine.rules.position import Position
from gammond.engine.runtime.version import read_version
from gammond.engine.search import FILTERS, MAX_PLIES, UNPRUNED, IterativeSearch, TreeSearch, find_move_filter
from gammond.engine.search.filters import DEFAULT_FILTER, FilterStage, MoveFilter
from gammond.engine.search.tree import Objective
from gammond.engine.statistics import ValueWithError
from gammond.engine.wording import format_count
from gammond.nets.catalogue import load_pruner
from gammond.tools.common.command_options import Json, ToolCommand, option, threads_option
from gammond.tools.common.opponents import load_net_evaluator
from gammond.tools.common.progress import Progress
from gammond.tools.common.reports import format_json_report
from gammond.tools.common.strength import DEFAULT_NET, Net
from gammond.tools.measure.decisions import draw_contact_decisions, estimate_mean_by_game

SUMMARY = "measure what pruning and move filters cost, compared with an exact search"


NEAR_POINTS = 0.25

NEAR_FILTER = MoveFilter("near", (FilterStage(1, 4096, NEAR_POINTS),) * MAX_PLIES)
"""All plays within `NEAR_POINTS` of the best one at the depth before."""


class PruningOptions(Struct, frozen=True, kw_only=True):
    """Which decisions are measured, and the two searches."""

    decisions: Annotated[int, option("number of decisions", ge=2)] = 1000
    seed: Annotated[int, option("seed of positions and rolls, 0 or more", ge=0)] = 1
    net: Net = DEFAULT_NET
    plies: Annotated[int, option("look-ahead of both searches, 1 or more", ge=0, le=MAX_PLIES)] = 1
    filter: Annotated[str, option(", ".join(FILTERS))] = DEFAULT_FILTER
    threads: Annotated[int, threads_option("threads for one search", shown=None)] = 1
    json: Json = False


def run(options: PruningOptions) -> int:
    """Measure and report.

    Returns:
        0.

    Raises:
        ValueRangeError: An unknown filter or net, or a number out of range.
        DataFileError: A net or database is missing or faulty.
    """
    if options.plies == 0:
        raise ValueRangeError(
            "--plies: expected 1 or more, got 0: without look-ahead nothing is pruned", field="plies"
        )
    chosen_filter = find_move_filter(options.filter)
    evaluator, pruner = load_net_evaluator(options.net), load_pruner()
    objective = Objective(evaluator)
    search = IterativeSearch(objective, TreeSearch(pruner, threads=options.threads))
    exact = IterativeSearch(objective, TreeSearch(None, UNPRUNED, threads=options.threads))
    decisions, games = draw_contact_decisions(evaluator, options.decisions, options.seed)
    started_s = time.monotonic()
    with Progress(len(decisions), f"{options.plies}-ply, {options.filter}") as bar:
        done = iter(range(1, len(decisions) + 1))
        costs = measure_choice_costs(
            search, exact, decisions, options.plies, chosen_filter, on_decision=lambda: bar.update(next(done))
        )
    report = make_report(options, evaluator.name, decisions, games, costs, time.monotonic() - started_s)
    sys.stdout.write(format_json_report(**asdict(report)) if options.json else report.as_text())
    return 0


def measure_choice_costs(
    search: IterativeSearch,
    exact: IterativeSearch,
    decisions: Sequence[tuple[Position, Roll]],
    plies: int,
    move_filter: MoveFilter,
    on_decision: Callable[[], None] | None = None,
) -> NDArray[np.float64]:
    """Measure how much worse the choices of a search are, by an exact search of the same depth.

    The exact search evaluates all plays that are within `NEAR_POINTS` of the best one at one ply less, and
    the choice itself.

    Args:
        search: The one to measure.
        exact: The same evaluator with `gammond.engine.search.tree.UNPRUNED`.
        decisions: Positions and rolls.
        plies: Of both searches.
        move_filter: Of the search to measure.
        on_decision: Called after each decision.

    Returns:
        ``float64[n]``, points, 0 or more.
    """
    costs = np.zeros(len(decisions))
    for i, (position, roll) in enumerate(decisions):
        choice = search.rank(position, roll, plies, move_filter).best.play
        reference = exact.rank(position, roll, plies, NEAR_FILTER)
        known = {each.play: each.evaluation.equity for each in reference if each.survived}
        equity = known.get(choice)
        if equity is None:
            equity = exact.evaluate_play(position, roll, choice, plies).evaluation.equity
        costs[i] = max(reference.best.evaluation.equity - equity, 0.0)
        if on_decision is not None:
            on_decision()
    return costs


@dataclass(frozen=True)
class SearchQualityReport:
    """What a search loses against an exact one, in thousandths of a point per decision.

    Attributes:
        version: Of the program.
        net: The evaluator.
        plies: Look-ahead of both searches.
        filter: The move filter.
        seed: Of positions and rolls.
        decisions: How many were compared.
        games: Of how many games they are.
        mean: Mean loss.
        standard_error: Of the mean, by games; nan if all are of one.
        wrong: How many choices lost anything.
        worst: The greatest loss.
        worst_position: GNU position ID of that decision; None if no choice lost anything.
        worst_roll: Its roll, or None.
        seconds: How long it took.
    """

    version: str
    net: str
    plies: int
    filter: str
    seed: int
    decisions: int
    games: int
    mean: float
    standard_error: float
    wrong: int
    worst: float
    worst_position: str | None
    worst_roll: Roll | None
    seconds: float

    def as_text(self) -> str:
        """Format it for people: two lines, and one for the worst choice."""
        worst = ""
        if self.worst_roll is not None:
            worst = (
                f"worst: {self.worst:.1f} thousandths, position {self.worst_position} "
                f"roll {format_roll(self.worst_roll)}\n"
            )
        lost = f"{ValueWithError(self.mean, self.standard_error):.3f} thousandths of a point"
        return (
            f"gammond {self.version}, {self.net}, {self.plies}-ply, filter {self.filter}, seed {self.seed}: "
            f"{self.decisions:,} contact decisions of {format_count(self.games, 'game')} in "
            f"{self.seconds:.0f} s\n"
            f"lost by pruning and filter: {lost}, {self.wrong:,} worse choices\n"
            f"{worst}"
        )


def make_report(
    options: PruningOptions,
    net: str,
    decisions: list[tuple[Position, Roll]],
    games: NDArray[np.int64],
    costs: NDArray[np.float64],
    seconds: float,
) -> SearchQualityReport:
    """Make the report from the costs of decisions and the numbers of their games."""
    position, roll = decisions[int(np.argmax(costs))]
    points = MILLIPOINTS * costs
    is_any_worse = bool(points.max() > 0)
    lost = estimate_mean_by_game(points, games)
    return SearchQualityReport(
        version=read_version(),
        net=net,
        plies=options.plies,
        filter=options.filter,
        seed=options.seed,
        decisions=len(costs),
        games=len(np.unique(games)),
        mean=round(lost.value, 4),
        standard_error=round(lost.error, 4),
        wrong=int((costs > 0).sum()),
        worst=round(float(points.max()), 3),
        worst_position=encode_position_id(position) if is_any_worse else None,
        worst_roll=roll if is_any_worse else None,
        seconds=round(seconds, 3),
    )


COMMAND = ToolCommand(PruningOptions, run)
