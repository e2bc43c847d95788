"""What a person sees of work while it runs: one line, made of the ``info`` lines of the table."""

from __future__ import annotations

from protocol.core.requests import AnyReply, Reply
from protocol.repl.tables import format_count, format_points

MIN_SHOWN_MS = 300
"""Work that is over sooner shows nothing."""


class ProgressLine:
    """The line about one answer; it remembers what only some reports tell."""

    def __init__(self) -> None:
        self._depth = ""

    def update(self, reply: AnyReply) -> str:
        """Take a report in.

        Args:
            reply: What work told before its answer.

        Returns:
            The line as it is now; empty as long as there is nothing worth showing.
        """
        if not isinstance(reply, Reply) or reply.word != "info":
            return ""
        told, best = _parse_info(reply.text)
        if "trials" in told:
            return _format_rollout_progress(told, best)
        if "depth" in told:
            self._depth = f"{format_count(int(told['depth']) - 1, 'ply')} done, "
            if best:
                self._depth += f"best {best} {format_points(told['score'])}, "
        if int(told.get("time_ms", "0")) < MIN_SHOWN_MS:
            return ""
        seconds = int(told["time_ms"]) / 1000
        return f"thinking: {self._depth}{int(told['nodes']):,} positions, {seconds:.1f} s"


def _format_rollout_progress(values: dict[str, str], best: str) -> str:
    text = f"rolling out: {values['trials']} of {values['of']} trials"
    if "equity" in values:
        error = f" ± {float(values['se']):.3f}" if "se" in values else ""
        text += f", {best} {format_points(values['equity'])}{error}".replace("  ", " ")
    return f"{text}, {int(values['time_ms']) / 1000:.1f} s"


def _parse_info(text: str) -> tuple[dict[str, str], str]:
    """Read an ``info`` line into its pairs, and the play behind ``pv``."""
    pairs, _, play = text.partition(" pv ")
    words = pairs.split()
    return dict(zip(words[::2], words[1::2], strict=False)), play
