"""Turns of worker threads: Python code by one thread at a time, heavy compiled work by all at once.

NumPy releases the interpreter's lock for a few microseconds in every operation on a large array. Each time
wakes another waiting thread in vain, and two threads get less done than one. So threads that work on one
answer take turns instead, and release theirs only around work that is worth it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

_thread_state = threading.local()


class Turn(Protocol):
    """What one of several threads has at a time."""

    def acquire(self) -> object:
        """Wait for it."""
        ...

    def release(self) -> object:
        """Give it to another thread."""
        ...


_TURN = threading.Lock()
"""That of threads that work on one answer."""


@contextmanager
def hold_turn(turn: Turn = _TURN) -> Iterator[None]:
    """Hold a turn, exclusively among the threads that take it; nested only where it was released."""
    turn.acquire()
    _thread_state.turn = turn
    try:
        yield
    finally:
        is_held, _thread_state.turn = _thread_state.turn is turn, None
        if is_held:  # not if an interrupt came while it was waited for
            turn.release()


@contextmanager
def release_turn() -> Iterator[None]:
    """Release the turn during work that needs no interpreter; no effect in threads that hold none."""
    turn: Turn | None = getattr(_thread_state, "turn", None)
    if turn is None:
        yield
        return
    _thread_state.turn = None
    turn.release()
    try:
        yield
    finally:
        turn.acquire()
        _thread_state.turn = turn


def offer_turn() -> None:
    """Let a thread go first that waits for the turn of this one, if this one holds any."""
    with release_turn():
        pass
