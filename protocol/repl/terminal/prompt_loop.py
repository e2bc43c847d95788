"""The terminal: prompt_toolkit around a `LineInterpreter`."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from filelock import FileLock, Timeout
from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app, get_app_session
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.output import Output
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.styles import DynamicStyle

from gammond.engine.errors import GammondError
from gammond.engine.kernels import search
from gammond.engine.kernels.disk_cache import find_folders
from gammond.engine.rules.dice import MAX_SEED
from gammond.engine.runtime.compilation import COMPILATION
from gammond.engine.runtime.machine import count_usable_cores
from gammond.engine.store.options import read_store_options
from gammond.protocol.games import FIRST_GAME
from gammond.protocol.repl.answers.replies import ERROR_MARK, BoardLine
from gammond.protocol.repl.dialogue.configuration import apply_preferences
from gammond.protocol.repl.dialogue.interpreter import LineInterpreter
from gammond.protocol.repl.game.preferences import get_config_file, get_state_folder, read_preferences
from gammond.protocol.repl.game.saved_game import read_game
from gammond.protocol.repl.terminal.line_work import LineWork, ShowLines, answer_interruptibly
from gammond.protocol.repl.terminal.pages import (
    Sight,
    StatusLine,
    hide_typing,
    make_status_line,
    make_style,
    show,
)
from gammond.protocol.state.player_registry import FilePlayers
from gammond.protocol.state.service import Service, make_shipped_catalogue
from gammond.protocol.state.session import Session

PROMPT = "gammond> "
_KERNELS = search
"""Kernels that a game needs: where they are compiled, this is not the first use."""

REFRESH_S = 0.5
"""While a match is analysed, the line below the prompt, which says how far that is, is drawn so often."""

GREETING = "'play' starts a game, or paste a position; 'help' lists commands, Ctrl-D leaves."

FIRST_USE = (
    "The first commands of a new version compile what they need, once, some seconds each; "
    "'gammond prepare', in the shell, does it ahead."
)


def run_repl(file_players: FilePlayers) -> int:
    """Run until the person leaves; return the exit status.

    Args:
        file_players: Players that name files.
    """
    is_first_use = not any(any(folder.iterdir()) for folder in find_folders(_KERNELS.__name__))
    show([GREETING, FIRST_USE] if is_first_use else [GREETING])
    catalogue = make_shipped_catalogue(read_store_options(), file_players)
    service = Service(catalogue, threads=count_usable_cores(), has_log=False)
    service.client_count = 1
    interpreter = LineInterpreter(Session(service, secrets.randbelow(MAX_SEED)))
    interpreter.game.columns = get_app_session().output.get_size().columns

    sight = Sight()

    def show_in_colours(lines: Sequence[str]) -> None:
        size = get_app_session().output.get_size()
        has_board = any(isinstance(line, BoardLine) for line in lines)
        lost = sight.find_lost(interpreter.talk.news, lines, size)
        lines = [*lost, *lines] if has_board else [*lines, *lost]
        if interpreter.talk.must_show_board and sight.loses_board(lines, size):
            lines = [*lines, *interpreter.talk.show_board()]
        sight.note(lines, size)
        show(lines, interpreter.game.preferences.theme)

    show_in_colours(_apply_config(interpreter))
    with keep_game(interpreter, get_state_folder() / "game.json", show_in_colours) as keep, hide_typing():
        prompt = make_prompt(interpreter, history=open_history(get_history_file()))
        PromptLoop(interpreter, prompt, show_in_colours, make_status_line(), keep).run()
        interpreter.game.records.stop_analysis()
    return 0


def _apply_config(interpreter: LineInterpreter) -> list[str]:
    try:
        return apply_preferences(interpreter.game, read_preferences(get_config_file()))
    except GammondError as error:
        return [f"{ERROR_MARK}{error.message}"]


@contextmanager
def keep_game(interpreter: LineInterpreter, file: Path, show: ShowLines) -> Iterator[Callable[[], None]]:
    """Go on with the game of a file, and give what writes the present one to it.

    Only one terminal at a time keeps its game; where the file cannot be written, or read, that is said once.

    Args:
        interpreter: The conversation.
        file: The file; it is removed when there is no game to go on with.
        show: Shows lines.
    """
    lock = FileLock(f"{file}.lock")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except (OSError, Timeout):
        show(["Games are not kept: another terminal is open, or the folder cannot be written."])
        yield lambda: None
        return
    try:
        engine = interpreter.session.engine_settings
        if interpreter.game.preferences.resume and (saved := read_game(file, engine)):
            show(interpreter.resume(saved))
    except GammondError as error:
        aside = file.with_name(f"{file.name}.unread")
        with suppress(OSError):
            file.replace(aside)
        show([f"{ERROR_MARK}{error.message}; it is now {aside}, and the next game is kept in its place"])
    show(interpreter.keep_in(file))
    try:
        yield lambda: show(interpreter.keep())
        kept = interpreter.game.describe_kept()
        if kept is not None and interpreter.game.preferences.resume:
            table = kept.game.table
            what = "match" if table.match.length else "score"
            what = what if table.is_over or table.position is None else "game"
            does = "can still review and save it" if table.final_score is not None else "goes on with it"
            of = f" of {FIRST_GAME}" if interpreter.kept_games else ""
            show([f"The {what}{of} is kept: the next 'gammond' {does}."])
        for name in interpreter.kept_games:
            show([f"The game of {name} is kept: {name!r} in the next 'gammond' goes on with it."])
    finally:
        lock.release()


def get_history_file() -> Path:
    """Return the history file; ``GAMMOND_DATA`` moves it."""
    return get_state_folder() / "history"


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
        completer=ReplCompleter(interpreter),
        complete_while_typing=False,  # the menu would take room from the board all the time
        lexer=ReplLexer(interpreter),
        style=DynamicStyle(lambda: make_style(interpreter.game.preferences.theme)),
        complete_in_thread=True,  # the first legal plays may have to wait for a compiler
        bottom_toolbar=lambda: interpreter.talk.toolbar(get_app().output.get_size().columns),
        input=input_,
        output=output,
    )


class _LateAnswerError(Exception):
    """Ends a prompt at which somebody types: an answer has come that is to be shown above it."""


class PromptLoop:
    """Reads lines and answers them until the person leaves.

    Ctrl-C at the prompt cancels the line, Ctrl-D on an empty one leaves. An answer that Ctrl-C could not end
    is shown when it is there; what is typed before waits for it.

    Args:
        interpreter: What answers.
        prompt: Where lines come from.
        show: Shows the lines of the answer.
        status: Where progress is drawn; nowhere if None.
        keep: Called after each answer, to keep the game.
    """

    def __init__(
        self,
        interpreter: LineInterpreter,
        prompt: PromptSession[str],
        show: ShowLines,
        status: StatusLine | None = None,
        keep: Callable[[], None] = lambda: None,
    ) -> None:
        self._interpreter = interpreter
        self._prompt = prompt
        self._show = show
        self._status = status
        self._keep = keep
        self._late: LineWork | None = None

    def run(self) -> None:
        """Read and answer lines."""
        text = ""
        while not self._interpreter.has_ended:
            try:
                text = self._read_line(text)
                word = text.strip()
                if self._late is not None and self._interpreter.talk.aliases.get(word, word) == "quit":
                    return
                if word:
                    self._show_late()
            except _LateAnswerError:
                text = self._prompt.default_buffer.text
                self._show_late()
            except KeyboardInterrupt:
                continue  # what was typed is at the prompt again
            except EOFError:
                return
            else:
                self._answer(text)
                text = ""

    def _read_line(self, draft: str) -> str:
        if self._late is None:
            draft, self._interpreter.game.draft = draft or self._interpreter.game.draft, ""
        COMPILATION.is_silent = True  # the terminal is the prompt's
        try:
            analysis = self._interpreter.game.records.analysis
            is_analysing = analysis is not None and analysis.is_running
            above = patch_stdout(raw=True) if is_analysing or self._late is not None else nullcontext()
            with above:  # what building a database says comes above the prompt
                return self._prompt.prompt(
                    default=draft,
                    pre_run=self._watch_late,
                    refresh_interval=REFRESH_S if is_analysing else 0.0,
                )
        except KeyboardInterrupt:
            return ""
        finally:
            COMPILATION.is_silent = False

    def _watch_late(self) -> None:
        """End the prompt when an answer comes that could not be waited for."""
        if self._late is None:
            return
        app, late = self._prompt.app, self._late

        def leave() -> None:
            if app.is_running and app.future is not None and not app.future.done():
                app.exit(exception=_LateAnswerError())

        def watch() -> None:
            late.join()
            if app.loop is not None:
                with suppress(RuntimeError):  # the loop is closed: the prompt has ended
                    app.loop.call_soon_threadsafe(leave)

        threading.Thread(target=watch, name="late answer", daemon=True).start()

    def _show_late(self) -> None:
        """Wait for an answer that could not be waited for before, and show it.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed meanwhile.
        """
        if self._late is not None:
            lines = self._late.wait("waiting for the answer before: {}; Ctrl-C goes back to the line")
            self._late = None
            self._show(lines or ())
            self._keep()

    def _answer(self, text: str) -> None:
        self._interpreter.game.columns = self._prompt.output.get_size().columns
        lines = self._interpreter.split(text)
        for line in lines:
            if self._interpreter.has_ended:
                return
            if len(lines) > 1:
                first, *others = line.splitlines() or [""]
                self._show([f"{PROMPT}{first}{' ...' if others else ''}"])
            self._late = answer_interruptibly(self._interpreter, line, self._show, self._status)
            if self._late is not None:
                return
            self._keep()


class ReplCompleter(Completer):
    """Hands suggestions to prompt_toolkit.

    Args:
        interpreter: Suggests ways to go on with a line.
    """

    def __init__(self, interpreter: LineInterpreter) -> None:
        self._interpreter = interpreter

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Complete the text before the cursor."""
        for suggestion in self._interpreter.talk.suggest(document.text_before_cursor):
            yield Completion(
                suggestion.text, start_position=-suggestion.replaces, display_meta=suggestion.meaning
            )


class ReplLexer(Lexer):
    """Hands the colours of the line as it is typed to prompt_toolkit.

    Args:
        interpreter: Knows what is what in it.
    """

    def __init__(self, interpreter: LineInterpreter) -> None:
        self._interpreter = interpreter

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        """Return what colours a line of the text, given its number."""

        def paint(number: int) -> StyleAndTextTuples:
            pieces = self._interpreter.mark_input(
                document.lines[number], may_wait=not COMPILATION.is_compiling
            )
            return [(f"class:{name}" if name else "", text) for name, text in pieces]

        return paint
