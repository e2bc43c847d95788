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

from engine.choice import Chooser
from engine.errors import LimitError
from engine.players import Player
from engine.two_moves import playing_doubles
from tools.interrupts import follow_parent
from tools.opponents import load_opponent
from tools.tournament.entrants import load_cube_player
from tools.tournament.records import LockstepLog, write_records
from tools.tournament.rules import Rules
from tools.tournament.scores import Scores
from tools.tournament.stretches import (
    CubePairing,
    Pairing,
    Stretch,
    cube_scores,
    ending_of,
    scores_of,
)

_KEPT_PLAYERS = 64
"""Players that a process keeps loaded."""


class Task(NamedTuple):
    """A stretch of games between two players.

    Attributes:
        rules: What they play.
        names: What both are called; the scores are the first one's.
        places: Where they stand among all players, from 0.
        stretch: Which games.
        records: The folder for the records of the games; None for none.
    """

    rules: Rules
    names: tuple[str, str]
    places: tuple[int, int]
    stretch: Stretch
    records: Path | None = None


Progress = Callable[[int], None]
Cancelled = Callable[[], bool]


def done(task: Task, progress: Progress | None = None, cancelled: Cancelled | None = None) -> Scores:
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
        first, second = (_cube_player(name, task.rules.cube_by) for name in task.names)
        table = CubePairing(first, second, task.rules)
        played = table.play(task.stretch, progress, cancelled)
        scores = cube_scores(played, mode)
    else:
        own, other = (playing_doubles(_player(name), task.rules.doubles) for name in task.names)
        pairing = Pairing(own, other, task.rules.seed, ending_of(mode))
        log = None if task.records is None else LockstepLog(task.stretch.games)
        counted = pairing.play(task.stretch, progress, cancelled, log)
        scores = scores_of(counted, mode)
        played = [[game] for game in log.recorded(counted)] if log is not None else []
    if task.records is not None:
        write_records(task.records, task.places, task.names, task.stretch, played)
    return scores


def done_here(tasks: Iterable[Task], progress: Progress) -> Iterator[tuple[Task, Scores]]:
    """Do tasks one after the other.

    Args:
        tasks: Taken as they are needed.
        progress: Told how many games of the present task are finished.

    Yields:
        Each task and its scores.
    """
    for task in tasks:
        yield task, done(task, progress)


def done_by_processes(tasks: Iterable[Task], processes: int) -> Iterator[tuple[Task, Scores]]:
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
    pool = ProcessPoolExecutor(processes, context, _begin, (stopped,))
    waiting: deque[tuple[Task, Future[Scores]]] = deque()
    left = iter(tasks)
    try:
        while True:
            while len(waiting) < 2 * processes and (task := next(left, None)) is not None:
                waiting.append((task, pool.submit(_done, task)))
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
"""Set when a process of `done_by_processes` is to stop."""


def _begin(stopped: Event) -> None:
    global _stopped
    follow_parent()
    _stopped = stopped


def _done(task: Task) -> Scores:
    assert _stopped is not None
    return done(task, cancelled=_stopped.is_set)


@lru_cache(_KEPT_PLAYERS)
def _player(name: str) -> Player:
    """Load a player, once for each process."""
    return load_opponent(name)


@lru_cache(_KEPT_PLAYERS)
def _cube_player(name: str, cube_by: str) -> Chooser:
    """Load a player that handles the cube, once for each process."""
    return load_cube_player(name, cube_by)
