"""The progress of `gammond hypergammon build`: what it computes, the step, and the largest change."""

from __future__ import annotations

import time
from collections.abc import Callable

from gammond.tools.common.progress import Progress, format_bar, format_duration

_UNITS = 1000


class SolvingProgress(Progress):
    """Shows how far a solver is, in one line, on terminals and elsewhere.

    Args:
        clock: As `Progress`.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(_UNITS, "solving", lines_of="gammond hypergammon", clock=clock)

    def show(self, share: float, text: str) -> None:
        """Take how far it is, as `gammond.engine.hypergammon.solver.Report`."""
        self.update(int(_UNITS * share), text)

    def finish(self) -> None:
        """Say that the file is written."""
        self.update(_UNITS, "solved")

    def _format_parts(self, elapsed_s: float, share: float | None) -> dict[str, str]:
        """Format bar and share, what is computed, and the time since the beginning."""
        computed = self._extra or "listing plays"
        return {"share": format_bar(share or 0.0), "extra": computed, "time": format_duration(elapsed_s)}
