"""A progress bar for long work: one line on stderr, on a terminal; elsewhere a line now and then."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Self, TextIO

from gammond.engine.runtime.compilation import COMPILATION, find_line_interval
from gammond.engine.wording import escape_unprintable
from gammond.tools.common.pulse import PULSE, write_if_there

_REDRAW_EVERY_S = 0.1

_BAR_CELLS = 24
_MIN_BAR_CELLS = 5


class Progress:
    """A progress bar with rate and time left, used as a context manager.

    Where the stream is no terminal, lines are written as `find_line_interval` says. On a
    terminal the line is redrawn at most ten times a second, so `update` may be called as often as is
    convenient, and at least once a second even if that is not called. The last state stays on the screen,
    and ends lines where there was one before. While kernels are compiled, which has a line of its own,
    nothing is shown, and that time does not count in the rate.

    Args:
        total: The amount of work, in units of `update`; None if unknown.
        label: The work in a word or two.
        stream: By default stderr.
        start: Work done by an earlier run; the rate counts from there.
        lines_of: What lines begin with where the stream is no terminal; the command and the label if empty.
        clock: A monotonic clock in seconds; for tests.
    """

    def __init__(
        self,
        total: int | None,
        label: str,
        stream: TextIO | None = None,
        *,
        start: int = 0,
        lines_of: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.total = total
        self.label = label
        self._stream = sys.stderr if stream is None else stream
        self._shown = self._stream.isatty()
        self._clock = clock
        self._started_s = clock() - COMPILATION.total_s
        self._drawn_s = float("-inf")
        self._lines_of = lines_of
        self._began_s = self._written_s = clock()
        self._has_lines = False
        self._lock = threading.RLock()
        self._following = ExitStack()
        self._start = start
        self._done = start
        self._extra = ""

    def __enter__(self) -> Self:
        self._following.enter_context(PULSE.follow(self.repeat))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._following.close()
        with self._lock:
            self._end(error)

    def _end(self, error: BaseException | None) -> None:
        """Leave the last state where the work has ended, or was ended by an error."""
        if self._shown:
            self._draw()
            write_if_there(self._stream, "\n")
        elif self._has_lines and error is None and self._done == self.total:
            self._write_line()

    @property
    def count(self) -> int:
        """How much is done in all."""
        return self._done

    def update(self, done: int, extra: str = "") -> None:
        """Set how much is done in all.

        Args:
            done: Units done since the beginning, including those of an earlier run.
            extra: A few words for the end of the line.
        """
        self._done = done
        self._extra = extra
        if COMPILATION.is_compiling:
            return
        now_s = self._clock()
        if (self._shown and now_s - self._drawn_s >= _REDRAW_EVERY_S) or self._has_room_for_line(now_s):
            self.repeat()

    def _has_room_for_line(self, now_s: float) -> bool:
        """Return whether another line is due where there is no bar; without a name a tool has to run."""
        is_wanted = not self._shown and bool(self._lines_of or PULSE.is_beating)
        return is_wanted and now_s - self._written_s >= find_line_interval(now_s - self._began_s)

    def repeat(self) -> None:
        """Draw the bar anew, or write another line."""
        with self._lock:
            if self._shown:
                self._draw()
            else:
                self._written_s, self._has_lines = self._clock(), self._done != self.total
                self._write_line()

    def _write_line(self) -> None:
        """Write how far the work is, where there is no bar."""
        line = self.format_line()
        shown = line.partition("]")[2] if self.total else line.removeprefix(self.label)
        subject = self._lines_of or f"{PULSE.name}: {self.label}"
        write_if_there(self._stream, f"{subject}: {shown.strip()}{self._format_findings()}\n")
        PULSE.note()

    def _format_findings(self) -> str:
        """Format what is known so far, for the end of a line."""
        return ""

    def write_line(self, text: str) -> None:
        """Write a permanent line, terminal or not; the bar continues below it."""
        with self._lock:
            self.clear()
            write_if_there(self._stream, text + "\n")
            PULSE.note()

    def clear(self) -> None:
        """Clear the bar for a permanent line that is written elsewhere; it continues below that."""
        with self._lock:
            if self._shown:
                write_if_there(self._stream, "\r" + " " * (shutil.get_terminal_size().columns - 1) + "\r")
            self._drawn_s = float("-inf")

    def format_line(self, width: int | None = None) -> str:
        """Format the line: label, bar, share, count, rate, time left, extra words.

        Args:
            width: Columns available; None for no limit. Where they are too few the bar shrinks, then bar,
                rate, count and extra words are omitted in this order.
        """
        elapsed_s = self._clock() - COMPILATION.total_s - self._started_s
        share = min(1.0, self._done / self.total) if self.total else None
        return _fit_to_width(self._format_parts(elapsed_s, share), share, width)

    def _format_parts(self, elapsed_s: float, share: float | None) -> dict[str, str]:
        """Format the parts of the line, by the names that `_fit_to_width` knows, in order."""
        rate = (self._done - self._start) / elapsed_s if elapsed_s > 0 else 0.0
        parts = {"label": self.label}
        if share is not None:
            parts["share"] = format_bar(share)
            parts["count"] = f"{self._done:,} of {self.total:,}"
        else:
            parts["count"] = f"{self._done:,}"
        parts["rate"] = f"{format_short_number(rate)}/s"
        if self.total and self._done >= self.total:
            parts["time"] = f"in {format_duration(elapsed_s)}"
        elif self.total and rate > 0:
            parts["time"] = f"{format_duration((self.total - self._done) / rate)} left"
        if self._extra:
            parts["extra"] = self._extra
        return parts

    def _draw(self) -> None:
        self._drawn_s = self._clock()
        width = shutil.get_terminal_size().columns - 1
        write_if_there(self._stream, "\r" + self.format_line(width).ljust(width))


def write_message(tool: str, text: str, bar: Progress | None = None) -> None:
    """Write a line of a tool to stderr, whatever letters are in it.

    Args:
        tool: The name that the line begins with.
        text: What it says.
        bar: The bar above which it stands, if there is one.
    """
    line = f"{tool}: {escape_unprintable(text)}"
    if bar is None:
        write_if_there(sys.stderr, f"{line}\n")
        PULSE.note()
    else:
        bar.write_line(line)


def format_bar(share: float, cells: int = _BAR_CELLS) -> str:
    """Format a bar with the share in percent; without the bar where it has too few cells."""
    full = int(share * cells)
    bar = f"[{'#' * full}{'.' * (cells - full)}] " if cells >= _MIN_BAR_CELLS else ""
    return f"{bar}{int(100 * share):3d} %"


def _fit_to_width(parts: dict[str, str], share: float | None, width: int | None) -> str:
    """Join the parts as far as they fit into the width."""
    line = "  ".join(parts.values())
    if width is None or len(line) <= width:
        return line
    if share is not None:
        parts = parts | {"share": format_bar(share, _BAR_CELLS - (len(line) - width))}
    for name in ("rate", "count", "extra"):
        if len("  ".join(parts.values())) > width:
            parts = {key: text for key, text in parts.items() if key != name}
    return "  ".join(parts.values())[:width]


def format_short_number(value: float) -> str:
    """Format a number in few digits: ``7.3``, ``812``, ``41.2 k``, ``3.4 M``."""
    if value >= 1e6:
        return f"{value / 1e6:.1f} M"
    if value >= 1e3:
        return f"{value / 1e3:.1f} k"
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def format_duration(seconds: float) -> str:
    """Format a time as ``m:ss``, or ``h:mm:ss`` from an hour on."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
