"""The work of a tournament: stretches of games as tasks, done here or by other processes."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import NamedTuple

from engine.errors import LimitError
from engine.play.decider import Decider
from engine.play.player import Player
from engine.play.two_moves import adapt_to_doubles
from tools.interrupts import follow_parent
from tools.opponents import load_opponent
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


def play_tasks_in_process(
    tasks: Iterable[PairingTask], progress: ReportGames
) -> Iterator[tuple[PairingTask, PairedScores]]:
    """Do tasks one after the other.

    Args:
        tasks: Taken as they are needed.
        progress: Told how many games of the present task are finished.

    Yields:
        Each task and its scores.
    """
    for task in tasks:
        yield task, play_range(task, progress)


def play_tasks_in_pool(
    tasks: Iterable[PairingTask], processes: int
) -> Iterator[tuple[PairingTask, PairedScores]]:
    """Do tasks in several processes at once.

    Args:
        tasks: Taken as they are needed, a few ahead of those that are done.
        processes: How many processes.

    Yields:
        Each task and its scores, in their order. Whoever stops asking stops the processes.

    Raises:
        GammondError: As `done`.
        LimitError: A process was ended from outside.
    """
    context = multiprocessing.get_context("spawn")
    stopped = context.Event()
    pool = ProcessPoolExecutor(processes, context, _init_worker, (stopped,))
    waiting: deque[tuple[PairingTask, Future[PairedScores]]] = deque()
    left = iter(tasks)
    try:
        while True:
            while len(waiting) < 2 * processes and (task := next(left, None)) is not None:
                waiting.append((task, pool.submit(_play_range_in_worker, task)))
            if not waiting:
                return
            first, future = waiting.popleft()
            yield first, future.result()
    except BrokenProcessPool as error:
        raise LimitError(
            "a process that plays was ended from outside, for want of memory perhaps", field="threads"
        ) from error
    finally:
        stopped.set()
        pool.shutdown(cancel_futures=True)


_stopped: Event | None = None
"""Set when a process of `play_tasks_in_pool` is to stop."""


def _init_worker(stopped: Event) -> None:
    global _stopped
    follow_parent()
    _stopped = stopped


def _play_range_in_worker(task: PairingTask) -> PairedScores:
    assert _stopped is not None
    return play_range(task, cancelled=_stopped.is_set)


@lru_cache(_MAX_CACHED_PLAYERS)
def _get_cached_player(name: str) -> Player:
    """Load a player, once for each process."""
    return load_opponent(name)


@lru_cache(_MAX_CACHED_PLAYERS)
def _get_cached_cube_player(name: str, cube_by: str) -> Decider:
    """Load a player that handles the cube, once for each process."""
    return load_cube_player(name, cube_by)
