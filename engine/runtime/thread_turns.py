"""Turns of worker threads: Python code by one thread at a time, heavy compiled work by all at once.

NumPy gives the interpreter's lock up for a few microseconds in every operation on a large array. With another
thread waiting for it, each time wakes that thread in vain, and two threads get less done than one. So threads
that work on one answer wait for their turn instead, and pass it on only where there is work worth it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_turn = threading.Lock()
_thread_state = threading.local()


@contextmanager
def hold_turn() -> Iterator[None]:
    """Work in turn with all other threads that do; not within itself."""
    with _turn:
        _thread_state.is_on = True
        try:
            yield
        finally:
            _thread_state.is_on = False


@contextmanager
def release_turn() -> Iterator[None]:
    """Let another thread have its turn during work that needs no interpreter; nothing for other threads."""
    if not getattr(_thread_state, "is_on", False):
        yield
        return
    _turn.release()
    try:
        yield
    finally:
        _turn.acquire()
