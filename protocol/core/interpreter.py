"""Turns in the interpreter: the thread that serves the clients before all workers, of these one at a time.

The serving thread gives the interpreter's own lock away in each system call, and waits to get it back from
every thread that wants it: beside workers that write long lists of plays, an answer of 0.1 ms takes hundreds.
So whoever keeps the interpreter busy for milliseconds takes a turn here, and the serving thread has one
whenever it does not sleep. What takes less, and what compiled code does without the interpreter, needs none.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_GIVE_UP_CHECK_S = 0.01
"""How often a thread that waits looks whether it still wants a turn."""


def _never() -> bool:
    return False


class InterpreterTurns:
    """Turns that are given in the order of asking, to the serving thread first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_taken = False
        self._waiting: deque[threading.Lock] = deque()

    def take(self, *, is_first: bool = False, gives_up: Callable[[], bool] = _never) -> bool:
        """Wait for a turn; return whether the thread has one now.

        Args:
            is_first: Whether it is the next.
            gives_up: Asked again and again while it waits: returns whether it goes on without.
        """
        with self._lock:
            if not self._is_taken:
                self._is_taken = True
                return True
            mine = threading.Lock()
            mine.acquire()
            (self._waiting.appendleft if is_first else self._waiting.append)(mine)
        while not mine.acquire(timeout=_GIVE_UP_CHECK_S):
            if gives_up():
                with self._lock:
                    if mine in self._waiting:
                        self._waiting.remove(mine)
                        return False
        return True

    def release(self) -> None:
        """End a turn: the next thread that waits has it."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_taken = False

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Have turns as the serving thread: all the time but in `leave`."""
        self.take(is_first=True)
        try:
            yield
        finally:
            self.release()

    @contextmanager
    def leave(self) -> Iterator[None]:
        """Let others have turns while the serving thread sleeps."""
        self.release()
        try:
            yield
        finally:
            self.take(is_first=True)


class WorkerTurn:
    """The turn of one worker, for `gammond.engine.runtime.threads.hold_turn`: compiled work needs none.

    Args:
        turns: Where it is taken.
        gives_up: As for `InterpreterTurns.take`.
    """

    def __init__(self, turns: InterpreterTurns, gives_up: Callable[[], bool]) -> None:
        self._turns = turns
        self._gives_up = gives_up
        self._is_held = False

    def acquire(self) -> None:
        """Wait for it, or give up."""
        self._is_held = self._turns.take(gives_up=self._gives_up)

    def release(self) -> None:
        """End it."""
        if self._is_held:
            self._is_held = False
            self._turns.release()


INTERPRETER = InterpreterTurns()
"""Those of this process."""
