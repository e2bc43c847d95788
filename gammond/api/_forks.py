"""Engines in a process that was forked while one worked: the locks are there, their holders are not."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from gammond.engine.runtime.threads import begin_anew_in_forks

P = ParamSpec("P")
T = TypeVar("T")


class _Work:
    """The threads that ask an engine.

    Attributes:
        threads: Their numbers.
        was_forked: Whether this process was forked while there were some.
    """

    def __init__(self) -> None:
        self.threads: set[int] = set()
        self.was_forked = False
        begin_anew_in_forks(self)

    def begin_in_fork(self) -> None:
        """Note whether there were some: none is here."""
        self.was_forked = self.was_forked or bool(self.threads)
        self.threads = set()


_WORK = _Work()


def refuse_after_fork_at_work(method: Callable[P, T]) -> Callable[P, T]:
    """Return a method of an engine that raises a `StateError` where it would wait for ever."""

    @wraps(method)
    def ask(*args: P.args, **kwargs: P.kwargs) -> T:
        if _WORK.was_forked:
            from gammond.engine.errors import StateError

            raise StateError(
                "this process was forked while a thread worked with an Engine, and nobody releases its locks "
                "here: start processes before, or by the method 'spawn' or 'forkserver' of multiprocessing",
                field="process",
            )
        thread = threading.get_ident()
        if thread in _WORK.threads:  # in a callback of a question
            return method(*args, **kwargs)
        _WORK.threads.add(thread)
        try:
            return method(*args, **kwargs)
        finally:
            _WORK.threads.discard(thread)

    return ask
