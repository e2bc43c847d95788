"""The answer to a line, which Ctrl-C ends, and which goes on in the background where nothing can end it."""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Callable, Sequence

from gammond.engine.runtime.compilation import COMPILATION
from gammond.protocol.commands.dispatch import fail_request
from gammond.protocol.core.requests import AnyReply, WorkControl
from gammond.protocol.repl.answers.replies import format_replies
from gammond.protocol.repl.dialogue.interpreter import LineInterpreter
from gammond.protocol.repl.terminal.pages import StatusLine

SILENT_S = 0.8
"""Work that has nothing to report says so after this time, and once a second."""

STOPPING_S = 0.7
"""What takes longer to end goes on in the background."""

_STEP_S = 0.1
"""How long Python waits at a time."""

ShowLines = Callable[[Sequence[str]], None]


class LineWork:
    """The work of answering a line, in a thread of its own.

    Args:
        interpreter: What answers; nothing else may ask it before the answer is there.
        line: What was typed.
        status: Where progress is drawn; nowhere if None.
    """

    def __init__(self, interpreter: LineInterpreter, line: str, status: StatusLine | None = None) -> None:
        self._events: queue.SimpleQueue[AnyReply | list[str]] = queue.SimpleQueue()
        self._control, self._progress = WorkControl(self._events.put), interpreter.talk.progress()
        self._status = status
        self._interpreter, self._line = interpreter, line
        self._thread = threading.Thread(target=self._answer, name="answer", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End the work with the best answer so far, as soon as it can be ended."""
        self._control.stop()

    def join(self) -> None:
        """Wait until the answer is there."""
        self._thread.join()

    def wait(self, what: str, patience_s: float = math.inf) -> list[str] | None:
        """Wait for the answer, and draw progress meanwhile.

        Args:
            what: Drawn, with the time, where there is no progress to be drawn.
            patience_s: How long to wait.

        Returns:
            The lines of the answer; None if it is not there yet.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed.
        """
        began_s = drawn_s = time.monotonic()
        try:
            while (waited_s := time.monotonic() - began_s) < patience_s:
                try:
                    event = self._events.get(timeout=min(_STEP_S, patience_s))
                except queue.Empty:
                    if time.monotonic() - drawn_s >= SILENT_S:
                        drawn_s = time.monotonic()
                        self._draw(what.format(f"{waited_s:.0f} s"))
                    continue
                if isinstance(event, list):
                    return event
                if text := self._progress.update(event):
                    drawn_s = time.monotonic()
                    self._draw(text)
            return None
        finally:
            if self._status is not None:
                self._status.erase()

    def _answer(self) -> None:
        interpreter = self._interpreter
        try:
            lines = interpreter.answer(self._line, self._control)
        except Exception as error:  # else the person waits for ever
            lines = format_replies([fail_request(interpreter.session, error)])
        self._events.put(lines)

    def _draw(self, text: str) -> None:
        if self._status is not None:
            self._status.draw(text)


def answer_interruptibly(
    interpreter: LineInterpreter, line: str, show: ShowLines, status: StatusLine | None = None
) -> LineWork | None:
    """Answer a line while its progress is drawn, and show the answer; Ctrl-C ends it with the best so far.

    Args:
        interpreter: What answers.
        line: What was typed.
        show: Shows lines.
        status: Where progress is drawn; nowhere if None.

    Returns:
        None, or what goes on because Ctrl-C could not end it.

    Raises:
        KeyboardInterrupt: A second Ctrl-C came before the first had its effect.
    """
    answer = LineWork(interpreter, line, status)
    try:
        answer.start()
        lines = answer.wait("working: {}; Ctrl-C ends it")
    except KeyboardInterrupt:
        answer.stop()
        COMPILATION.is_silent = True
        show(["stopping; press Ctrl-C again to leave"])
        lines = answer.wait("", STOPPING_S)
        if lines is None:
            reason = (
                "the compiler is done, once for all" if COMPILATION.is_compiling else "its answer is there"
            )
            show([f"It goes on in the background until {reason}; what you type next waits for it."])
            return answer
    finally:
        COMPILATION.is_silent = False
    show(lines or ())
    return None
