"""What a process reports while it compiles kernels: within a second, a line on stderr that counts them.

It also says about how long the kernel that is needed will take, a time that never grows. Compiling takes a
time in proportion to the size of the code, and optimising a kernel that Python calls another, in proportion
to that of all it calls.
"""

from __future__ import annotations

import atexit
import math
import shutil
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple, TextIO

SILENT_S = 0.7
"""Compiling that takes less is not mentioned; a pause of this length ends a report."""

_OPTIMISING = 0.45
"""The time of optimising a kernel with all that it calls, by the time of compiling all that first."""

_USUAL_SIZE, _USUAL_S = 5000, 3.0
"""Bytes of Python's code, and seconds in which a machine with other work compiles them."""

_REDRAW_EVERY_S = 0.2
_REPEAT_EVERY_S = 0.7


class CompilationProgress(NamedTuple):
    """How far compiling is.

    Attributes:
        done: Kernels that are compiled.
        kernels: All that are needed, as far as is known.
        left_s: Seconds that the kernel under way, with its parts, about still takes.
    """

    done: int
    kernels: int
    left_s: float


class CompilationReport:
    """Counts the kernels that are compiled, and reports them while they are.

    A terminal has one line, redrawn and in the end erased; any other stream gets a line about once a second.

    Args:
        stream: By default stderr, as it is when there is something to report.
        clock: A monotonic clock in seconds; for tests.

    Attributes:
        on_first: Called once, in the thread that compiles, before the first kernel; None for nothing.
        is_silent: Whether nothing is reported.
        keeps_kernels: Whether the next start finds what is compiled.
    """

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.on_first: Callable[[], None] | None = None
        self.is_silent = False
        self.keeps_kernels = True
        self._stream = stream
        self._clock = clock
        self._lock = threading.Lock()
        self._depth = 0
        self._count = 0
        self._known: set[str] = set()
        self._sizes: dict[str, int] = {}
        self._whole_size = 0
        self._done_size = 0.0
        self._began_s: float | None = None
        self._ended_s = 0.0
        self._entered_s = 0.0
        self._shown_left_s = math.inf
        self._total_s = 0.0
        self._written_s: float | None = None
        self._is_line_open = False

    @property
    def is_compiling(self) -> bool:
        """Whether a kernel is being compiled, which nothing can interrupt."""
        return self._depth > 0

    @property
    def is_reporting(self) -> bool:
        """Whether a report has a line on the terminal, or may have one soon."""
        return self._began_s is not None and not self.is_silent

    @property
    def total_s(self) -> float:
        """Seconds in which this process has compiled so far."""
        with self._lock:
            return self._total_s + (self._clock() - self._entered_s if self._depth else 0.0)

    def begin(self, find_sizes: Callable[[], Mapping[str, int]]) -> None:
        """Note that a kernel, or one that it calls, begins to be compiled.

        Args:
            find_sizes: Returns the size of the code of a kernel that Python calls, and of each kernel that
                is a part of it, by name.
        """
        on_first, self.on_first = self.on_first, None
        if on_first is not None:
            on_first()
        with self._lock:
            if not self._depth:
                sizes = find_sizes()
                self._sizes = {name: size for name, size in sizes.items() if name not in self._known}
                self._whole_size = sum(sizes.values())
                self._entered_s = self._clock()
                self._shown_left_s = math.inf
            self._depth += 1
            if self._began_s is None:
                self._began_s = self._clock()
                self._count, self._done_size = 0, 0.0
                self._written_s = None
                threading.Thread(target=self._watch, name="compilation report", daemon=True).start()

    def skip(self, kernel: str) -> None:
        """Note that a kernel need not be compiled: it is in the cache."""
        with self._lock:
            self._known.add(kernel)
            self._sizes.pop(kernel, None)

    def end(self, kernel: str) -> None:
        """Note that a kernel has been compiled, or could not be."""
        with self._lock:
            self._depth -= 1
            self._count += 1
            self._known.add(kernel)
            self._done_size += self._sizes.pop(kernel, 0)
            self._ended_s = self._clock()
            if not self._depth:
                self._total_s += self._ended_s - self._entered_s
                self._done_size += _OPTIMISING * self._whole_size
                self._sizes, self._whole_size = {}, 0
                self._erase_line()  # what needed the kernel writes next

    def update(self, *, is_due: bool = False) -> bool:
        """Write what there is to write; return whether anything is still being compiled.

        Args:
            is_due: Whether to write at once, since nothing else was written for a while.
        """
        with self._lock:
            if self._began_s is None:
                return False
            now_s = self._clock()
            if not self._depth and now_s - self._ended_s >= SILENT_S:
                self._began_s = None
                return False
            if self._depth and (is_due or now_s - self._began_s >= SILENT_S) and not self.is_silent:
                self._write(now_s)
            return True

    def find_progress(self) -> CompilationProgress | None:
        """Return how far compiling is; None unless it is under way for long enough to be mentioned."""
        with self._lock:
            now_s = self._clock()
            is_over = not self._depth and now_s - self._ended_s >= SILENT_S
            if self._began_s is None or is_over or now_s - self._began_s < SILENT_S:
                return None
            return self._measure(now_s)

    def silence(self) -> None:
        """Report nothing from now on, and leave no line on a terminal: the process is about to end."""
        with self._lock:
            self.is_silent = True
            self._erase_line()

    def _watch(self) -> None:
        while self.update():
            time.sleep(_REDRAW_EVERY_S)

    def _write(self, now_s: float) -> None:
        stream = sys.stderr if self._stream is None else self._stream
        if stream is None:  # a program without a console
            return
        is_terminal = stream.isatty()
        every_s = 0.0 if is_terminal else _REPEAT_EVERY_S
        if self._written_s is not None and now_s - self._written_s < every_s:
            return
        self._written_s = now_s
        how_often, remedy = ("once", "`gammond prepare` does it ahead")
        if not self.keeps_kernels:
            how_often, remedy = ("at each start", "their folder cannot be written")
        progress = self._measure(now_s)
        line = (
            f"gammond: compiling kernels {how_often}: {progress.done} of {progress.kernels}, "
            f"about {progress.left_s:.0f} s left for this step"
        )
        advice = f" ({remedy})"
        if is_terminal:
            width = shutil.get_terminal_size().columns - 1
            line += " " + "." * (1 + int(2 * now_s) % 3)  # they move while the numbers stand still
            whole = line + advice if len(line + advice) <= width else line
            stream.write("\r" + whole[:width].ljust(width))
            if not self._is_line_open:
                self._is_line_open = True
                atexit.register(self._erase_line)
        else:
            stream.write(line + advice + "\n")
        stream.flush()

    def _measure(self, now_s: float) -> CompilationProgress:
        self._shown_left_s = min(self._shown_left_s, self._estimate_left_s(now_s))
        return CompilationProgress(self._count, self._count + len(self._sizes), self._shown_left_s)

    def _estimate_left_s(self, now_s: float) -> float:
        """Estimate how long the kernel under way, with its parts, still takes; a second at least."""
        began_s = now_s if self._began_s is None else self._began_s
        part_ended_s = max(self._ended_s, began_s)
        pace = (part_ended_s - began_s + _USUAL_S) / (self._done_size + _USUAL_SIZE)
        left_size = sum(self._sizes.values()) + _OPTIMISING * self._whole_size
        return max(pace * left_size - (now_s - part_ended_s), 1.0)

    def _erase_line(self) -> None:
        if self._is_line_open:
            self._is_line_open = False
            atexit.unregister(self._erase_line)
            stream = sys.stderr if self._stream is None else self._stream
            stream.write("\r" + " " * (shutil.get_terminal_size().columns - 1) + "\r")
            stream.flush()


COMPILATION = CompilationReport()
"""The report of this process."""
