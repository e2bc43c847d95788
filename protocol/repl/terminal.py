"""The terminal: prompt_toolkit around a `Talk`. The only module that imports it."""

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

from engine.cores import usable_cores
from engine.dice import MAX_SEED
from engine.version import NAME, version
from protocol.repl.completion import suggestions
from protocol.repl.progress import ProgressLine
from protocol.repl.talk import Talk
from protocol.repl.writing import ERROR_MARK, Drawn
from protocol.requests import AnyReply, Control
from protocol.service import Service, shipped_judges
from protocol.session import Session

PROMPT = "gammond> "
GREETING = "'play' begins a game, 'help' lists the words, Tab completes, Ctrl-D leaves."

Show = Callable[[Sequence[str]], None]


def talk_at_terminal() -> int:
    """Talk until the person leaves; returns the exit status."""
    logging.basicConfig(format="gammond: %(levelname)s: %(message)s")
    service = Service(shipped_judges(), threads=usable_cores())
    service.clients = 1
    talk = Talk(Session(service, secrets.randbelow(MAX_SEED)))
    show([f"{NAME} {version()}, a backgammon engine", GREETING])
    converse(talk, make_prompt(talk, history=open_history(history_file())), show, status_line())
    return 0


def history_file() -> Path:
    """Return where the lines of earlier talks are kept; ``GAMMOND_DATA`` moves it."""
    return Path(os.environ.get("GAMMOND_DATA") or platformdirs.user_state_dir(NAME)) / "history"


def open_history(file: Path) -> History:
    """Open the history, or one that lasts only for this talk where the file cannot be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.open("ab").close()
    except OSError as error:
        show([f"no history is kept: {error}"])
        return InMemoryHistory()
    return FileHistory(str(file))


def make_prompt(
    talk: Talk, *, history: History, input_: Input | None = None, output: Output | None = None
) -> PromptSession[str]:
    """Set up the prompt.

    Args:
        talk: What completion and toolbar show.
        history: Of lines, which suggestions come from.
        input_: Where keys come from; the terminal if left out.
        output: Where the prompt is drawn; the terminal if left out.
    """
    return PromptSession(
        PROMPT,
        history=history,
        auto_suggest=AutoSuggestFromHistory(),
        completer=SessionCompleter(talk.session),
        complete_in_thread=True,  # the first legal plays may have to wait for a compiler
        bottom_toolbar=lambda: talk.toolbar(get_app().output.get_size().columns),
        input=input_,
        output=output,
    )


def converse(talk: Talk, prompt: PromptSession[str], show: Show, status: StatusLine | None = None) -> None:
    """Read lines and answer them until the person leaves.

    Ctrl-C at the prompt cancels the line, Ctrl-D on an empty one leaves.

    Args:
        talk: What answers.
        prompt: Where lines come from.
        show: Takes what is said.
        status: Where progress is drawn; nowhere if None.
    """
    while not talk.has_ended:
        try:
            line = prompt.prompt()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        answer_interruptibly(talk, line, show, status)


def answer_interruptibly(talk: Talk, line: str, show: Show, status: StatusLine | None = None) -> None:
    """Answer a line while its progress is drawn and Ctrl-C can end its work.

    The first Ctrl-C ends it with the best answer so far.

    Args:
        talk: What answers.
        line: What was typed.
        show: Takes what is said.
        status: Where progress is drawn; nowhere if None.

    Raises:
        KeyboardInterrupt: A second Ctrl-C came before the first had its effect.
    """
    events: queue.SimpleQueue[AnyReply | list[str]] = queue.SimpleQueue()
    control, progress = Control(events.put), ProgressLine()
    worker = threading.Thread(
        target=lambda: events.put(talk.answer(line, control)), name="answer", daemon=True
    )

    def awaited() -> list[str]:
        while not isinstance(event := events.get(), list):  # an interrupted Thread.join would end the wait
            text = progress.text(event)
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
        show(["stopping; Ctrl-C once more leaves"])
        lines = awaited()
    finally:
        erase()
    show(lines)


class StatusLine:
    """A line that is drawn over again in its place, below what was said.

    Args:
        output: The terminal.
    """

    def __init__(self, output: Output) -> None:
        self._output = output
        self._is_drawn = False

    def draw(self, text: str) -> None:
        """Put a text in the place of what is there, cut to the width of the terminal."""
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


def status_line() -> StatusLine | None:
    """Return where to draw progress: at the end of a terminal; nowhere if the output goes elsewhere."""
    return StatusLine(get_app_session().output) if sys.stdout.isatty() else None


def show(lines: Sequence[str]) -> None:
    """Write lines to the terminal, wrapped to its width, errors in red."""
    width = get_app_session().output.get_size().columns
    for line in lines:
        style = "ansired" if line.startswith(ERROR_MARK) else ""
        for part in wrapped(line, width):
            print_formatted_text(FormattedText([(style, part)]))


def wrapped(line: str, width: int) -> list[str]:
    """Break a line between words and choices, later parts indented by two; what is drawn stays whole.

    Args:
        line: Without its end.
        width: Columns of the terminal.

    Returns:
        Lines of at most ``width`` columns, longer only for a word that is longer itself.
    """
    if isinstance(line, Drawn) or len(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip())] + "  "
    wrapper = _Wrapper(width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return wrapper.wrap(line)


class _Wrapper(textwrap.TextWrapper):
    """Breaks lines at blanks, and after the bars between the choices of a usage text."""

    wordsep_simple_re = re.compile(r"([\t ]+)|(?<=\|)")


class SessionCompleter(Completer):
    """Hands the suggestions for a session to prompt_toolkit.

    Args:
        session: The table.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Complete the text before the cursor."""
        for suggestion in suggestions(document.text_before_cursor, self._session):
            yield Completion(
                suggestion.text, start_position=-suggestion.replaces, display_meta=suggestion.meaning
            )
