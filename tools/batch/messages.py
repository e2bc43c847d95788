"""What `gammond batch` says on standard error: bad lines, and what it did."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from gammond.engine.errors import GammondError
from gammond.engine.runtime.compilation import COMPILATION
from gammond.engine.wording import format_count
from gammond.tools.batch.evaluation import LineAnalysis
from gammond.tools.batch.lines import PositionLine
from gammond.tools.batch.resume import ExistingOutput
from gammond.tools.batch.rows import format_error
from gammond.tools.batch.run import BatchCounts
from gammond.tools.common.progress import format_short_number, write_message

MAX_REPORTED_LINES = 100
"""Bad lines named on stderr; the others are only counted."""

_LISTED_LINES = 10
"""Corrected lines whose numbers are listed."""

say = partial(write_message, "gammond batch")
"""Writes a line on standard error."""


class BadLines:
    """Names bad lines on stderr at the end of the block: the first ones each, then how many more.

    Args:
        earlier: The number and the error of each bad line of an earlier run.
    """

    def __init__(self, earlier: Sequence[tuple[int, str]] = ()) -> None:
        self._count = len(earlier)
        self._messages = [f"line {number}: {error}" for number, error in earlier[:MAX_REPORTED_LINES]]

    def __enter__(self) -> BadLines:
        return self

    def report(self, line: PositionLine, error: GammondError) -> None:
        """Note a bad line."""
        self._count += 1
        if self._count <= MAX_REPORTED_LINES:
            self._messages.append(f"line {line.number}: {format_error(error)}")

    def __exit__(self, *raised: object) -> None:
        for message in self._messages:
            say(message)
        if self._count > MAX_REPORTED_LINES:
            say(
                f"{format_count(self._count - MAX_REPORTED_LINES, 'more bad line')}; "
                "their rows say what is wrong"
            )


def format_resume_note(path: Path, written: ExistingOutput) -> str:
    """Format what a resumed run found in its output."""
    cut = ", a half-written row was removed" if written.is_truncated else ""
    errors = f" ({written.errors:,} with errors)" if written.errors else ""
    redone = ""
    if written.corrected:
        numbers = [f"{row.line.number:,}" for row in written.corrected]
        listed = ", ".join(numbers[:_LISTED_LINES]) + ", ..." * (len(numbers) > _LISTED_LINES)
        redone = f", {format_count(len(numbers), 'row')} of corrected lines done again (line {listed})"
    return (
        f"{path} has {format_count(written.rows, 'row')} of this input{errors}{cut}{redone}; "
        f"continuing after line {written.last_line:,}"
    )


def format_summary(
    counts: BatchCounts, written: ExistingOutput, analysis: LineAnalysis, elapsed_s: float
) -> str:
    """Format what a run did; compiling does not count in its speed.

    Args:
        counts: Of the run.
        written: What an earlier run had done.
        analysis: What it asked.
        elapsed_s: How long it took.
    """
    errors = counts.errors + written.errors
    bad = f", {format_count(errors, 'bad line')}" if errors else ""
    before = f" after {written.rows - written.errors:,} of an earlier run" if written.rows else ""
    positions = counts.rows - counts.errors
    return (
        f"{format_count(positions, 'position')}{before} by {analysis.name} at {analysis.plies}-ply "
        f"in {elapsed_s:.1f} s{_format_speed(positions, elapsed_s)}{bad}"
    )


def _format_speed(positions: int, elapsed_s: float) -> str:
    compiling_s = COMPILATION.total_s
    if not positions or elapsed_s <= compiling_s:
        return ""
    rate = format_short_number(positions / (elapsed_s - compiling_s))
    compiling = f" beside {compiling_s:.0f} s of compiling" if compiling_s >= 1 else ""
    return f" ({rate}/s{compiling})"
