"""Figures of a server as Prometheus reads them: text, a line for each value."""

from __future__ import annotations

import os
import sys
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The upper ends of the buckets of times, in seconds."""


class Histogram:
    """How long something took, as a histogram."""

    def __init__(self) -> None:
        self._counts = [0] * (len(_BUCKETS_S) + 1)
        self._sum_s = 0.0

    def add(self, seconds: float) -> None:
        """Count a time."""
        self._counts[bisect_left(_BUCKETS_S, seconds)] += 1
        self._sum_s += seconds

    def format_lines(self, name: str) -> list[str]:
        """Format the histogram under a name."""
        lines, total = [], 0
        for end_s, count in zip((*_BUCKETS_S, None), self._counts, strict=True):
            total += count
            lines.append(f'{name}_bucket{{le="{"+Inf" if end_s is None else f"{end_s:g}"}"}} {total}')
        return [*lines, f"{name}_sum {self._sum_s:.6f}", f"{name}_count {total}"]


@dataclass(frozen=True)
class ServerFigure:
    """A value as it is when somebody asks.

    Attributes:
        name: Its name, without the program's.
        kind: ``counter``, ``gauge`` or ``histogram``.
        meaning: What it is, as a phrase.
        value: The value: a number, numbers by the value of the label, or a histogram.
        label: The name of the label.
    """

    name: str
    kind: str
    meaning: str
    value: float | Mapping[str, float] | Histogram
    label: str = ""

    def format_lines(self) -> list[str]:
        """Format the value with its head."""
        name, value = f"gammond_{self.name}", self.value
        head = [f"# HELP {name} {self.meaning}", f"# TYPE {name} {self.kind}"]
        if isinstance(value, Histogram):
            return head + value.format_lines(name)
        if isinstance(value, Mapping):
            return head + [f'{name}{{{self.label}="{key}"}} {each:g}' for key, each in sorted(value.items())]
        return [*head, f"{name} {_format_number(value)}"]


def format_figures(figures: Sequence[ServerFigure]) -> str:
    """Format values as text."""
    return "".join(f"{line}\n" for figure in figures for line in figure.format_lines())


def read_memory_bytes() -> int:
    """Return the memory that this process has, in bytes; at its peak where the system tells nothing else."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _format_number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6f}".rstrip("0").rstrip(".")
