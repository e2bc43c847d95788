"""Turns of worker threads: Python code by one thread at a time, heavy compiled work by all at once.

NumPy releases the interpreter's lock for a few microseconds in every operation on a large array. Each time
wakes another waiting thread in vain, and two threads get less done than one. So threads that work on one
answer take turns instead, and release theirs only around work that is worth it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_turn = threading.Lock()
_thread_state = threading.local()


@contextmanager
def hold_turn() -> Iterator[None]:
    """Hold the turn, exclusively among threads that take turns; nested only where it was released."""
    with _turn:
        _thread_state.is_on = True
        try:
            yield
        finally:
            _thread_state.is_on = False


@contextmanager
def release_turn() -> Iterator[None]:
    """Release the turn during work that needs no interpreter; no effect in threads that hold none."""
    if not getattr(_thread_state, "is_on", False):
        yield
        return
    _thread_state.is_on = False
    _turn.release()
    try:
        yield
    finally:
        _turn.acquire()
        _thread_state.is_on = True
