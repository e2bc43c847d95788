"""What a process reports while it compiles kernels, and threads that do not wait for the compiler.

It reports within a second, and from then on in few lines.

A kernel takes seconds to compile, once. In the thread that serves the clients it would keep all of them
waiting, and the signals that end the process too. So quick work that meets such a kernel there is broken off,
and a worker does it anew, as a whole. What changes something meets none (`gammond.protocol.state.readiness`).
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable
from typing import TextIO

SILENT_S = 0.7
"""Compiling that takes less is not mentioned; a pause of this length ends a report."""

_POLL_S = 0.2
_CLEAR_LINE = "\r\x1b[K"

LINE_EVERY_S, _MOST_EVERY_S = 10.0, 600.0
_SHARE_OF_RUN = 0.1

_PREPARED = "gammond.engine."
"""The package whose kernels `gammond prepare` compiles; training and founding documents have their own."""


def find_line_interval(elapsed_s: float) -> float:
    """Return the seconds between two lines of progress where there is no terminal.

    They are kept in a log: ten seconds at first, later a tenth of the time so far, and ten minutes at most.

    Args:
        elapsed_s: Seconds since the work began.
    """
    return max(LINE_EVERY_S, min(_SHARE_OF_RUN * elapsed_s, _MOST_EVERY_S))


class CompilationReport:
    """Counts the kernels that are compiled, and says on stderr that they are.

    Args:
        stream: By default stderr, as it is when there is something to report.
        clock: A monotonic clock in seconds; for tests.

    Attributes:
        on_first: Called once, in the thread that compiles, before the first kernel; None for nothing.
        is_silent: Whether nothing is reported.
        keeps_kernels: Whether the next start finds what is compiled.
        claims_kernels: Whether other processes wait for what this one compiles.
        known: The names of the kernels that were compiled, or found in the cache.
    """

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.on_first: Callable[[], None] | None = None
        self.is_silent = False
        self.keeps_kernels = True
        self.claims_kernels = True
        self.known: set[str] = set()
        self._stream = stream
        self._clock = clock
        self._lock = threading.Lock()
        self._depth = self._count = 0
        self._kernel = ""
        self._began_s: float | None = None
        self._entered_s = self._ended_s = self._total_s = 0.0
        self._written_s = -math.inf

    @property
    def is_compiling(self) -> bool:
        """Whether a kernel is being compiled, which nothing can interrupt."""
        return self._depth > 0

    @property
    def total_s(self) -> float:
        """Seconds in which this process has compiled so far."""
        with self._lock:
            return self._total_s + (self._clock() - self._entered_s if self._depth else 0.0)

    def begin(self, kernel: str) -> None:
        """Note that a kernel, or one that it calls, begins to be compiled."""
        on_first, self.on_first = self.on_first, None
        if on_first is not None:
            on_first()
        with self._lock:
            if not self._depth:
                self._entered_s, self._kernel = self._clock(), kernel
            self._depth += 1
            if self._began_s is None:
                self._began_s, self._count = self._entered_s, 0
                threading.Thread(target=self._watch, name="compilation report", daemon=True).start()

    def end(self, kernel: str) -> None:
        """Note that a kernel has been compiled, or could not be."""
        with self._lock:
            self._depth -= 1
            self._count += 1
            self.known.add(kernel)
            self._ended_s = self._clock()
            if not self._depth:
                self._total_s += self._ended_s - self._entered_s

    def update(self, *, is_due: bool = False) -> bool:
        """Write a line if it is time for one; return whether anything is still being compiled.

        Args:
            is_due: Whether to write before a second is over, since nothing else was written for a while.
        """
        with self._lock:
            now_s = self._clock()
            if self._began_s is None or (not self._depth and now_s - self._ended_s >= SILENT_S):
                self._began_s = None
                return False
            elapsed_s = now_s - self._began_s
            is_wanted = self._depth and not self.is_silent and (is_due or elapsed_s >= SILENT_S)
            if is_wanted and now_s - self._written_s >= find_line_interval(self._total_s):
                self._written_s = now_s
                self._write(elapsed_s)
            return True

    def find_progress(self) -> dict[str, int] | None:
        """Return the kernels done and the seconds so far; None unless they are worth a mention."""
        with self._lock:
            now_s = self._clock()
            is_over = not self._depth and now_s - self._ended_s >= SILENT_S
            if self._began_s is None or is_over or now_s - self._began_s < SILENT_S:
                return None
            return {"done": self._count, "elapsed_s": round(now_s - self._began_s)}

    def _watch(self) -> None:
        while self.update():
            time.sleep(_POLL_S)

    def _write(self, elapsed_s: float) -> None:
        stream = sys.stderr if self._stream is None else self._stream
        if stream is None:  # a program without a console
            return
        remedy = " (`gammond prepare` does it ahead)" if self._kernel.startswith(_PREPARED) else ""
        how_often = "once"
        if not self.keeps_kernels:
            how_often, remedy = "at each start", " (their folder cannot be written)"
        line = f"gammond: compiling kernels {how_often}: {self._count} in {elapsed_s:.0f} s{remedy}\n"
        stream.write(_CLEAR_LINE + line if stream.isatty() else line)
        stream.flush()


COMPILATION = CompilationReport()
"""The report of this process."""


class UncompiledKernel(BaseException):
    """A kernel must be compiled or loaded first, for which a prompt thread does not wait.

    Whatever takes errors for answers lets it through, as it does the end of the process.
    """


class _Promptness(threading.local):
    """Whether the calling thread is prompt; as a context, it makes that so in its block.

    From the block an `UncompiledKernel` may be raised, so that nothing may have been changed before.
    """

    is_given = False

    def __enter__(self) -> None:
        self.is_given = True

    def __exit__(self, *_: object) -> None:
        self.is_given = False


PROMPTNESS = _Promptness()
"""That of the threads of this process."""


def check_may_wait() -> None:
    """Check that the calling thread may wait for the compiler.

    Raises:
        UncompiledKernel: It may not.
    """
    if PROMPTNESS.is_given:
        raise UncompiledKernel
