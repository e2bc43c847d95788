"""What hands out tasks: to this process, to other processes of this machine, or to a cluster.

Work is a function of a module, tasks hold names, hashes and numbers, and results come in the order of the
tasks. So whoever does the work, and however many do it, the results are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from types import TracebackType
from typing import Protocol, Self, TypeVar

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")


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

    def map(self, work: Callable[[_Task], _Result], tasks: Iterable[_Task]) -> Iterator[_Result]:
        """Do work on each task.

        Args:
            work: A function of a module, which other processes can import.
            tasks: Taken as they are needed, a few ahead of the results; picklable.

        Yields:
            The results in the order of the tasks. Tasks that nobody waits for any more are dropped.

        Raises:
            Exception: What the work on a task raised.
            LimitError: Whoever did the work is gone, or a task ends whoever takes it.
        """
        ...

    def submit(self, work: Callable[[_Task], _Result], task: _Task) -> Future[_Result]:
        """Do work on one task; the result, or what the work raised, is that of the future."""
        ...
