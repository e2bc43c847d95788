"""How far the answer to a question is, on standard error: one line on a terminal, elsewhere line by line."""

from __future__ import annotations

import shutil
import sys
import threading
import time

from gammond.engine.runtime.compilation import COMPILATION
from gammond.protocol.core.requests import AnyReply
from gammond.tools.common.pulse import PULSE

CLEAR_LINE = "\r\x1b[K"


class AnswerProgress:
    """Shows reports of work as they come, and that it goes on where none comes."""

    def __init__(self) -> None:
        from gammond.protocol.repl.answers.progress import (
            ProgressLine,  # most answers are there before it is needed
        )

        self._line = ProgressLine()
        self._text = ""
        self._began_s = time.monotonic()
        self._lock = threading.Lock()

    def __call__(self, reply: AnyReply) -> None:
        """Take a report."""
        if text := self._line.update(reply):
            self._text = text
            if sys.stderr.isatty() and not COMPILATION.is_compiling:
                self._draw(text)

    def repeat(self) -> None:
        """Show the last report, if it has not been shown as a line, or the time."""
        text, self._text = self._text, ""
        text = text or f"thinking: {time.monotonic() - self._began_s:.0f} s"
        if sys.stderr.isatty():
            self._draw(text)
        else:
            sys.stderr.write(f"{PULSE.name}: {text}\n")
            sys.stderr.flush()

    def _draw(self, text: str) -> None:
        with self._lock:
            sys.stderr.write(f"{CLEAR_LINE}{text[: shutil.get_terminal_size().columns - 1]}")
            sys.stderr.flush()
            PULSE.note()
