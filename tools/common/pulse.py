"""What a tool says on standard error while nothing else is said there, so that nobody waits in silence.

Away from a terminal that is a line after ten seconds: how far the work is (`gammond.tools.common.progress`),
or that it goes on; others follow, further and further apart (`find_line_interval`). On a terminal the bar is
redrawn, or the seconds counted where there is none.
"""

from __future__ import annotations

import errno
import io
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, TextIO

from gammond.engine.runtime.compilation import COMPILATION, find_line_interval

if TYPE_CHECKING:
    from typing_extensions import Buffer

EVERY_S = 0.8
"""The longest silence that is wanted on a terminal, with some room for the time of the writing."""

_POLL_S = 0.1

_START_S = 0.2
"""What the start of Python has taken by the time of the first tool's code."""


def write_if_there(stream: TextIO, text: str) -> None:
    """Write to a stream at once, or nothing if its terminal was closed: SIGHUP is then on its way."""
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        if error.errno != errno.EIO:
            raise


class Pulse:
    """Has the work at hand say something whenever nothing was said for a while.

    Args:
        clock: A monotonic clock in seconds; for tests.

    Attributes:
        name: What lines begin with: the command, as ``gammond hint``.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = "gammond"
        self._clock = clock
        self._sources: list[Callable[[], None]] = []
        self._saying = threading.Lock()
        self._began_s = self._said_s = clock()
        self._pauses = 0
        self._ended: threading.Event | None = None

    @contextmanager
    def beat(self, name: str) -> Iterator[None]:
        """Begin, and end with the block, or before it by `stop`.

        Args:
            name: What lines begin with.
        """
        self.name, self._began_s = name, self._clock() - _START_S
        self._said_s = self._began_s
        ended = self._ended = threading.Event()

        def watch() -> None:
            while not ended.wait(_POLL_S):
                self.update()

        threading.Thread(target=watch, name="pulse", daemon=True).start()
        try:
            yield
        finally:
            self.stop()

    @property
    def is_beating(self) -> bool:
        """Whether silences end."""
        return self._ended is not None

    def stop(self) -> None:
        """Say nothing any more: from here on the tool may have nothing to do."""
        if self._ended is not None:
            self._ended.set()
            self._ended = None

    def note(self) -> None:
        """Note that something has been said."""
        self._said_s = self._clock()

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Say nothing in the block: it waits for input."""
        self._pauses += 1
        try:
            yield
        finally:
            self._pauses -= 1
            self.note()

    @contextmanager
    def follow(self, say: Callable[[], None]) -> Iterator[None]:
        """Have work say something, in the block, whenever nothing was said for a while.

        Args:
            say: Says how far it is; called in another thread.
        """
        self._sources.append(say)
        try:
            yield
        finally:
            with self._saying:  # it says nothing after the block
                self._sources.remove(say)

    def update(self) -> None:
        """Say something if nothing was said for long enough."""
        now_s = self._clock()
        is_terminal = sys.stderr.isatty()
        every_s = EVERY_S if is_terminal else find_line_interval(now_s - self._began_s)
        if self._pauses or now_s - self._said_s < every_s:
            return
        self._said_s = now_s
        with self._saying:
            if COMPILATION.is_compiling:
                COMPILATION.update(is_due=True)
                if not is_terminal:
                    return
            if self._sources:
                self._sources[-1]()
            else:
                seconds = f"{now_s - self._began_s:.0f} s"
                # on a terminal what comes next is written over it
                text = f"working: {seconds}\r" if is_terminal else f"{self.name}: working, {seconds}\n"
                write_if_there(sys.stderr, text)


PULSE = Pulse()
"""The pulse of this process."""


def open_stdin() -> BinaryIO:
    """Return standard input as bytes; while it is waited for nothing is said."""
    stream = sys.stdin.buffer
    raw = getattr(stream, "raw", None)
    return stream if raw is None else io.BufferedReader(_PausingInput(raw))


class _PausingInput(io.RawIOBase):
    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int | None:
        with PULSE.pause():
            return self._raw.readinto(buffer)
