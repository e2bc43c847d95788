"""`gammond tournament`: two players, many cubeless money games, who is stronger by how much."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, dataclass

import numpy as np

from engine.errors import ValueRangeError
from engine.games import GameResults, play_games
from engine.players import Player
from engine.version import version
from nets.loading import load_player, net_hashes
from tools.cli import EXIT_INTERRUPTED
from tools.progress import Progress

SUMMARY = "play two players against each other and measure points per game"

STRETCH_GAMES = 4096
"""Games between two looks at the result; an interrupted run reports the stretches that were finished."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "first",
        metavar="A",
        help="the player whose points count: 'default', an evaluator of the manifest, 'pubeval' or 'random'",
    )
    parser.add_argument("second", metavar="B", help="its opponent")
    parser.add_argument("--games", type=int, default=10_000, help="how many, even (default 10000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the dice, 0 or more (default 1)")
    parser.add_argument("--json", action="store_true", help="write one JSON object instead of text")


def main(args: argparse.Namespace) -> int:
    """Play and report.

    Args:
        args: As `add_arguments` declares them.

    Returns:
        0, or 130 when Ctrl-C ended it early; what was finished by then is reported.

    Raises:
        ValueRangeError: An unknown player, an odd number of games or fewer than four, a negative seed.
        DataFileError: A net or database is missing or faulty.
    """
    if args.games < 4 or args.games % 2:
        raise ValueRangeError(f"--games takes an even number of 4 or more, not {args.games}", field="games")
    first, second = load_player(args.first), load_player(args.second)
    started_s = time.monotonic()
    results = play_stretches(first, second, args.games, args.seed)
    if not results.games:
        return EXIT_INTERRUPTED
    report = report_on(args, results, time.monotonic() - started_s)
    sys.stdout.write(json.dumps(asdict(report)) + "\n" if args.json else report.as_text())
    return 0 if results.games == args.games else EXIT_INTERRUPTED


def play_stretches(first: Player, second: Player, games: int, seed: int) -> GameResults:
    """Play with a progress bar, a stretch of games at a time.

    Only whole stretches count: of the games in progress the short ones end first, and their results differ.

    Returns:
        The results of all games, or after Ctrl-C of the stretches that were finished.
    """
    points = [np.empty(0, np.int8)]
    try:
        with Progress(games, f"{first.name} against {second.name}") as bar:
            for start in range(0, games, STRETCH_GAMES):
                stretch = min(STRETCH_GAMES, games - start)

                def show(done: int, before: int = start) -> None:
                    bar.update(before + done)

                results = play_games(first, second, stretch, seed, first_pair=start // 2, progress=show)
                points.append(results.points)
    except KeyboardInterrupt:
        sys.stderr.write("gammond: interrupted, reporting the stretches that were finished\n")
    return GameResults(np.concatenate(points))


@dataclass(frozen=True)
class Side:
    """One player's part: sha256 of its nets by name, wins of any kind, gammons or more, backgammons."""

    name: str
    nets: dict[str, str]
    wins: int
    gammons: int
    backgammons: int


@dataclass(frozen=True)
class Report:
    """What a tournament found; points are cubeless money points of the first player."""

    version: str
    first: Side
    second: Side
    seed: int
    games: int
    points_per_game: float
    standard_error: float
    seconds: float

    def as_text(self) -> str:
        """Write it for people, a few lines."""
        sides = [self.first, self.second]
        lines = [
            f"gammond {self.version}, seed {self.seed}, {self.games:,} paired games, {self.seconds:.1f} s"
        ]
        lines += [f"  net {net} sha256 {sha256[:16]}" for side in sides for net, sha256 in side.nets.items()]
        lines.append(f"{'':16}{'wins':>10}{'gammons':>10}{'backgammons':>13}")
        lines += [f"{side.name:16}{side.wins:10,}{side.gammons:10,}{side.backgammons:13,}" for side in sides]
        score = f"{self.points_per_game:+.4f} ± {self.standard_error:.4f}"
        lines.append(f"{self.first.name} scores {score} points per game")
        return "\n".join(lines) + "\n"


def report_on(args: argparse.Namespace, results: GameResults, seconds: float) -> Report:
    """Put the results of at least one stretch together with what was played."""
    sides = [
        Side(name, net_hashes(name), *results.counts(number))
        for number, name in enumerate((args.first, args.second))
    ]
    return Report(
        version=version(),
        first=sides[0],
        second=sides[1],
        seed=args.seed,
        games=results.games,
        points_per_game=round(results.points_per_game, 6),
        standard_error=round(results.standard_error, 6),
        seconds=round(seconds, 3),
    )
