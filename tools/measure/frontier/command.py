"""`gammond measure frontier`: the strength of players against their speed, as a table and a picture.

Speeds are measured first, on one core, with positions of all stages of games in batches of 1,024, encoding
included. Then each player plays the same opponent with the same dice. A star marks the players that no other
one matches in both.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from gammond.engine.errors import LimitError
from gammond.engine.play.player import Player
from gammond.engine.runtime.exit_codes import EXIT_INTERRUPTED
from gammond.engine.runtime.machine import count_usable_cores
from gammond.engine.runtime.version import read_version
from gammond.engine.wording import format_count
from gammond.tools.bench.measure import BenchmarkSubject
from gammond.tools.common.figures import add_plot_option, check_plot_file
from gammond.tools.common.opponents import PLAYER_HELP, load_opponent
from gammond.tools.measure.frontier.plot import draw_frontier
from gammond.tools.measure.frontier.points import FrontierPoint, mark_frontier, measure_evaluations_per_s
from gammond.tools.tournament.command import check_game_options
from gammond.tools.tournament.round_robin import play_pair
from gammond.tools.tournament.statistics.scores import estimate_mean

SUMMARY = "measure the strength of 0-ply players against their speed"


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
            score = f"{point.points_per_game:+.4f} ± {point.standard_error:.4f}"
            lines.append(f"{point.name:{width}} {star} {point.evaluations_per_s:13,.0f}  {score}")
        return "\n".join(lines) + "\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "players", nargs="+", metavar="NET", help=f"0-ply players, without options: {PLAYER_HELP}"
    )
    parser.add_argument("--opponent", default="pubeval", help="opponent of all, any player (default pubeval)")
    parser.add_argument(
        "--games", type=int, default=10_000, help="games of each player, even (default 10000)"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the dice, 0 or more (default 1)")
    parser.add_argument(
        "--threads",
        type=int,
        default=count_usable_cores(),
        help="processes that share the games; their number changes no result (default one for each core)",
    )
    add_plot_option(parser, "strength against speed")
    parser.add_argument("--json", action="store_true", help="write one JSON object instead of the table")


def main(args: argparse.Namespace) -> int:
    """Measure and report.

    Returns:
        0, or 130 when Ctrl-C or SIGTERM ended the games early; players measured by then are reported.

    Raises:
        GammondError: A player or the opponent cannot be loaded, or a player cannot be timed; a number is out
            of range; no picture can be drawn.
    """
    check_game_options(args.games, args.threads)
    check_plot_file(args.plot)
    opponent = load_opponent(args.opponent)
    players = {name: load_opponent(name) for name in args.players}
    started_s = time.monotonic()
    points = _measure_players(args, players)
    if not points:
        sys.stderr.write("gammond: interrupted, no player was finished\n")
        return EXIT_INTERRUPTED
    if len(points) < len(players):
        sys.stderr.write("gammond: interrupted, reporting the players measured so far\n")
    report = FrontierReport(
        version=read_version(),
        opponent=args.opponent,
        opponent_nets=dict(opponent.nets),
        seed=args.seed,
        games=args.games,
        points=mark_frontier(points),
        seconds=round(time.monotonic() - started_s, 3),
    )
    sys.stdout.write(json.dumps(asdict(report)) + "\n" if args.json else report.as_text())
    if args.plot is not None:
        draw_frontier(report.points, opponent.name, args.plot)
    return 0 if len(points) == len(players) else EXIT_INTERRUPTED


def _measure_players(args: argparse.Namespace, players: Mapping[str, Player]) -> list[FrontierPoint]:
    """Measure all speeds, then play with one player after the other; return the finished ones."""
    boards = BenchmarkSubject().boards
    speeds = {name: measure_evaluations_per_s(player, boards) for name, player in players.items()}
    points: list[FrontierPoint] = []
    for name, player in players.items():
        scores = play_pair(name, args.opponent, args.games, args.seed, args.threads)
        if scores.games < args.games:
            break
        counted = scores.counted
        if not counted.games:
            raise LimitError(f"no game between {name} and {args.opponent} ended: leave {name} out")
        if scores.endless:
            left = format_count(scores.endless, "game")
            sys.stderr.write(f"{name}: {left} did not end; {counted.games} count\n")
        mean_points = estimate_mean(counted.pair_values)
        strength = round(mean_points.mean, 6), round(mean_points.standard_error, 6)
        points.append(FrontierPoint(name, player.name, dict(player.nets), round(speeds[name], 1), *strength))
    return points
