"""What hands out tasks: to this process, to other processes of this machine, or to a cluster.

Work is a function of a module, tasks hold names, hashes and numbers, and results come in the order of the
tasks. So whoever does the work, and however many do it, the results are the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from types import TracebackType
from typing import Protocol, Self, TypeVar

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")

CHECK_S = 0.1
"""How often those who wait for results look whether these are still wanted."""


def do_nothing() -> None:
    """Do nothing."""


class Executor(Protocol):
    """Does work on tasks; used as a context manager."""

    @property
    def count(self) -> int:
        """How many tasks are done at a time, at present."""
        ...

    @property
    def runs_here(self) -> bool:
        """Whether the caller's own thread does all work."""
        ...

    @property
    def note(self) -> str:
        """Who works, in a few words for a progress bar; empty if there is nothing to say."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def map(
        self, work: Callable[[_Task], _Result], tasks: Iterable[_Task], check: Callable[[], None] = do_nothing
    ) -> Iterator[_Result]:
        """Do work on each task.

        Args:
            work: A function of a module, which other processes can import.
            tasks: Taken as they are needed, a few ahead of the results; picklable.
            check: Called some times a second while others work; what it raises ends the work.

        Yields:
            The results in the order of the tasks. Tasks that nobody waits for any more are dropped.

        Raises:
            Exception: What the work on a task raised.
            LimitError: Whoever did the work is gone, or a task ends whoever takes it.
        """
        ...

    def submit(self, work: Callable[[_Task], _Result], task: _Task) -> Future[_Result]:
        """Do work on one task; the result, or what the work raised, is that of the future.

        Whoever cancels the future does not want it any more; work that has begun may go on to its end.
        """
        ...


def map_ahead(
    submit: Callable[[_Task], Future[_Result]],
    tasks: Iterable[_Task],
    count_ahead: Callable[[], int],
    check: Callable[[], None],
) -> Iterator[_Result]:
    """Yield the results of tasks in their order; drop those that nobody waits for any more.

    Args:
        submit: Begins a task.
        tasks: Taken as they are needed.
        count_ahead: Returns how many tasks are out at a time, at present.
        check: As for `Executor.map`.
    """
    waiting: deque[Future[_Result]] = deque()
    try:
        for task in tasks:
            waiting.append(submit(task))
            if len(waiting) >= count_ahead():
                yield _await_result(waiting.popleft(), check)
        while waiting:
            yield _await_result(waiting.popleft(), check)
    finally:
        for future in waiting:
            future.cancel()


def _await_result(future: Future[_Result], check: Callable[[], None]) -> _Result:
    """Return the result of a future, or raise what it has."""
    while not wait((future,), timeout=CHECK_S).done:
        check()
    return future.result()
