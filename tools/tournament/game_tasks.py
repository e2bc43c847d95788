"""The work of a tournament: ranges of games as tasks, for this process or others."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from engine.play.decider import Decider
from engine.play.player import Player
from engine.play.two_moves import adapt_to_doubles
from tools.opponents import load_opponent
from tools.parallel import is_stopping
from tools.tournament.entrants import load_cube_player
from tools.tournament.pairings import (
    CubefulPairing,
    CubelessPairing,
    GameRange,
    score_cubeful_games,
    score_cubeless_games,
    select_ending,
)
from tools.tournament.records import LockstepLog, write_records
from tools.tournament.rules import Rules
from tools.tournament.scores import PairedScores

_MAX_CACHED_PLAYERS = 64
"""Players that a process keeps loaded."""


class PairingTask(NamedTuple):
    """A stretch of games between two players.

    Attributes:
        rules: What they play.
        names: What both are called; the scores are the first one's.
        player_indices: Where they stand among all players, from 0.
        game_range: Which games.
        records: The folder for the records of the games; None for none.
    """

    rules: Rules
    names: tuple[str, str]
    player_indices: tuple[int, int]
    game_range: GameRange
    records: Path | None = None


ReportGames = Callable[[int], None]
CancelCheck = Callable[[], bool]


def play_range(
    task: PairingTask, progress: ReportGames | None = None, cancelled: CancelCheck | None = None
) -> PairedScores:
    """Play the games of a task.

    Args:
        task: The task.
        progress: Told how many of its games are finished.
        cancelled: Asked before each turn.

    Raises:
        CancelledWork: It was told to stop.
        GammondError: A player cannot be loaded, a game would not end, or a record cannot be written.
    """
    mode = task.rules.mode
    if mode.has_cube:
        first, second = (_get_cached_cube_player(name, task.rules.cube_by) for name in task.names)
        table = CubefulPairing(first, second, task.rules)
        played = table.play(task.game_range, progress, cancelled)
        scores = score_cubeful_games(played, mode)
    else:
        own, other = (adapt_to_doubles(_get_cached_player(name), task.rules.doubles) for name in task.names)
        pairing = CubelessPairing(own, other, task.rules.seed, select_ending(mode))
        log = None if task.records is None else LockstepLog(task.game_range.games)
        counted = pairing.play(task.game_range, progress, cancelled, log)
        scores = score_cubeless_games(counted, mode)
        played = [[game] for game in log.make_records(counted)] if log is not None else []
    if task.records is not None:
        write_records(task.records, task.player_indices, task.names, task.game_range, played)
    return scores


def play_task(task: PairingTask) -> tuple[PairingTask, PairedScores]:
    """Play a task in a process of a pool; it ends early once the pool is left."""
    return task, play_range(task, cancelled=is_stopping)


@lru_cache(_MAX_CACHED_PLAYERS)
def _get_cached_player(name: str) -> Player:
    """Load a player, once for each process."""
    return load_opponent(name)


@lru_cache(_MAX_CACHED_PLAYERS)
def _get_cached_cube_player(name: str, cube_by: str) -> Decider:
    """Load a player that handles the cube, once for each process."""
    return load_cube_player(name, cube_by)
