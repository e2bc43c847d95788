"""`gammond tournament`: two players, many cubeless money games, who is stronger by how much."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, dataclass

import numpy as np

from engine.cores import MAX_THREADS, usable_cores
from engine.errors import ValueRangeError
from engine.games import GameResults
from engine.version import version
from tools.cli import EXIT_INTERRUPTED
from tools.opponents import PLAYER_HELP, load_opponent, opponent_hashes
from tools.progress import Progress
from tools.tournament.stretches import Pairing, Stretch, played_by_processes, played_here

SUMMARY = "play two players against each other and measure points per game"

STRETCH_GAMES = 4096
"""Games between two looks at the result; an interrupted run reports the stretches that were finished."""

DEEP_STRETCH_GAMES = 16
"""The same where a player looks ahead, or errs: it takes its time, and plays no faster in lockstep."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "first",
        metavar="A",
        help=f"the player whose points count: {PLAYER_HELP}",
    )
    parser.add_argument("second", metavar="B", help="its opponent")
    parser.add_argument("--games", type=int, default=10_000, help="how many, even (default 10000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the dice, 0 or more (default 1)")
    parser.add_argument(
        "--threads",
        type=int,
        default=usable_cores(),
        help="processes that share the games; the result is the same (default one for each core)",
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object instead of text")


def main(args: argparse.Namespace) -> int:
    """Play and report.

    Args:
        args: As `add_arguments` declares them.

    Returns:
        0, or 130 when Ctrl-C or SIGTERM ended it early; what was finished by then is reported.

    Raises:
        FormatError: The options of a player cannot be read.
        ValueRangeError: An unknown player, an option out of range, an odd number of games or fewer than four,
            a negative seed, an impossible number of threads.
        UnsupportedError: A package is missing that a player needs.
        DataFileError: A net or database is missing or faulty.
    """
    check_play(args.games, args.threads)
    started_s = time.monotonic()
    results = play_stretches(args.first, args.second, args.games, args.seed, args.threads)
    if not results.games:
        sys.stderr.write("gammond: interrupted, nothing was finished\n")
        return EXIT_INTERRUPTED
    if results.games < args.games:
        sys.stderr.write("gammond: interrupted, reporting the stretches that were finished\n")
    report = report_on(args, results, time.monotonic() - started_s)
    sys.stdout.write(json.dumps(asdict(report)) + "\n" if args.json else report.as_text())
    return 0 if results.games == args.games else EXIT_INTERRUPTED


def check_play(games: int, threads: int) -> None:
    """Check the numbers of a tournament.

    Raises:
        ValueRangeError: An odd number of games or fewer than four, or an impossible number of threads.
    """
    if games < 4 or games % 2:
        raise ValueRangeError(f"--games takes an even number of 4 or more, not {games}", field="games")
    if not 1 <= threads <= MAX_THREADS:
        raise ValueRangeError(f"--threads takes 1 to {MAX_THREADS}, not {threads}", field="threads")


def play_stretches(first_name: str, second_name: str, games: int, seed: int, threads: int = 1) -> GameResults:
    """Play with a progress bar, a stretch of games at a time.

    Only whole stretches count: of the games in progress the short ones end first, and their results differ.

    Args:
        first_name: What `tools.opponents.load_opponent` takes.
        second_name: The same.
        games: How many, even.
        seed: Of the dice.
        threads: How many processes play at once. The result does not depend on it.

    Returns:
        The results of all games, or after an interrupt of the stretches that were finished.

    Raises:
        GammondError: A player cannot be loaded.
    """
    pairing = Pairing(load_opponent(first_name), load_opponent(second_name), seed)
    size = DEEP_STRETCH_GAMES if pairing.is_deep else STRETCH_GAMES
    stretches = [Stretch(start, min(size, games - start)) for start in range(0, games, size)]
    processes = min(threads, len(stretches))
    points = [np.empty(0, np.int8)]
    try:
        with Progress(games, f"{pairing.first.name} against {pairing.second.name}") as bar:
            if processes > 1:
                played = played_by_processes((first_name, second_name, seed), stretches, processes)
            else:
                played = played_here(pairing, stretches, bar.update)
            for stretch, each in zip(stretches, played, strict=True):
                points.append(each)
                bar.update(stretch.first_game + stretch.games)
    except KeyboardInterrupt:
        pass
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
        nets = {**self.first.nets, **self.second.nets}
        own = {net for side in sides for net in opponent_hashes(side.name, with_finder=False)}
        lines += [
            f"  net {net} sha256 {sha256[:16]}{'' if net in own else ' (finder)'}"
            for net, sha256 in nets.items()
        ]
        width = max(16, *(len(side.name) for side in sides))
        lines.append(f"{'':{width}}{'wins':>10}{'gammons':>10}{'backgammons':>13}")
        lines += [
            f"{side.name:{width}}{side.wins:10,}{side.gammons:10,}{side.backgammons:13,}" for side in sides
        ]
        score = f"{self.points_per_game:+.4f} ± {self.standard_error:.4f}"
        lines.append(f"{self.first.name} scores {score} points per game")
        return "\n".join(lines) + "\n"


def report_on(args: argparse.Namespace, results: GameResults, seconds: float) -> Report:
    """Put the results of at least one stretch together with what was played."""
    sides = [
        Side(name, opponent_hashes(name), *results.counts(number))
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
