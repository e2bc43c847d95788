"""Whether the compiled code is there that handlers of requests call, in the thread that serves the clients.

A kernel takes milliseconds to load and seconds to compile, once, and that thread waits for no compiler. So
each group of kernels is cold, warming, ready or failed. While it is not ready, a request that needs it is
work for another thread, or waits for such work; once it is, handlers run at once and meet no compiler.
Of what engines call, the kinds are known that have been seen to be quick (`QuickWork`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from enum import StrEnum

from gammond.engine.errors import CancelledWork

FAILURE_S = 60.0
"""How long a failure is the answer; then the group is tried anew, for whatever was missing may be there."""

_LOOK_EVERY_S = 0.1
"""How often who waits for another thread looks whether to stop."""

QUICK_S = 0.003
"""The longest that work seen to be quick may take; to load a net or compiled code takes longer."""


class ReadyState(StrEnum):
    """The states of a group."""

    COLD = "cold"
    WARMING = "warming"
    READY = "ready"
    FAILED = "failed"


class Readiness:
    """The state of one group of kernels; safe to use from several threads.

    Args:
        load: Calls each kernel of the group, by which it is loaded or compiled; may take seconds. Nothing if
            left out.
        clock: Seconds of a clock that never goes back.

    Attributes:
        state: The state.
    """

    def __init__(
        self, load: Callable[[], object] = lambda: None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.state = ReadyState.COLD
        self._warming = threading.Lock()
        self._load = load
        self._clock = clock
        self._error: Exception | None = None
        self._failed_s = 0.0

    @property
    def is_ready(self) -> bool:
        """Whether nothing is left to load."""
        return self.state is ReadyState.READY

    def check(self) -> None:
        """Check that the group has not failed.

        Raises:
            Exception: What loading it raised, if that was less than `FAILURE_S` ago.
        """
        if self._error is not None and self._clock() - self._failed_s < FAILURE_S:
            raise self._error.with_traceback(None)  # which would grow with each that is raised

    def warm(
        self, load: Callable[[], object] | None = None, is_stopped: Callable[[], bool] = lambda: False
    ) -> None:
        """Make the group ready, or wait for the thread that does; for threads that may wait.

        Args:
            load: Loads the group in the way of this caller, who may stop it by a CancelledWork.
            is_stopped: Asked while another thread loads it; true ends the wait.

        Raises:
            CancelledWork: The wait was ended.
            Exception: What loading it raised, now or as for `check`.
        """
        if self.is_ready:
            return
        while not self._warming.acquire(timeout=_LOOK_EVERY_S):
            if is_stopped():
                raise CancelledWork("the wait for kernels was stopped")
        try:
            if self.is_ready:
                return
            self.check()
            self.state, self._error = ReadyState.WARMING, None
            try:
                (load or self._load)()
                self.state = ReadyState.READY
            except CancelledWork:
                raise
            except Exception as error:
                self.state, self._error, self._failed_s = ReadyState.FAILED, error, self._clock()
                raise
            finally:
                if self.state is ReadyState.WARMING:
                    self.state = ReadyState.COLD
        finally:
            self._warming.release()


class QuickWork:
    """The kinds of work at 0-ply that have been seen to be quick; safe to use from several threads.

    The first of a kind loads files and compiled code; from the first quick one on the kind is quick.
    """

    def __init__(self) -> None:
        self._kinds: set[Hashable] = set()

    def __contains__(self, kind: Hashable) -> bool:
        return kind in self._kinds

    @contextmanager
    def time(self, kind: Hashable) -> Iterator[None]:
        """Time one piece of work of a kind."""
        started_s = time.monotonic()
        yield
        if time.monotonic() - started_s < QUICK_S:
            self.add(kind)

    def add(self, kind: Hashable) -> None:
        """Note that work of a kind is quick."""
        self._kinds.add(kind)
