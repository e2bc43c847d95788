"""`gammond measure frontier`: the strength of players against their speed, as a table and a picture.

Speeds are measured first, on one core, with positions of all stages of games in batches of 1,024, encoding
included. Then each player plays the same opponent with the same dice. A star marks the players that no other
one matches in both.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
from msgspec import Struct

from gammond.engine.errors import LimitError, UnsupportedError
from gammond.engine.play.player import EvaluatorPlayer, Player, ScorerPlayer
from gammond.engine.rules.position import Board
from gammond.engine.runtime.version import read_version
from gammond.engine.statistics import ValueWithError
from gammond.engine.wording import format_count
from gammond.nets.players.pubeval import PubevalPlayer
from gammond.tools.bench.gnubg_timing import measure_gnubg_rate
from gammond.tools.bench.measure import BenchmarkSubject, measure_seconds_per_call
from gammond.tools.common.command_options import CORES, Json, ToolCommand, argument, option, threads_option
from gammond.tools.common.figures import check_plot_file, make_figure, plot_option, write_figure
from gammond.tools.common.interrupts import end_with_partial
from gammond.tools.common.opponents import PLAYER_HELP, load_opponent
from gammond.tools.gnubg.nets import GnubgPlayer
from gammond.tools.tournament.round_robin import play_pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUMMARY = "measure the strength of 0-ply players against their speed"

BATCH_SIZE = 1024
"""Positions evaluated in one call, encoding included; gnubg's nets take them one by one."""

_INCHES = (9.0, 6.0)


@dataclass(frozen=True)
class FrontierPoint:
    """A player's speed and strength.

    Attributes:
        name: The player, as the command called it.
        title: What the player calls itself.
        nets: sha256 by name of the net.
        evaluations_per_s: Positions per second on one core.
        points_per_game: Cubeless money points per game against the common opponent.
        standard_error: Of `points_per_game`.
        is_on_frontier: Whether no other player is at least as fast and as strong, and ahead in one.
    """

    name: str
    title: str
    nets: dict[str, str]
    evaluations_per_s: float
    points_per_game: float
    standard_error: float
    is_on_frontier: bool = True


@dataclass(frozen=True)
class FrontierReport:
    """The measurements of all players."""

    version: str
    opponent: str
    opponent_nets: dict[str, str]
    seed: int
    games: int
    points: tuple[FrontierPoint, ...]
    seconds: float

    def as_text(self) -> str:
        """Format it for people: a line for each player, the fastest first."""
        played = f"seed {self.seed}, {self.games:,} paired games each, {self.seconds:.1f} s"
        width = max(len(point.name) for point in self.points)
        lines = [
            f"gammond {self.version}, {played}",
            f"{'':{width}}   evaluations/s  points per game against {self.opponent}",
        ]
        for point in self.points:
            star = "*" if point.is_on_frontier else " "
            score = f"{ValueWithError(point.points_per_game, point.standard_error):+.4f}"
            lines.append(f"{point.name:{width}} {star} {point.evaluations_per_s:13,.0f}  {score}")
        return "\n".join(lines) + "\n"


class FrontierOptions(Struct, frozen=True, kw_only=True):
    """Who plays whom, and how often."""

    players: Annotated[
        tuple[str, ...], argument("NET", f"0-ply players, without options: {PLAYER_HELP}", count="+")
    ]
    opponent: Annotated[str, option("opponent of all, any player")] = "pubeval"
    games: Annotated[int, option("games of each player; even", ge=4, multiple_of=2)] = 10_000
    seed: Annotated[int, option("seed of the dice, 0 or more", ge=0)] = 1
    threads: Annotated[
        int, threads_option("processes that share the games; their number changes no result")
    ] = CORES
    plot: Annotated[Path, plot_option("strength against speed")] | None = None
    json: Json = False


def run(options: FrontierOptions) -> int:
    """Measure and report.

    Returns:
        0.

    Raises:
        GammondError: A player or the opponent cannot be loaded, or a player cannot be timed; a number is out
            of range; no picture can be drawn.
        KeyboardInterrupt: Ctrl-C or SIGTERM ended the games early; players measured by then are reported.
    """
    check_plot_file(options.plot)
    opponent = load_opponent(options.opponent)
    players = {name: load_opponent(name) for name in options.players}
    started_s = time.monotonic()
    points = _measure_players(options, players)
    if not points:
        raise KeyboardInterrupt("no player was finished")
    report = FrontierReport(
        version=read_version(),
        opponent=options.opponent,
        opponent_nets=dict(opponent.nets),
        seed=options.seed,
        games=options.games,
        points=mark_frontier(points),
        seconds=round(time.monotonic() - started_s, 3),
    )
    sys.stdout.write(json.dumps(asdict(report)) + "\n" if options.json else report.as_text())
    if options.plot is not None:
        draw_frontier(report.points, opponent.name, options.plot)
    if len(points) < len(players):
        raise end_with_partial("players")
    return 0


def _measure_players(options: FrontierOptions, players: Mapping[str, Player]) -> list[FrontierPoint]:
    """Measure all speeds, then play with one player after the other; return the finished ones."""
    boards = BenchmarkSubject().boards
    speeds = {name: measure_evaluations_per_s(player, boards) for name, player in players.items()}
    points: list[FrontierPoint] = []
    for name, player in players.items():
        scores = play_pair(name, options.opponent, options.games, options.seed, options.threads)
        if scores.games < options.games:
            break
        counted = scores.counted
        if not counted.games:
            raise LimitError(f"no game between {name} and {options.opponent} ended: leave {name} out")
        if scores.endless:
            left = format_count(scores.endless, "game")
            sys.stderr.write(f"{name}: {left} did not end; {counted.games} count\n")
        strength = round(counted.score.value, 6), round(counted.score.error, 6)
        points.append(FrontierPoint(name, player.name, dict(player.nets), round(speeds[name], 1), *strength))
    return points


def mark_frontier(points: Sequence[FrontierPoint]) -> tuple[FrontierPoint, ...]:
    """Return the players, fastest first, with `FrontierPoint.is_on_frontier` set."""
    ordered = sorted(points, key=_speed_and_strength, reverse=True)
    return tuple(
        replace(point, is_on_frontier=not any(_dominates(other, point) for other in points))
        for point in ordered
    )


def _speed_and_strength(point: FrontierPoint) -> tuple[float, float]:
    return point.evaluations_per_s, point.points_per_game


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


def draw_frontier(points: Sequence[FrontierPoint], opponent: str, file: Path) -> None:
    """Draw players with their standard errors, and a line through those on the frontier.

    Args:
        points: The fastest first.
        opponent: The opponent of all.
        file: The picture; it appears whole or not at all.

    Raises:
        UnsupportedError: As `make_figure`.
        DataFileError: The file cannot be written.
    """
    figure = make_figure(file, _INCHES)
    _draw(figure.subplots(), points, opponent)
    write_figure(figure, file)


def _draw(axes: Axes, points: Sequence[FrontierPoint], opponent: str) -> None:
    best = [point for point in points if point.is_on_frontier]
    axes.plot(
        [point.evaluations_per_s for point in best],
        [point.points_per_game for point in best],
        color="C0",
        alpha=0.5,
        label="no other is as fast and as strong",
    )
    for point in points:
        at = point.evaluations_per_s, point.points_per_game
        colour = "C0" if point.is_on_frontier else "C7"
        axes.errorbar(*at, point.standard_error, fmt="o", color=colour, capsize=3)
        axes.annotate(point.title, at, xytext=(6, 6), textcoords="offset points", fontsize="small")
    axes.set_xscale("log")
    axes.margins(x=0.15, y=0.1)
    axes.set_xlabel(f"evaluations per second and core, in batches of {BATCH_SIZE:,}")
    axes.set_ylabel(f"points per game against {opponent}")
    axes.grid(which="both", alpha=0.3)
    axes.legend(fontsize="small")


COMMAND = ToolCommand(FrontierOptions, run)
