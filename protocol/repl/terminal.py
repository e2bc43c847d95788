"""The terminal: prompt_toolkit around a `LineInterpreter`. The only module that imports it."""

from __future__ import annotations

import logging
import os
import queue
import re
import secrets
import sys
import textwrap
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import platformdirs
from prompt_toolkit import PromptSession, print_formatted_text
from prompt_toolkit.application import get_app, get_app_session
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.output import Output

from engine.rules.dice import MAX_SEED
from engine.runtime.cores import count_usable_cores
from engine.runtime.version import NAME, read_version
from protocol.core.requests import AnyReply, WorkControl
from protocol.repl.completion import suggest_completions
from protocol.repl.interpreter import LineInterpreter
from protocol.repl.replies import ERROR_MARK, PreformattedLine
from protocol.repl.toolbar import ProgressLine
from protocol.state.service import Service, make_shipped_catalogue
from protocol.state.session import Session

PROMPT = "gammond> "
GREETING = "'play' starts a game, 'help' lists the commands, Tab completes, Ctrl-D leaves."

ShowLines = Callable[[Sequence[str]], None]


def run_repl() -> int:
    """Run until the person leaves; return the exit status."""
    logging.basicConfig(format="gammond: %(levelname)s: %(message)s")
    service = Service(make_shipped_catalogue(), threads=count_usable_cores())
    service.client_count = 1
    talk = LineInterpreter(Session(service, secrets.randbelow(MAX_SEED)))
    show([f"{NAME} {read_version()}, a backgammon engine", GREETING])
    run_prompt_loop(
        talk, make_prompt(talk, history=open_history(get_history_file())), show, make_status_line()
    )
    return 0


def get_history_file() -> Path:
    """Return the history file; ``GAMMOND_DATA`` moves it."""
    return Path(os.environ.get("GAMMOND_DATA") or platformdirs.user_state_dir(NAME)) / "history"


def open_history(file: Path) -> History:
    """Open the history, or one in memory where the file cannot be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.open("ab").close()
    except OSError as error:
        show([f"history is not saved: {error}"])
        return InMemoryHistory()
    return FileHistory(str(file))


def make_prompt(
    interpreter: LineInterpreter,
    *,
    history: History,
    input_: Input | None = None,
    output: Output | None = None,
) -> PromptSession[str]:
    """Set up the prompt.

    Args:
        interpreter: What completion and toolbar show.
        history: Of lines, which suggestions come from.
        input_: Where keys come from; the terminal if left out.
        output: Where the prompt is drawn; the terminal if left out.
    """
    return PromptSession(
        PROMPT,
        history=history,
        auto_suggest=AutoSuggestFromHistory(),
        completer=ReplCompleter(interpreter.session),
        complete_in_thread=True,  # the first legal plays may have to wait for a compiler
        bottom_toolbar=lambda: interpreter.toolbar(get_app().output.get_size().columns),
        input=input_,
        output=output,
    )


def run_prompt_loop(
    interpreter: LineInterpreter,
    prompt: PromptSession[str],
    show: ShowLines,
    status: StatusLine | None = None,
) -> None:
    """Read lines and answer them until the person leaves.

    Ctrl-C at the prompt cancels the line, Ctrl-D on an empty one leaves.

    Args:
        interpreter: What answers.
        prompt: Where lines come from.
        show: Shows the lines of the answer.
        status: Where progress is drawn; nowhere if None.
    """
    while not interpreter.has_ended:
        try:
            line = prompt.prompt()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        answer_interruptibly(interpreter, line, show, status)


def answer_interruptibly(
    interpreter: LineInterpreter, line: str, show: ShowLines, status: StatusLine | None = None
) -> None:
    """Answer a line while its progress is drawn and Ctrl-C can end its work.

    The first Ctrl-C ends it with the best answer so far.

    Args:
        interpreter: What answers.
        line: What was typed.
        show: Shows the lines of the answer.
        status: Where progress is drawn; nowhere if None.

    Raises:
        KeyboardInterrupt: A second Ctrl-C came before the first had its effect.
    """
    events: queue.SimpleQueue[AnyReply | list[str]] = queue.SimpleQueue()
    control, progress = WorkControl(events.put), ProgressLine()
    worker = threading.Thread(
        target=lambda: events.put(interpreter.answer(line, control)), name="answer", daemon=True
    )

    def awaited() -> list[str]:
        while not isinstance(event := events.get(), list):  # an interrupted Thread.join would end the wait
            text = progress.update(event)
            if status is not None and text:
                status.draw(text)
        return event

    def erase() -> None:
        if status is not None:
            status.erase()

    try:
        worker.start()
        lines = awaited()
    except KeyboardInterrupt:
        control.stop()
        erase()
        show(["stopping; press Ctrl-C again to leave"])
        lines = awaited()
    finally:
        erase()
    show(lines)


class StatusLine:
    """A line below the output that is redrawn in place.

    Args:
        output: The terminal.
    """

    def __init__(self, output: Output) -> None:
        self._output = output
        self._is_drawn = False

    def draw(self, text: str) -> None:
        """Redraw the line, cut to the width of the terminal."""
        self._begin()
        self._output.write(text[: self._output.get_size().columns - 1])
        self._output.flush()
        self._is_drawn = True

    def erase(self) -> None:
        """Leave an empty line, if something was drawn."""
        if self._is_drawn:
            self._begin()
            self._output.flush()
            self._is_drawn = False

    def _begin(self) -> None:
        self._output.write_raw("\r")
        self._output.erase_end_of_line()


def make_status_line() -> StatusLine | None:
    """Return where to draw progress: at the end of a terminal; nowhere if the output goes elsewhere."""
    return StatusLine(get_app_session().output) if sys.stdout.isatty() else None


def show(lines: Sequence[str]) -> None:
    """Write lines to the terminal, wrapped to its width, errors in red."""
    width = get_app_session().output.get_size().columns
    for line in lines:
        style = "ansired" if line.startswith(ERROR_MARK) else ""
        for part in wrap_line(line, width):
            print_formatted_text(FormattedText([(style, part)]))


def wrap_line(line: str, width: int) -> list[str]:
    """Break a line between words and choices, later parts indented by two; what is drawn stays whole.

    Args:
        line: Without its end.
        width: Columns of the terminal.

    Returns:
        Lines of at most ``width`` columns, longer only for a word that is longer itself.
    """
    if isinstance(line, PreformattedLine) or len(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip())] + "  "
    wrapper = _UsageWrapper(width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return wrapper.wrap(line)


class _UsageWrapper(textwrap.TextWrapper):
    """Breaks lines at blanks, and after the bars between the choices of a usage text."""

    wordsep_simple_re = re.compile(r"([\t ]+)|(?<=\|)")


class ReplCompleter(Completer):
    """Hands the suggestions for a session to prompt_toolkit.

    Args:
        session: The table.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Complete the text before the cursor."""
        for suggestion in suggest_completions(document.text_before_cursor, self._session):
            yield Completion(
                suggestion.text, start_position=-suggestion.replaces, display_meta=suggestion.meaning
            )
