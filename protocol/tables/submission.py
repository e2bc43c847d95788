"""How the hub has work done that takes time: the interface to whoever has threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from protocol.core.requests import AnyReply, Work, WorkControl

WorkResult = Sequence[AnyReply] | Exception
"""The answer of work, its last reply final, or what it raised."""


class Submit(Protocol):
    """Has work done."""

    def __call__(
        self, work: Work, on_done: Callable[[WorkResult], object], client: object
    ) -> Callable[[], object]:
        """Start work, or let it wait for its turn.

        Args:
            work: The work.
            on_done: Takes its result, later, in the thread that serves the visitors.
            client: By whom shares of the threads are counted: each table is a client.

        Returns:
            What asks the work to end with what it has; its result still comes.
        """
        ...


def make_preparation(prepare: Callable[[], object]) -> Work:
    """Return the work of something that has to be done before something else can be."""

    def run(_: WorkControl) -> Sequence[AnyReply]:
        prepare()
        return ()

    return Work(run)
