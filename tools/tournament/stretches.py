"""Stretches of a tournament, played here or by other processes."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing.synchronize import Event
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.games import play_games
from engine.players import Player
from tools.opponents import is_deep, load_opponent


class Stretch(NamedTuple):
    """Games in a row: the number of the first one, and how many; both even."""

    first_game: int
    games: int


@dataclass(frozen=True)
class Pairing:
    """Two players and the dice between them.

    Attributes:
        first: The player whose points count.
        second: Its opponent.
        seed: Of the dice.
    """

    first: Player
    second: Player
    seed: int

    @property
    def is_deep(self) -> bool:
        """Whether a player takes its time."""
        return is_deep(self.first) or is_deep(self.second)

    def play(
        self,
        stretch: Stretch,
        progress: Callable[[int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> NDArray[np.int8]:
        """Play a stretch.

        Args:
            stretch: Which games.
            progress: Told how many of them are finished.
            cancelled: Asked before each turn.

        Returns:
            ``int8[games]``, points of the first player.

        Raises:
            CancelledWork: It was told to stop.
            LimitError: A game would not end.
        """
        return play_games(
            self.first,
            self.second,
            stretch.games,
            self.seed,
            first_pair=stretch.first_game // 2,
            progress=progress,
            cancelled=cancelled,
        ).points


def played_here(
    pairing: Pairing, stretches: Sequence[Stretch], progress: Callable[[int], None]
) -> Iterator[NDArray[np.int8]]:
    """Play stretches one after the other.

    Args:
        pairing: Who plays.
        stretches: Which games.
        progress: Told how many games are finished, those before a stretch included.

    Yields:
        The points of each stretch.
    """
    for stretch in stretches:

        def show(done: int, before: int = stretch.first_game) -> None:
            progress(before + done)

        yield pairing.play(stretch, show)


def played_by_processes(
    names: tuple[str, str, int], stretches: Sequence[Stretch], processes: int
) -> Iterator[NDArray[np.int8]]:
    """Play stretches in several processes at once.

    Args:
        names: What both players are called, and the seed of the dice.
        stretches: Which games.
        processes: How many processes.

    Yields:
        The points of each stretch, in their order. Whoever stops asking stops the processes.

    Raises:
        GammondError: A player cannot be loaded, or a game would not end.
    """
    context = multiprocessing.get_context("spawn")
    stopped = context.Event()
    pool = ProcessPoolExecutor(processes, context, _begin, (stopped,))
    try:
        waiting: deque[Future[NDArray[np.int8]]] = deque()
        left = deque(stretches)
        while left or waiting:
            while left and len(waiting) < 2 * processes:
                waiting.append(pool.submit(_play, *names, left.popleft()))
            yield waiting.popleft().result()
    finally:
        stopped.set()
        pool.shutdown(cancel_futures=True)


_stopped: Event | None = None
"""Set when a process of `played_by_processes` is to stop."""


def _begin(stopped: Event) -> None:
    """Leave Ctrl-C to the process that gave the order."""
    global _stopped
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _stopped = stopped


def _play(first_name: str, second_name: str, seed: int, stretch: Stretch) -> NDArray[np.int8]:
    assert _stopped is not None
    return _pairing(first_name, second_name, seed).play(stretch, cancelled=_stopped.is_set)


@cache
def _pairing(first_name: str, second_name: str, seed: int) -> Pairing:
    """Load the players, once for each process."""
    return Pairing(load_opponent(first_name), load_opponent(second_name), seed)
