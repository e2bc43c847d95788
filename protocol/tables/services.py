"""What tables need of the server around them: workers, clocks, an archive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from gammond.protocol.core.requests import ResultT, Task
from gammond.protocol.state.service import Service
from gammond.protocol.tables.archive import Archive


class Submit(Protocol):
    """Has work done."""

    def __call__(
        self, task: Task[ResultT], on_done: Callable[[ResultT | Exception], object], client: object
    ) -> Callable[[], object]:
        """Start work, or let it wait for its turn.

        Args:
            task: The work.
            on_done: Takes its result or what it raised, later, in the thread that serves the visitors.
            client: By whom shares of the threads are counted: each table is a client.

        Returns:
            What asks the work to end with what it has; its result still comes.
        """
        ...


@dataclass(frozen=True)
class TableServices:
    """What a table needs of its hub.

    Attributes:
        service: What all clients share.
        submit: Has work done.
        clock: Seconds of a clock that never goes back.
        wall_clock: Seconds of the Unix epoch.
        archive: Keeps tables and games.
        count_game: Counts a finished game of an address; returns whether it has had more in this hour than
            people play.
        note_due: Told when something is due at the table, by the clock.
    """

    service: Service
    submit: Submit
    clock: Callable[[], float]
    wall_clock: Callable[[], float]
    archive: Archive
    count_game: Callable[[str], bool]
    note_due: Callable[[float], None]
