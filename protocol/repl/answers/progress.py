"""The line that shows the progress of an answer."""

from __future__ import annotations

from typing import Any

from protocol.core.replies import info_to_fields
from protocol.core.requests import AnyReply, Reply
from protocol.repl.answers.tables import format_count, format_points

MIN_SHOWN_MS = 300
"""Shorter work shows nothing."""


class ProgressLine:
    """The progress of one answer; it keeps what only some reports carry."""

    def __init__(self) -> None:
        self._depth = ""

    def update(self, reply: AnyReply) -> str:
        """Return the line after a report.

        Args:
            reply: A reply before the final one.

        Returns:
            The line; empty while there is nothing worth showing.
        """
        if not isinstance(reply, Reply) or reply.word != "info":
            return ""
        values = info_to_fields(reply.text)
        best = values.get("pv", "")
        if "trials" in values:
            return _format_rollout_progress(values, best)
        if "depth" in values:
            self._depth = f"{format_count(values['depth'] - 1, 'ply')} done, "
            if best:
                self._depth += f"best {best} {format_points(values['score'])}, "
        if values.get("time_ms", 0) < MIN_SHOWN_MS:
            return ""
        seconds = values["time_ms"] / 1000
        if "judged" in values:
            return _format_analysis_progress(values["judged"], values["of"], seconds)
        if "ready" in values:
            return f"getting ready: {values['ready']} of {values['of']}, {seconds:.1f} s"
        return f"thinking: {self._depth}{values['nodes']:,} positions, {seconds:.1f} s"


def _format_rollout_progress(values: dict[str, Any], best: str) -> str:
    text = f"rolling out: {values['trials']} of {values['of']} trials"
    if "equity" in values:
        error = f" ± {values['se']:.3f}" if "se" in values else ""
        text += f", {best} {format_points(values['equity'])}{error}".replace("  ", " ")
    return f"{text}, {values['time_ms'] / 1000:.1f} s"


def _format_analysis_progress(done: int, total: int, seconds: float) -> str:
    left = f", {seconds * (total - done) / done:.0f} s left" if done else ""
    return f"analysing: {done} of {format_count(total, 'decision')}, {seconds:.1f} s{left}"
