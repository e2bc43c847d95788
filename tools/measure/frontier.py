"""`gammond measure frontier`: what players lose against how fast they are, as a table and a picture.

Speeds are measured first, on one core, with positions of all stages of games in batches of 1,024, encoding
included. Then all players choose plays for the same rolls in contact positions of self-play, and where they
choose differently a reference evaluates what they chose. A loss is by its cubeless equity, against the best
of these plays: so what players lose depends on who they are, and the differences do not. A star marks the
players that no other one matches in both.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from gammond.engine.errors import UnsupportedError
from gammond.engine.evaluation.evaluator import Evaluator
from gammond.engine.match_analysis.statistics import MILLIPOINTS
from gammond.engine.play.player import EvaluatorPlayer, Player, ScorerPlayer
from gammond.engine.rules.outcome import cubeless_equity
from gammond.engine.rules.position import Board
from gammond.engine.runtime.version import read_version
from gammond.engine.statistics import ValueWithError
from gammond.nets.players.pubeval import PubevalPlayer
from gammond.tools.bench.gnubg_timing import measure_gnubg_rate
from gammond.tools.bench.measure import BenchmarkSubject, measure_seconds_per_call
from gammond.tools.common.command_options import Json, ToolCommand, argument, option
from gammond.tools.common.figures import check_plot_file, make_figure, plot_option, write_figure
from gammond.tools.common.interrupts import end_with_partial
from gammond.tools.common.opponents import PLAYER_HELP, load_deep_evaluator, load_net_evaluator, load_opponent
from gammond.tools.common.progress import Progress
from gammond.tools.common.reports import format_json_report, format_table
from gammond.tools.common.strength import DEFAULT_NET, net_option
from gammond.tools.gnubg.nets import GnubgPlayer
from gammond.tools.measure.decisions import draw_contact_decisions, estimate_mean_by_game

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUMMARY = "measure what 0-ply players lose against their speed"

BATCH_SIZE = 1024
"""Positions evaluated in one call, encoding included; gnubg's nets take them one by one."""

_INCHES = (9.0, 6.0)
_LINEAR_BELOW = 0.1
"""Losses of a picture below this many thousandths are to scale, as the best player may lose nothing."""

_DECISIONS_AT_ONCE = 256


@dataclass(frozen=True)
class FrontierPoint:
    """A player's speed, and what it loses.

    Attributes:
        name: The player, as the command called it.
        title: What the player calls itself.
        nets: sha256 by name of the net.
        evaluations_per_s: Positions per second on one core.
        lost: Mean loss of a decision, in thousandths of a point.
        less_first: The same less that of the first player; 0 for itself.
        is_on_frontier: Whether no other player is at least as fast and loses as little, and is ahead in one.
    """

    name: str
    title: str
    nets: dict[str, str]
    evaluations_per_s: float
    lost: ValueWithError
    less_first: ValueWithError
    is_on_frontier: bool = True


@dataclass(frozen=True)
class FrontierReport:
    """The measurements of all players."""

    version: str
    reference: str
    net: str
    seed: int
    decisions: int
    differing: int
    points: tuple[FrontierPoint, ...]
    seconds: float

    def as_text(self) -> str:
        """Format it for people: a line for each player, the fastest first."""
        title = (
            f"gammond {self.version}, seed {self.seed}: {self.decisions:,} decisions of {self.net}'s games, "
            f"{self.differing:,} of them decided differently, {self.seconds:.1f} s\n"
        )
        head = "player", "", "evaluations/s", f"lost by {self.reference}, thousandths", "less the first's"
        rows = [
            (
                point.name,
                "*" if point.is_on_frontier else "",
                f"{point.evaluations_per_s:,.0f}",
                f"{point.lost:.2f}",
                f"{point.less_first:+.2f}",
            )
            for point in self.points
        ]
        return title + format_table(head, rows)


class FrontierOptions(Struct, frozen=True, kw_only=True):
    """Who decides what, and who evaluates the decisions."""

    players: Annotated[
        tuple[str, ...], argument("NET", f"0-ply players, without options: {PLAYER_HELP}", count="+")
    ]
    reference: Annotated[
        str,
        option(
            "evaluates the plays that were chosen: an evaluator, with :plies=1 or :plies=2 behind it to look "
            "ahead; 'gnubg:plies=1' is independent of gammond's nets",
            "NAME",
            shown="the default net at 2-ply",
        ),
    ] = f"{DEFAULT_NET}:plies=2"
    decisions: Annotated[int, option("decisions, of contact positions", ge=2)] = 10_000
    net: Annotated[str, net_option("evaluator that plays the games")] = DEFAULT_NET
    seed: Annotated[int, option("seed of the dice, 0 or more", ge=0)] = 1
    plot: Annotated[Path, plot_option("losses against speed")] | None = None
    json: Json = False


def run(options: FrontierOptions) -> int:
    """Measure and report.

    Returns:
        0.

    Raises:
        GammondError: A player or the reference cannot be loaded, or a player cannot be timed; a number is out
            of range; no picture can be drawn.
        KeyboardInterrupt: Ctrl-C or SIGTERM; the decisions evaluated by then are reported.
    """
    check_plot_file(options.plot)
    reference, net = load_deep_evaluator(options.reference), load_net_evaluator(options.net)
    players = {name: load_opponent(name) for name in options.players}
    started_s = time.monotonic()
    subject = BenchmarkSubject().boards
    speeds = {name: measure_evaluations_per_s(player, subject) for name, player in players.items()}
    decisions, games = draw_contact_decisions(net, options.decisions, options.seed)
    boards = np.stack([position.board for position, _ in decisions])
    dice = np.array([roll for _, roll in decisions], np.int8)
    chosen = np.stack([player.choose(boards, dice) for player in players.values()])
    losses = _measure_losses(reference, chosen)
    evaluated = losses.shape[1]
    if not evaluated:
        raise KeyboardInterrupt("no decision was evaluated")
    points = [
        FrontierPoint(
            name,
            player.name,
            dict(player.nets),
            round(speeds[name], 1),
            estimate_mean_by_game(lost, games[:evaluated]),
            estimate_mean_by_game(lost - losses[0], games[:evaluated]),
        )
        for (name, player), lost in zip(players.items(), losses, strict=True)
    ]
    report = FrontierReport(
        version=read_version(),
        reference=options.reference,
        net=net.name,
        seed=options.seed,
        decisions=evaluated,
        differing=int(losses.any(axis=0).sum()),
        points=mark_frontier(points),
        seconds=round(time.monotonic() - started_s, 3),
    )
    sys.stdout.write(format_json_report(**asdict(report)) if options.json else report.as_text())
    if options.plot is not None:
        draw_frontier(report.points, options.reference, options.plot)
    if evaluated < len(decisions):
        raise end_with_partial("decisions")
    return 0


def _measure_losses(reference: Evaluator, chosen: Board) -> NDArray[np.float64]:
    """Evaluate what players chose, and compare it with the best of it.

    Args:
        reference: Evaluates the positions after the plays.
        chosen: ``int8[p, n, 2, 26]``, by player and decision, as the next mover sees them.

    Returns:
        ``float64[p, n]``, thousandths of a point, 0 or more; of those evaluated until Ctrl-C or SIGTERM came.
    """
    count = chosen.shape[1]
    parts = [np.zeros((len(chosen), 0))]
    with suppress(KeyboardInterrupt), Progress(count, reference.name) as bar:
        for start in range(0, count, _DECISIONS_AT_ONCE):
            some = chosen[:, start : start + _DECISIONS_AT_ONCE]
            differs = (some != some[0]).any(axis=(0, 2, 3))
            equities = np.zeros(some.shape[:2])
            after = some[:, differs]
            distinct, place = np.unique(after.reshape(-1, 2, 26), axis=0, return_inverse=True)
            if len(distinct):
                values = -cubeless_equity(reference.evaluate(distinct))
                equities[:, differs] = values[place].reshape(after.shape[:2])
            parts.append(MILLIPOINTS * (equities.max(axis=0) - equities))
            bar.update(start + some.shape[1])
    return np.concatenate(parts, axis=1)


def mark_frontier(points: Sequence[FrontierPoint]) -> tuple[FrontierPoint, ...]:
    """Return the players, fastest first, with `FrontierPoint.is_on_frontier` set."""
    ordered = sorted(points, key=_speed_and_strength, reverse=True)
    return tuple(
        replace(point, is_on_frontier=not any(_dominates(other, point) for other in points))
        for point in ordered
    )


def _speed_and_strength(point: FrontierPoint) -> tuple[float, float]:
    return point.evaluations_per_s, -point.lost.value


def _dominates(one: FrontierPoint, other: FrontierPoint) -> bool:
    place, other_place = _speed_and_strength(one), _speed_and_strength(other)
    return place != other_place and place[0] >= other_place[0] and place[1] >= other_place[1]


def measure_evaluations_per_s(player: Player, boards: Board) -> float:
    """Measure how fast a player evaluates positions.

    Args:
        player: A 0-ply player.
        boards: ``int8[n, 2, 26]`` of all stages of games, at least `BATCH_SIZE`.

    Returns:
        Positions per second of CPU time, which other programs on the machine change little.

    Raises:
        UnsupportedError: The player evaluates no positions, or looks ahead.
    """
    batch = boards[:BATCH_SIZE]
    match player:
        case EvaluatorPlayer():
            return _measure_rate(partial(player.evaluator.evaluate, batch))
        case ScorerPlayer():
            return _measure_rate(partial(player.scorer.score_boards, batch))
        case PubevalPlayer():
            return _measure_rate(partial(_choose_from_batch, player, batch))
        case GnubgPlayer(plies=0):
            return measure_gnubg_rate(boards)
    raise UnsupportedError(
        f"{player.name!r} cannot be timed: expected a 0-ply player without options",
        field="player",
    )


def _measure_rate(evaluate_batch: Callable[[], object]) -> float:
    return BATCH_SIZE / measure_seconds_per_call(evaluate_batch, clock=time.process_time)


def _choose_from_batch(player: PubevalPlayer, children: Board) -> None:
    """Choose as if all positions were the plays of one roll."""
    player.pick_highest(children, np.array([0, len(children)]), np.zeros(1, np.bool_))


def draw_frontier(points: Sequence[FrontierPoint], reference: str, file: Path) -> None:
    """Draw players with their standard errors, and a line through those on the frontier.

    Args:
        points: The fastest first.
        reference: By whom they lose.
        file: The picture; it appears whole or not at all.

    Raises:
        UnsupportedError: As `make_figure`.
        DataFileError: The file cannot be written.
    """
    figure = make_figure(file, _INCHES)
    _draw(figure.subplots(), points, reference)
    write_figure(figure, file)


def _draw(axes: Axes, points: Sequence[FrontierPoint], reference: str) -> None:
    best = [point for point in points if point.is_on_frontier]
    axes.plot(
        [point.evaluations_per_s for point in best],
        [point.lost.value for point in best],
        color="C0",
        alpha=0.5,
        label="no other is as fast and loses as little",
    )
    for point in points:
        at = point.evaluations_per_s, point.lost.value
        colour = "C0" if point.is_on_frontier else "C7"
        axes.errorbar(*at, point.lost.error, fmt="o", color=colour, capsize=3)
        axes.annotate(point.title, at, xytext=(6, 6), textcoords="offset points", fontsize="small")
    axes.set_xscale("log")
    axes.margins(x=0.15, y=0.1)
    axes.set_xlabel(f"evaluations per second and core, in batches of {BATCH_SIZE:,}")
    axes.set_ylabel(f"lost a decision by {reference}, thousandths of a point")
    axes.set_yscale("symlog", linthresh=_LINEAR_BELOW, subs=range(2, 10))
    axes.invert_yaxis()
    for ticks in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
        ticks("{x:g}")
    axes.grid(which="both", alpha=0.3)
    axes.legend(fontsize="small")


COMMAND = ToolCommand(FrontierOptions, run)
