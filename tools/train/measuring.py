"""The strength of nets in training: paired games against players by name, in several processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
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
"""Always the same dice, so that what is measured of two nets differs by the nets alone."""


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


def measured(nets: NetSet, opponents: Sequence[str], games: int, processes: Processes) -> list[Strength]:
    """Play against each opponent.

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
    results = {name: GameResults(np.concatenate(parts)) for name, parts in points.items() if parts}
    return [
        Strength(name, each.points_per_game, each.standard_error, each.games)
        for name, each in results.items()
    ]


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
