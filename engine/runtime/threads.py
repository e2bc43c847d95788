"""Worker threads for whole blocks of work, their turns, and what begins anew in a forked process.

Python code is run by one thread at a time, heavy compiled work by all at once. NumPy releases the
interpreter's lock for a few microseconds in every operation on a large array. Each time wakes another waiting
thread in vain, and two threads get less done than one. So threads that work on one answer take turns instead,
and release theirs only around work that is worth it.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol, TypeVar
from weakref import WeakSet

from gammond.engine.errors import ValueRangeError
from gammond.engine.runtime.machine import MAX_THREADS

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Forked(Protocol):
    """What has threads, locks or connections that a forked process cannot use."""

    def begin_in_fork(self) -> None:
        """Begin with threads, locks and connections of its own, as far as they are needed."""
        ...


_forked: WeakSet[Forked] = WeakSet()
_of_parents: list[dict[str, object]] = []
"""What belongs to the processes that this one was forked of: held, because to close it would harm them."""


def begin_anew_in_forks(owner: Forked) -> None:
    """Have `Forked.begin_in_fork` called in each process that is forked while the owner is there."""
    _forked.add(owner)


def _begin_in_child() -> None:
    for owner in list(_forked):
        _of_parents.append(dict(vars(owner)))
        owner.begin_in_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)


class Turn(Protocol):
    """What one of several threads has at a time."""

    def acquire(self) -> object:
        """Wait for it."""
        ...

    def release(self) -> object:
        """Give it to another thread; RuntimeError where this one does not have it."""
        ...


_TURN = threading.RLock()
"""That of threads that work on one answer."""

_thread_state = threading.local()


@contextmanager
def hold_turn(turn: Turn = _TURN) -> Iterator[None]:
    """Hold a turn, exclusively among the threads that take it; nested only where it was released."""
    try:
        turn.acquire()
        _thread_state.turn = turn
        yield
    finally:
        _thread_state.turn = None
        with suppress(RuntimeError):  # an interrupt came while it was waited for, here or in `release_turn`
            turn.release()


@contextmanager
def release_turn() -> Iterator[None]:
    """Release the turn during work that needs no interpreter; no effect in threads that hold none."""
    turn: Turn | None = getattr(_thread_state, "turn", None)
    if turn is None:
        yield
        return
    _thread_state.turn, _thread_state.released = None, turn
    turn.release()
    try:
        yield
    finally:
        _thread_state.released = None  # also where an interrupt comes while the turn is waited for
        turn.acquire()
        _thread_state.turn = turn


@contextmanager
def retake_turn() -> Iterator[None]:
    """Hold the turn again that this thread has released, for Python code that released work asks for."""
    turn: Turn | None = getattr(_thread_state, "released", None)
    if turn is None:
        yield
        return
    _thread_state.released = None
    try:
        with hold_turn(turn):
            yield
    finally:
        _thread_state.released = turn


def offer_turn() -> None:
    """Let a thread go first that waits for the turn of this one, if this one holds any."""
    with release_turn():
        pass


def yield_to_other_work(niceness: int) -> None:
    """Let the system prefer other threads to the calling one, where it has such priorities.

    On Linux each thread has a priority of its own; elsewhere nothing changes.

    Args:
        niceness: How far it steps back, as the system counts it: up to 19.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)


class Workers:
    """Worker threads, started at first use, and again in a process that is forked.

    Args:
        threads: 1 or more; with 1 the caller does all the work.

    Raises:
        ValueRangeError: The number of threads is out of range.
    """

    def __init__(self, threads: int = 1) -> None:
        if not 1 <= threads <= MAX_THREADS:
            raise ValueRangeError(f"expected 1 to {MAX_THREADS} threads, got {threads}", field="threads")
        self.threads = threads
        self.begin_in_fork()
        begin_anew_in_forks(self)

    def begin_in_fork(self) -> None:
        """Begin with no threads."""
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None

    def map(self, work: Callable[[_Item], _Result], items: Sequence[_Item]) -> list[_Result]:
        """Do work on each item, in turns; the work must not use these workers itself.

        The caller works too, so it never waits for threads that are busy with other callers' items.

        Args:
            work: Safe to run in several threads at once.
            items: What to work on.

        Returns:
            The results in the order of the items.

        Raises:
            Exception: From the work on an item; by then no other work is running.
        """
        if self.threads == 1 or len(items) <= 1:
            return [work(item) for item in items]
        results: dict[int, _Result] = {}
        places = iter(range(len(items)))  # hands each number to one thread
        is_ended = threading.Event()

        def take_items() -> None:
            with hold_turn():
                try:
                    for place in places:
                        if is_ended.is_set():
                            break
                        results[place] = work(items[place])
                except BaseException:
                    is_ended.set()
                    raise

        with release_turn():
            helpers = [self._get_pool().submit(take_items) for _ in range(min(self.threads, len(items)) - 1)]
            try:
                take_items()
            finally:
                is_ended.set()  # nothing is left, or the caller's work failed
                failures = [helper.exception() for helper in helpers if not helper.cancel()]
        for failure in filter(None, failures):
            raise failure
        return [results[place] for place in range(len(items))]

    def _get_pool(self) -> ThreadPoolExecutor:
        from concurrent.futures import ThreadPoolExecutor  # most processes use one thread

        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="search")
            return self._pool
