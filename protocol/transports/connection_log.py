"""Who connects to a server and leaves it, for the person who runs it."""

from __future__ import annotations

from collections.abc import Callable

ClientCallback = Callable[[str], None]
"""Takes a line about a client for the person who runs the server; must not block."""

MOST_LINES = 20
"""Lines that may come one right after the other; what comes beyond them is only counted."""

LINE_EVERY_S = 2.0
"""How long it takes until one more line may come."""


class ConnectionLog:
    """Says who connects and who leaves, as far as a person can read it; the rest is counted.

    Args:
        clock: Seconds of a clock that never goes back.
        write_line: Takes the lines.
    """

    def __init__(self, clock: Callable[[], float], write_line: ClientCallback) -> None:
        self._clock = clock
        self._write_line = write_line
        self._lines = float(MOST_LINES)
        self._filled_s = clock()
        self._left_out = 0

    def write(self, event: str) -> None:
        """Say what a client does, or count it.

        Args:
            event: Such as ``127.0.0.1 port 4321 connects (2 clients)``.
        """
        now_s = self._clock()
        self._lines = min(MOST_LINES, self._lines + (now_s - self._filled_s) / LINE_EVERY_S)
        self._filled_s = now_s
        if self._lines < 1.0:
            self._left_out += 1
            return
        self._lines -= 1.0
        more, self._left_out = self._left_out, 0
        self._write_line(event + (f", after {more:,} that came or went unmentioned" if more else ""))
