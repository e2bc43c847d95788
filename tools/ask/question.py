"""From a position to an answer: the terminal's text, or what the wire answers to a JSON query."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Annotated, ClassVar

from gammond.engine.analysis.levels import find_level
from gammond.engine.errors import CancelledWork, StateError, UnsupportedError, ValueRangeError
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.rules.rules import BACKGAMMON, VARIANTS, Rules
from gammond.engine.runtime.compilation import COMPILATION
from gammond.engine.search import MAX_PLIES
from gammond.engine.store.options import NO_STORE, StoreOptions
from gammond.protocol.core.replies import format_reply
from gammond.protocol.core.requests import AnyReply, JsonReply, WorkControl
from gammond.protocol.games import OTHER_GAMES
from gammond.protocol.repl.answers.analysis import show_opinion
from gammond.protocol.repl.game.preferences import get_config_file, read_preferences
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.repl.game.views import show_board
from gammond.protocol.state.service import EngineCatalogue, Service, make_shipped_catalogue
from gammond.protocol.state.session import EngineSettings, Session
from gammond.tools.common.background import prepare_on_first_compile
from gammond.tools.common.command_options import CORES, Threads, option
from gammond.tools.common.interrupts import call_on_interrupt, end_with_partial
from gammond.tools.common.opponents import load_net_engine
from gammond.tools.common.position_arguments import (
    AskedPosition,
    Dice,
    PositionOptions,
    ScoreOptions,
    variant_option,
)
from gammond.tools.common.position_fields import format_heading, list_position_fields
from gammond.tools.common.pulse import PULSE
from gammond.tools.common.store_options import StoreChoice
from gammond.tools.common.strength import DEFAULT_NET, Net

Ask = Callable[[Session, WorkControl], list[str]]
"""Answers a question about the position on the table of a session, in lines for people."""

CLEAR_LINE = "\r\x1b[K"

TERMINAL_COLUMNS = 80
"""The width of the text where no terminal shows it."""


QueryJson = Annotated[bool, option("write one JSON object, with the keys of the protocol's queries")]
"""``--json`` of a question."""

PlayerName = Annotated[
    str,
    option(
        "show what this player thinks, with the number by which it chooses (see 'gammond players')", "NAME"
    ),
]
"""``--player`` of a question, which asks a player in place of the evaluator."""

_PLIES_HELP = f"look-ahead, up to {MAX_PLIES} plies{{}} (default that of 'gammond config level', at first 0)"


class QuestionOptions(PositionOptions, frozen=True, kw_only=True):
    """A question about a position: who answers it, and how it is written."""

    plies: Annotated[int, option(_PLIES_HELP.format(""), "N", ge=0, le=MAX_PLIES)] | None = None
    net: Net = DEFAULT_NET
    threads: Threads = CORES
    store: StoreChoice = StoreChoice()
    board: Annotated[bool, option("draw the board first")] = False
    json: QueryJson = False

    def ask(self) -> AskedPosition:
        """Read the position.

        Raises:
            GammondError: As `PositionOptions.read`.
        """
        return self.read()

    def change_settings(self, settings: EngineSettings) -> EngineSettings:
        """Return how a session evaluates, with what the options say."""
        return settings if self.plies is None else replace(settings, ply=self.plies + 1)

    def open_session(self) -> Session:
        """Return a session with the net, the threads and the store.

        Raises:
            GammondError: An option is wrong.
        """
        return open_session(self.net, self.threads, self.store.read())


class ScoredQuestionOptions(QuestionOptions, frozen=True, kw_only=True):
    """A question whose answer depends on the score."""

    score: ScoreOptions = ScoreOptions()

    def ask(self) -> AskedPosition:
        """Read the position, with score and cube.

        Raises:
            GammondError: As `PositionOptions.read`.
        """
        return self.read(self.score)


class AnyGameOptions(ScoredQuestionOptions, frozen=True, kw_only=True):
    """A question that can be asked of every game."""

    variant: Annotated[str, variant_option(OTHER_GAMES)] = BACKGAMMON.name
    plies: Annotated[int, option(_PLIES_HELP.format(", in barca 48"), "N", ge=0)] | None = None
    weights: Annotated[str, option("in barca, the board evaluation vector", "NAME")] | None = None
    cubeless: Annotated[bool, option("play without the cube")] = False
    player: PlayerName | None = None

    def __post_init__(self) -> None:
        if self.variant in OTHER_GAMES:
            return
        if self.weights is not None:
            raise UnsupportedError(f"--weights is not for {self.variant}: remove it", field="weights")
        if self.plies is not None and self.plies > MAX_PLIES:
            raise ValueRangeError(f"--plies: expected 0 to {MAX_PLIES}, got {self.plies}", field="plies")

    def change_settings(self, settings: EngineSettings) -> EngineSettings:
        """Return how a session evaluates, with what the options say."""
        changed = super().change_settings(settings)
        return replace(changed, is_cubeful=False) if self.cubeless else changed


class BoardOptions(PositionOptions, frozen=True, kw_only=True):
    """The position that is drawn."""

    takes_dice: ClassVar[bool] = True

    dice: Dice | None = None
    variant: Annotated[str, variant_option(OTHER_GAMES)] = BACKGAMMON.name
    score: ScoreOptions = ScoreOptions()
    json: QueryJson = False

    def open_session(self) -> Session:
        """Return a session that draws it.

        Raises:
            GammondError: A preference is wrong.
        """
        return open_session()


def answer_question(
    options: QuestionOptions, ask: Ask, make_query: Callable[[Session], dict[str, object]]
) -> int:
    """Answer a question about the position of the options, on standard output.

    Args:
        options: Of the command.
        ask: Answers in text.
        make_query: Makes the JSON query about the table that answers as an object: its fields beside the
            position, and how that is evaluated.

    Returns:
        0.

    Raises:
        GammondError: The position or an option is wrong, or there is no answer.
        KeyboardInterrupt: Ctrl-C or SIGTERM; the answer so far, if there is one, has been shown.
    """
    asked = options.ask()
    session = set_table(options.open_session(), options.variant, asked)
    session.engine_settings = options.change_settings(session.engine_settings)
    prepare_on_first_compile()
    lines = draw_table(session) if options.board and not options.json else []
    match = asked.match if options.takes_dice else asked.match.before_roll()
    heading = format_heading(asked.position, match)
    with watch_work() as control:
        if options.json:
            (line,) = call_session(lambda: [query_position(session, control, make_query(session))])
            lines = [asked.add_assumed(line)]
        else:
            lines += call_session(lambda: [heading, *ask(session, control)])
    show_answer(lines, control, is_plain=options.json)
    return 0


def answer_opinion(options: QuestionOptions, player: str, count: int) -> int:
    """Answer what a player thinks, as `answer_question`.

    Args:
        options: Of the command.
        player: Its name.
        count: The most plays of a roll to show.
    """
    query = {"want": ["opinion"], "player": player, "max_moves": count}

    def remove_dice(session: Session) -> dict[str, object]:
        position, match = session.game.position, session.game.match
        if position is not None and not options.takes_dice:
            session.set_position(position, match.before_roll())
        return query

    def ask(session: Session, control: WorkControl) -> list[str]:
        remove_dice(session)
        return show_opinion(session, control, player, count)

    return answer_question(options, ask, remove_dice)


class _AnswerProgress:
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


@contextmanager
def watch_work() -> Iterator[WorkControl]:
    """Show the progress of work on stderr, and end it early on Ctrl-C or SIGTERM.

    While a kernel is compiled, the process ends.
    """
    progress = _AnswerProgress()
    control = WorkControl(progress)

    def stop() -> None:
        clear = CLEAR_LINE if sys.stderr.isatty() else ""
        if not COMPILATION.is_compiling:
            sys.stderr.write(f"{clear}gammond: stopping; Ctrl-C again leaves at once\n")
        control.stop()

    try:
        with call_on_interrupt(stop, has_nothing=lambda: True), PULSE.follow(progress.repeat):
            yield control
    finally:
        if sys.stderr.isatty():
            sys.stderr.write(CLEAR_LINE)


def open_session(net: str = DEFAULT_NET, threads: int = 1, store: StoreOptions = NO_STORE) -> Session:
    """Return a session, at the strength of the preferences.

    Args:
        net: The evaluator.
        threads: For one answer.
        store: Where analyses are kept.

    Raises:
        GammondError: A preference is wrong, or there is no such net.
    """
    session = Session(Service(_make_catalogue(net, store), threads=threads, has_log=False), 0)
    level = find_level(read_preferences(get_config_file()).level)
    session.engine_settings = replace(session.engine_settings.with_level(level), noise=0)
    return session


def set_table(session: Session, variant: str, asked: AskedPosition) -> Session:
    """Put a position on the table of a session, and return that."""
    session.game = replace(session.game, rules=Rules(VARIANTS[variant]))
    session.set_position(asked.position, asked.match)
    return session


def _make_catalogue(net: str, store: StoreOptions) -> EngineCatalogue:
    """Return the source of a net, of those that only tools know too (``run:FOLDER``)."""
    shipped = make_shipped_catalogue(store)
    if net == DEFAULT_NET:
        return shipped
    load = partial(load_net_engine, store=store)
    return replace(shipped, default=net, list_names=lambda: [net], load=load)


def call_session(call: Callable[[], list[str]]) -> list[str]:
    """Return what a call gives, with errors of the session as they read without one.

    Raises:
        GammondError: The session refused a command.
        KeyboardInterrupt: It was stopped before there was an answer.
    """
    try:
        return call()
    except StateError as error:
        if not error.missing:
            raise
        raise StateError(f"{error.problem}: there is nothing to decide", field=error.field) from None
    except CancelledWork:
        raise KeyboardInterrupt from None


def draw_table(session: Session) -> list[str]:
    """Draw the board in the columns there are."""
    game = ReplGame(session)
    game.columns = count_columns()
    return show_board(game)


def count_columns() -> int:
    """Return the columns that there are for text."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else TERMINAL_COLUMNS


def show_lines(lines: Sequence[str], *, is_plain: bool = False) -> None:
    """Write lines: wrapped and in colours on a terminal, as they are elsewhere and if plain."""
    if is_plain or not sys.stdout.isatty():
        sys.stdout.write("".join(f"{line}\n" for line in lines))
        return
    from gammond.protocol.repl.terminal.pages import (
        show,  # takes a tenth of a second, and only a terminal needs it
    )

    show(lines, read_preferences(get_config_file()).theme, in_pages=False)


def show_answer(lines: Sequence[str], control: WorkControl, *, is_plain: bool) -> None:
    """Write an answer.

    Args:
        lines: As for `show_lines`.
        control: Of the work.
        is_plain: As for `show_lines`.

    Raises:
        KeyboardInterrupt: The work was stopped early, and the answer is of what was done.
    """
    show_lines(lines, is_plain=is_plain)
    if control.is_stopped:
        raise end_with_partial("work")


def query_position(session: Session, control: WorkControl, fields: dict[str, object]) -> str:
    """Return the object with which the wire answers a JSON query about the position on the table, as text.

    It also has the position asked about, with score, cube and dice.

    Args:
        session: The table.
        control: Stops and watches work.
        fields: Of the query, without its id, the position, and how that is evaluated.

    Raises:
        GammondError: The query is refused.
    """
    from gammond.tools.common.other_games import run_query  # text does without it

    settings, game = session.engine_settings, session.game
    assert game.position is not None
    query = {
        "position": encode_xgid(game.position, game.match.without_offers()),
        "plies": settings.plies,
        "filter": settings.filter_name,
        "cubeful": settings.is_cubeful,
        **fields,
    }
    document = run_query(session, control, query)
    results = document.pop("results")
    asked = list_position_fields(game.position, game.match)
    return format_reply(JsonReply({**document, **asked, "results": results}))
