"""``gammond train class-shares``: how often the classes of positions come up in games of two players.

Each turn counts as one position, before its roll. A class may hold positions of others, and a position may be
of several. The last table has the checkers back of the side on roll and of the other side, in contact.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import Player
from gammond.engine.rules.position import Board, Phase, classify_phases
from gammond.engine.runtime.version import read_version
from gammond.engine.statistics import ratio_with_error
from gammond.tools.common.command_options import Json, ToolCommand, argument, option
from gammond.tools.common.opponents import PLAYER_HELP, load_opponent
from gammond.tools.common.progress import Progress
from gammond.tools.common.reports import format_json_report, format_table
from gammond.tools.train.validation.position_classes import (
    MOST_BACK,
    PLAYED_CLASSES,
    POSITION_CLASSES,
    count_back,
)

SUMMARY = "count how often the classes of positions come up in games"


class ClassSharesOptions(Struct, frozen=True, kw_only=True):
    """Who plays, and how often."""

    first: Annotated[str, argument("PLAYER", PLAYER_HELP)]
    second: (
        Annotated[str, argument("OTHER", "another one (default the first against itself)", count="?")] | None
    ) = None
    games: Annotated[int, option("games to play, even", ge=2, multiple_of=2)] = 1000
    seed: Annotated[int, option("seed of the dice", ge=0)] = 0
    json: Json = False


def run(options: ClassSharesOptions) -> int:
    """Play, count and report; returns the exit status.

    Raises:
        GammondError: A player cannot be loaded.
    """
    second = options.first if options.second is None else options.second
    players = load_opponent(options.first), load_opponent(second)
    with Progress(options.games, "games") as bar:
        shares = count_class_shares(*players, options.games, options.seed, bar.update)
    if options.json:
        sys.stdout.write(format_json_report(first=options.first, second=second, **asdict(shares)))
    else:
        sys.stdout.write(f"gammond {read_version()}: {options.first} against {second}\n\n{shares.as_text()}")
    return 0


@dataclass(frozen=True)
class ClassShare:
    """How often a class came up.

    Attributes:
        name: A key of `gammond.tools.train.validation.position_classes.POSITION_CLASSES`.
        share: Share of all positions.
        error: Its standard error, from the spread over games.
        games: Share of the games in which it came up.
    """

    name: str
    share: float
    error: float
    games: float


@dataclass(frozen=True)
class ClassShares:
    """What came up in some games.

    Attributes:
        games: How many.
        positions: Positions before a roll.
        classes: Of each class.
        back: Shares of the contact positions by checkers back: of the side on roll, of the other side.
    """

    games: int
    positions: int
    classes: tuple[ClassShare, ...]
    back: tuple[tuple[float, ...], ...]

    def as_text(self) -> str:
        """Format the tables."""
        rows = [
            (each.name, f"{each.share:.3%}", f"{each.error:.3%}", f"{each.games:.1%}")
            for each in self.classes
        ]
        counts = [f"{count}{' or more' if count == MOST_BACK else ''}" for count in range(MOST_BACK + 1)]
        back_rows = [
            (count, *(f"{share:.2%}" for share in shares))
            for count, shares in zip(counts, self.back, strict=True)
        ]
        return (
            f"{self.games:,} games, {self.positions:,} positions\n\n"
            + format_table(("class", "positions", "±", "games"), rows)
            + "\ncontact by checkers back: of the side on roll in rows, of the other side in columns\n"
            + format_table(("back", *counts), back_rows)
        )


class _ClassCounter:
    """Counts positions of classes while games are played, as `gammond.engine.play.lockstep.TurnLog`."""

    def __init__(self, games: int) -> None:
        self.counts = np.zeros((games, len(PLAYED_CLASSES)), np.int64)
        self.positions = np.zeros(games, np.int64)
        self.back = np.zeros((MOST_BACK + 1, MOST_BACK + 1), np.int64)

    def add(self, games: NDArray[np.int64], seat: int, dice: NDArray[np.int8], after: Board) -> None:
        """Count the positions that plays lead to, which the other side is to roll in."""
        phases = classify_phases(after)
        running = phases != Phase.OVER
        games, after, phases = games[running], after[running], phases[running]
        self.positions[games] += 1
        for place, name in enumerate(PLAYED_CLASSES):
            self.counts[games, place] += POSITION_CLASSES[name].find_members(after)
        own, other = count_back(after[phases <= Phase.CRASHED]).T
        np.add.at(self.back, (own, other), 1)


def count_class_shares(
    first: Player, second: Player, games: int, seed: int, progress: Callable[[int], None] | None = None
) -> ClassShares:
    """Play games and count the positions of each class after the first turn.

    Args:
        first: A player.
        second: Another, or the same.
        games: Number of games, even, above 0.
        seed: Seed of the dice.
        progress: Called with the number of finished games.

    Raises:
        ValueRangeError: The number of games or the seed cannot be.
    """
    counter = _ClassCounter(max(games, 0))
    play_games(first, second, games, seed, has_pairs=False, log=counter, progress=progress)
    total = int(counter.positions.sum())
    classes = []
    for name, counts in zip(PLAYED_CLASSES, counter.counts.T, strict=True):
        share = ratio_with_error(counts, counter.positions)
        classes.append(ClassShare(name, share.value, share.error, float((counts > 0).mean())))
    back = counter.back / max(counter.back.sum(), 1)
    return ClassShares(games, total, tuple(classes), tuple(tuple(row) for row in back.tolist()))


COMMAND = ToolCommand(ClassSharesOptions, run)
