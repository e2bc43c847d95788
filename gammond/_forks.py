"""Engines in a process that was forked while one worked: the locks are there, their holders are not."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_working: set[int] = set()
"""Threads that ask an engine."""

_was_at_work = False
"""Whether this process was forked while there were some."""


def refuse_after_fork_at_work(method: Callable[P, T]) -> Callable[P, T]:
    """Return a method of an engine that raises a `StateError` where it would wait for ever."""

    @wraps(method)
    def ask(*args: P.args, **kwargs: P.kwargs) -> T:
        if _was_at_work:
            from engine.errors import StateError

            raise StateError(
                "this process was forked while a thread worked with an Engine, and nobody releases its locks "
                "here: start processes before, or by the method 'spawn' or 'forkserver' of multiprocessing",
                field="process",
            )
        thread = threading.get_ident()
        if thread in _working:  # in a callback of a question
            return method(*args, **kwargs)
        _working.add(thread)
        try:
            return method(*args, **kwargs)
        finally:
            _working.discard(thread)

    return ask


def _begin_in_child() -> None:
    global _was_at_work
    _was_at_work = _was_at_work or bool(_working)
    _working.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)
