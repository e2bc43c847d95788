"""What a person sees of work while it runs: one line, made of the ``info`` lines of the table."""

from __future__ import annotations

from protocol.repl.tables import counted, points_text
from protocol.requests import AnyReply, Reply

QUIET_MS = 300
"""Work that is over sooner shows nothing."""


class ProgressLine:
    """The line about one answer; it remembers what only some reports tell."""

    def __init__(self) -> None:
        self._depth = ""

    def text(self, reply: AnyReply) -> str:
        """Take a report in.

        Args:
            reply: What work told before its answer.

        Returns:
            The line as it is now; empty as long as there is nothing worth showing.
        """
        if not isinstance(reply, Reply) or reply.word != "info":
            return ""
        told, best = _read(reply.text)
        if "trials" in told:
            return _rollout_text(told, best)
        if "depth" in told:
            self._depth = f"{counted(int(told['depth']) - 1, 'ply')} done, "
            if best:
                self._depth += f"best {best} {points_text(told['score'])}, "
        if int(told.get("time_ms", "0")) < QUIET_MS:
            return ""
        seconds = int(told["time_ms"]) / 1000
        return f"thinking: {self._depth}{int(told['nodes']):,} positions, {seconds:.1f} s"


def _rollout_text(told: dict[str, str], best: str) -> str:
    text = f"rolling out: {told['trials']} of {told['of']} trials"
    if "equity" in told:
        error = f" ± {float(told['se']):.3f}" if "se" in told else ""
        text += f", {best} {points_text(told['equity'])}{error}".replace("  ", " ")
    return f"{text}, {int(told['time_ms']) / 1000:.1f} s"


def _read(text: str) -> tuple[dict[str, str], str]:
    """Read an ``info`` line into its pairs, and the play behind ``pv``."""
    pairs, _, play = text.partition(" pv ")
    words = pairs.split()
    return dict(zip(words[::2], words[1::2], strict=False)), play
