"""The line that shows the progress of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gammond.engine.wording import format_count
from gammond.protocol.core.requests import AnyReply, Reply
from gammond.protocol.repl.answers.tables import format_points

MIN_SHOWN_MS = 300
"""Shorter work shows nothing."""

_SHOWN_MOVES = 3


class ProgressLine:
    """The progress of one answer; it keeps what only some reports carry."""

    def __init__(self) -> None:
        self._depth = ""
        self._rollout_start: tuple[int, int] | None = None

    def update(self, reply: AnyReply) -> str:
        """Return the line after a report.

        Args:
            reply: A reply before the final one.

        Returns:
            The line; empty while there is nothing worth showing.
        """
        if not isinstance(reply, Reply) or reply.word != "info":
            return ""
        values: Mapping[str, Any] = reply.values
        best = values.get("pv", "")
        if "trials" in values:
            return self._format_rollout(values, best)
        if "depth" in values:
            self._depth = f"{format_count(values['depth'] - 1, 'ply')} done, "
            if best:
                equity = f" {format_points(values['score'])}" if "score" in values else ""
                self._depth += f"best {best}{equity}, "
        if values.get("time_ms", 0) < MIN_SHOWN_MS:
            return ""
        seconds = values["time_ms"] / 1000
        if "analysed" in values:
            return _format_analysis_progress(values["analysed"], values["of"], seconds)
        if "ready" in values:
            return f"getting ready: {values['ready']} of {values['of']}, {seconds:.1f} s"
        return f"thinking: {self._depth}{values['nodes']:,} positions, {seconds:.1f} s"

    def _format_rollout(self, values: Mapping[str, Any], best: str) -> str:
        """Write how far a rollout is; the time left counts from the report before its first trial."""
        trials, time_ms = values["trials"], values["time_ms"]
        text = f"rolling out: {trials} of {values['of']} trials"
        if "equity" in values:
            error = f" ± {values['se']:.3f}" if "se" in values else ""
            text += f", {best} {format_points(values['equity'])}{error}".replace("  ", " ")
        text += f", {time_ms / 1000:.1f} s"
        if self._rollout_start is None or trials == self._rollout_start[0]:
            self._rollout_start = trials, time_ms
            return text
        before, began_ms = self._rollout_start
        left_s = (time_ms - began_ms) / 1000 * (values["of"] - trials) / (trials - before)
        return f"{text}, up to {left_s:.0f} s left"  # it may end early


class MoveProgressLine(ProgressLine):
    """The progress of a search for a move without dice."""

    def update(self, reply: AnyReply) -> str:
        """Return the line after a report, as `ProgressLine.update`."""
        if not isinstance(reply, Reply) or reply.word != "info":
            return ""
        values: Mapping[str, Any] = reply.values
        if values.get("time_ms", 0) < MIN_SHOWN_MS or "depth" not in values:
            return ""
        best = " ".join(str(values.get("pv", "")).split()[:_SHOWN_MOVES])
        found = f"depth {values['depth']}, best {best} ({_describe_score(values)})"
        return f"thinking: {found}, {values['nodes']:,} positions, {values['time_ms'] / 1000:.1f} s"


def _describe_score(values: Mapping[str, Any]) -> str:
    end = next((key for key in ("win_in", "loss_in") if key in values), None)
    return f"{values['score']:+d}" if end is None else f"{end.replace('_', ' ')} {values[end]}"


def _format_analysis_progress(done: int, total: int, seconds: float) -> str:
    left = f", {seconds * (total - done) / done:.0f} s left" if done else ""
    return f"analysing: {done} of {format_count(total, 'decision')}, {seconds:.1f} s{left}"
