"""The strength of nets and players in training: paired games against players by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from engine.errors import ValueRangeError
from engine.games import GameResults, play_games
from engine.players import EvaluatorPlayer, Player
from nets.manifest import Strength
from tools.opponents import load_opponent
from tools.train.net_set import NetSet
from tools.train.processes import Processes

STRETCH_GAMES = 1000
"""Games of a task; the result does not depend on it."""

_SEED = 1
"""Always the same dice, so that what is measured of two players differs by the players alone."""


Opponents = Annotated[tuple[str, ...], Meta(description="who strength is measured against")]
GamesEach = Annotated[int, Meta(ge=0, description="paired games against each of them; 0 for none")]
CheckpointGamesEach = Annotated[
    int, Meta(ge=0, description="paired games against each of them at a checkpoint; 0 for none")
]
Backtrack = Annotated[
    float,
    Meta(
        ge=0,
        le=6,
        description="points per game behind the best net that send a run back to it; 0 for never",
    ),
]
"""Settings of the commands that measure strength."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """Some games to play.

    Attributes:
        nets: Who plays.
        opponent: Against whom, as `tools.opponents.load_opponent` takes it.
        first_game: The number of the first game.
        games: How many, even.
    """

    nets: NetSet
    opponent: str
    first_game: int
    games: int


def check_measurement(opponents: Sequence[str], games: int) -> None:
    """Check what a measurement would be asked for before long work begins.

    Raises:
        ValueRangeError: An odd number of games or fewer than four, none aside; an unknown opponent.
        GammondError: An opponent cannot be loaded.
    """
    if games and (games < 4 or games % 2):
        raise ValueRangeError(
            f"games of a measurement are 0, or 4 or more and even, not {games}", field="games"
        )
    for opponent in opponents if games else ():
        load_opponent(opponent)


def check_backtrack(backtrack: float, opponents: Sequence[str], games: int) -> None:
    """Check that a run which may go back to its best net measures which one that is.

    Raises:
        ValueRangeError: It does not.
    """
    if backtrack and not (games and opponents):
        raise ValueRangeError(
            "to go back to the best net takes benchmark games and opponents", field="backtrack"
        )


def load_opponents(names: Sequence[str], games: int) -> dict[str, Player]:
    """Load who is played against, by name; nobody for no games.

    Raises:
        GammondError: An opponent cannot be loaded.
    """
    return {name: load_opponent(name) for name in names if games}


def results_against(player: Player, opponents: Mapping[str, Player], games: int) -> dict[str, GameResults]:
    """Play so many paired games against each opponent, by name."""
    return {name: play_games(player, opponent, games, _SEED) for name, opponent in opponents.items()}


def strengths_of(results: Mapping[str, GameResults]) -> list[Strength]:
    """Say how strong a player is by its results against each opponent."""
    return [
        Strength(name, each.points_per_game, each.standard_error, each.games)
        for name, each in results.items()
    ]


def measured(nets: NetSet, opponents: Sequence[str], games: int, processes: Processes) -> list[Strength]:
    """Play against each opponent, in several processes.

    Args:
        nets: Who is measured.
        opponents: As `tools.opponents.load_opponent` takes them.
        games: Paired games against each, even.
        processes: Who works.

    Returns:
        One for each opponent; none for no games.
    """
    stretches = [
        Stretch(nets, opponent, start, min(STRETCH_GAMES, games - start))
        for opponent in opponents
        for start in range(0, games, STRETCH_GAMES)
    ]
    points: dict[str, list[NDArray[np.int8]]] = {opponent: [] for opponent in opponents}
    for stretch, played in zip(stretches, processes.map(play_stretch, stretches), strict=True):
        points[stretch.opponent].append(played)
    return strengths_of({name: GameResults(np.concatenate(parts)) for name, parts in points.items() if parts})


def play_stretch(stretch: Stretch) -> NDArray[np.int8]:
    """Play some games; ``int8[games]``, points of the nets."""
    player = EvaluatorPlayer(stretch.nets.evaluator())
    opponent = _opponent(stretch.opponent)
    return play_games(player, opponent, stretch.games, _SEED, first_pair=stretch.first_game // 2).points


def strength_text(strengths: Sequence[Strength]) -> str:
    """Say the strengths in a line."""
    return ", ".join(
        f"{each.points_per_game:+.3f} ± {each.standard_error:.3f} against {each.opponent}"
        for each in strengths
    )


def strength_record(strengths: Sequence[Strength]) -> dict[str, object]:
    """Describe strengths for a log: the first as a run of ``gammond train td`` does, the others in a list."""
    records: list[dict[str, object]] = [
        {
            "opponent": each.opponent,
            "ppg": each.points_per_game,
            "ppg_error": each.standard_error,
            "ppg_games": each.games,
        }
        for each in strengths
    ]
    return {**records[0], "others": records[1:]} if records else {}


def strength_arrays(strengths: Sequence[Strength]) -> dict[str, NDArray[Any]]:
    """Describe strengths for a file of nets."""
    return {
        "opponent": np.array([each.opponent for each in strengths]),
        "ppg": np.array([each.points_per_game for each in strengths]),
        "ppg_error": np.array([each.standard_error for each in strengths]),
        "ppg_games": np.array([each.games for each in strengths]),
    }


def mean_strength(strengths: Sequence[Strength]) -> float:
    """By what the best nets are kept: points per game, the mean over the opponents."""
    return float(np.mean([each.points_per_game for each in strengths]))


@lru_cache(maxsize=4)
def _opponent(name: str) -> Player:
    return load_opponent(name)
