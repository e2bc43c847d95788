"""What tables need of the server around them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from protocol.state.service import Service
from protocol.tables.archive import Archive
from protocol.tables.submission import Submit


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
        run_step: Runs what may need a kernel that is not compiled yet, now or once it is.
        note_due: Told when something is due at the table, by the clock.
    """

    service: Service
    submit: Submit
    clock: Callable[[], float]
    wall_clock: Callable[[], float]
    archive: Archive
    count_game: Callable[[str], bool]
    run_step: Callable[[Callable[[], None]], None]
    note_due: Callable[[float], None]
