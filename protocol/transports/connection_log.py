"""Who connects to a server and leaves it, for the person who runs it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

from gammond.protocol.core.event_log import log_event
from gammond.protocol.transports.tcp_limits import Bucket

_LOG = logging.getLogger(__name__)

MOST_LINES = 20
"""Lines that may come one right after the other; what comes beyond them is only counted."""

LINE_EVERY_S = 2.0
"""How long it takes until one more line may come."""


class ConnectionLog:
    """Logs who connects and who leaves, as far as a person can read it; the rest is counted.

    At the level debug everything is logged.

    Args:
        clock: Seconds of a clock that never goes back.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lines = Bucket(1 / LINE_EVERY_S, MOST_LINES, clock())
        self._left_out = 0

    def write(self, event: str, message: str, **fields: Any) -> None:  # noqa: ANN401
        """Log what a client does, or count it.

        Args:
            event: As for `log_event`.
            message: Such as ``127.0.0.1 port 4321 connects (2 clients)``.
            fields: As for `log_event`.
        """
        if self._lines.find_wait(self._clock()) and not _LOG.isEnabledFor(logging.DEBUG):
            self._left_out += 1
            return
        self._lines.take()
        more, self._left_out = self._left_out, 0
        if more:
            message += f", after {more:,} that came or went unmentioned"
            fields["unmentioned"] = more
        log_event(_LOG, event, message, **fields)


class ClientNumbers:
    """Numbers the clients of a process, from 1 on, by their connections."""

    def __init__(self) -> None:
        self._numbers: WeakKeyDictionary[asyncio.BaseTransport, int] = WeakKeyDictionary()
        self._next = count(1)

    def find(self, transport: asyncio.BaseTransport) -> int:
        """Return the number of a client, the next one if it has none."""
        if transport not in self._numbers:
            self._numbers[transport] = next(self._next)
        return self._numbers[transport]
