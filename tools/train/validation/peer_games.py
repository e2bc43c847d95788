"""``gammond train peer-games``: rolled-out positions played out by another player, as an independent check.

The labels of a validation set are games of one net against itself. Where that net plays a class of positions
badly, they are wrong in a way that no number of its games shows. Here another player, such as GNU
Backgammon's nets, plays games from the same positions to their end, without variance reduction; the table
has its mean results less the labels.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from gammond.engine.errors import LimitError, ValueRangeError
from gammond.engine.play.player import Player
from gammond.engine.rules.dice import draw_paired_dice
from gammond.engine.rules.outcome import cubeless_equity, evaluate_finished
from gammond.engine.rules.position import Board, find_finished
from gammond.engine.runtime.version import read_version
from gammond.engine.statistics import mean_with_error
from gammond.tools.common.command_options import Json, ToolCommand, argument, option, read_file
from gammond.tools.common.opponents import PLAYER_HELP, load_opponent
from gammond.tools.common.progress import Progress
from gammond.tools.common.reports import format_json_report, format_table
from gammond.tools.train.validation.net_errors import (
    NetErrorStats,
    compute_net_errors,
    rms,
)
from gammond.tools.train.validation.rollout_labels import RolloutLabels, read_all_rollouts

SUMMARY = "let another player play out the positions of a validation set"

_MAX_TURNS = 10_000

_Values = NDArray[np.float64]


class PeerGamesOptions(Struct, frozen=True, kw_only=True):
    """Who plays which positions, and how often."""

    set: Annotated[Path, read_file("folder of a validation set", "SET", count="")]
    player: Annotated[str, argument("PLAYER", PLAYER_HELP)]
    classes: Annotated[tuple[str, ...], option("classes of the set (default all)", "LIST")] = ()
    positions: Annotated[int, option("positions of each class at most", ge=1)] = 12
    games: Annotated[int, option("games from each position", ge=2)] = 1296
    seed: Annotated[int, option("seed of the dice", ge=0)] = 0
    json: Json = False


def run(options: PeerGamesOptions) -> int:
    """Play, compare and report; returns the exit status.

    Raises:
        GammondError: The set or the player cannot be read, or a class is not in the set.
    """
    player = load_opponent(options.player)
    labels = select_labels(read_all_rollouts(options.set), options.classes, options.positions)
    with Progress(len(labels), "positions") as bar:
        comparison = compare_games(labels, player, options.games, options.seed, bar.update)
    if options.json:
        named = {"set": str(options.set), "player": options.player, "games": options.games}
        sys.stdout.write(format_json_report(**named, classes=[asdict(each) for each in comparison]))
    else:
        sys.stdout.write(
            f"gammond {read_version()}: {options.set}, {options.games:,} games of {options.player} from "
            f"each position\n\n{format_comparison(comparison)}"
        )
    return 0


@dataclass(frozen=True)
class PeerClass:
    """How far a player's games are from the labels of a class.

    Attributes:
        name: Of the class.
        positions: How many.
        games_error: Root mean square of the standard errors of the player's results, in points.
        stats: Its results as a net's values; the errors of both sides are subtracted in ``rmse``.
    """

    name: str
    positions: int
    games_error: float
    stats: NetErrorStats


def select_labels(labels: RolloutLabels, names: Sequence[str], count: int) -> RolloutLabels:
    """Take the first positions of each class.

    Args:
        labels: All of a set.
        names: Classes; none for all.
        count: Of each at most.

    Raises:
        ValueRangeError: A class is not in the set.
    """
    known = labels.positions.class_names
    for name in names:
        if name not in known:
            raise ValueRangeError(
                f"expected classes of the set, {', '.join(known)}, got {name!r}", field="classes"
            )
    taken = np.zeros(len(labels), np.bool_)
    for place, name in enumerate(known):
        if not names or name in names:
            taken[np.flatnonzero(labels.positions.classes == place)[:count]] = True
    return labels[taken]


def compare_games(
    labels: RolloutLabels,
    player: Player,
    games: int,
    seed: int,
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[PeerClass, ...]:
    """Play out each position and compare the results with the labels, class by class.

    Args:
        labels: At least one.
        player: Plays both sides.
        games: From each position.
        seed: Of the dice; each position has its own.
        progress: Called with the number of positions done.
    """
    means, errors = np.empty(len(labels)), np.empty(len(labels))
    for row, board in enumerate(labels.positions.boards):
        points = play_out(board, player, games, seed, row)
        found = mean_with_error(points)
        means[row], errors[row] = found.value, found.error
        progress(row + 1)
    both = np.sqrt(np.square(labels.equity_errors, dtype=np.float64) + np.square(errors))
    classes = []
    for place, name in enumerate(labels.positions.class_names):
        rows = labels.positions.classes == place
        if rows.any():
            (stats,) = compute_net_errors({player.name: means[rows]}, labels.equities[rows], both[rows])
            classes.append(PeerClass(name, int(rows.sum()), rms(errors[rows]), stats))
    return tuple(classes)


def play_out(board: Board, player: Player, games: int, seed: int, place: int) -> _Values:
    """Play games from one position to their end, both sides by a player.

    Args:
        board: ``int8[2, 26]``, not over.
        player: Plays.
        games: How many.
        seed: With the place it decides the dice.
        place: Of the position among others.

    Returns:
        ``float64[games]``, cubeless points of the side on roll.

    Raises:
        LimitError: A game did not end within `_MAX_TURNS`.
    """
    points, numbers = np.zeros(games), np.arange(games)
    boards = np.repeat(board[None], games, axis=0)
    for turn in range(1, _MAX_TURNS):  # turn 0 would be the first of a game, which is no double
        dice = draw_paired_dice(seed, place * games + numbers, np.full(len(numbers), turn))
        boards = player.choose(boards, dice)
        over = find_finished(boards)
        side = -1.0 if turn % 2 else 1.0  # the boards are the next mover's
        points[numbers[over]] = side * cubeless_equity(evaluate_finished(boards[over]))
        boards, numbers = np.ascontiguousarray(boards[~over]), numbers[~over]
        if not len(numbers):
            return points
    raise LimitError(f"a game from position {place} took over {_MAX_TURNS} turns")


def format_comparison(classes: tuple[PeerClass, ...]) -> str:
    """Format a table."""
    rows = [
        (
            each.name,
            f"{each.positions:,}",
            f"{each.games_error:.4f}",
            f"{each.stats.bias:+.4f}",
            f"{each.stats.rmse:.4f}",
        )
        for each in classes
    ]
    return format_table(("class", "positions", "games' error", "mean difference", "RMS difference"), rows)


COMMAND = ToolCommand(PeerGamesOptions, run)
