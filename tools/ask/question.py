"""From a position to an answer: the terminal's text, or what the wire answers to a JSON query."""

from __future__ import annotations

import argparse
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from gammond.engine.analysis.levels import find_level
from gammond.engine.errors import CancelledWork, StateError, UnsupportedError
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import VARIANTS, Rules
from gammond.engine.runtime.compilation import COMPILATION
from gammond.engine.runtime.machine import count_usable_cores
from gammond.engine.search import FILTERS, MAX_PLIES
from gammond.engine.store.options import NO_STORE, StoreOptions
from gammond.protocol.core.replies import format_reply
from gammond.protocol.core.requests import AnyReply, JsonReply, WorkControl
from gammond.protocol.repl.answers.analysis import show_opinion
from gammond.protocol.repl.game.preferences import get_config_file, read_preferences
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.repl.game.views import show_board
from gammond.protocol.state.service import EngineCatalogue, Service, make_shipped_catalogue
from gammond.protocol.state.session import Session
from gammond.tools.common.background import prepare_on_first_compile
from gammond.tools.common.interrupts import call_on_interrupt, end_with_partial
from gammond.tools.common.opponents import load_net_engine
from gammond.tools.common.options import add_store_arguments, check_number, read_store_arguments
from gammond.tools.common.position_arguments import add_assumed, add_position_arguments, read_position
from gammond.tools.common.position_fields import format_heading, list_position_fields
from gammond.tools.common.pulse import PULSE
from gammond.tools.common.strength import DEFAULT_NET, add_net_argument

Ask = Callable[[Session, WorkControl], list[str]]
"""Answers a question about the position on the table of a session, in lines for people."""

CLEAR_LINE = "\r\x1b[K"

TERMINAL_COLUMNS = 80
"""The width of the text where no terminal shows it."""


def add_question_arguments(
    parser: argparse.ArgumentParser,
    *,
    has_dice: bool = False,
    has_filter: bool = False,
    has_cube: bool = True,
    has_score: bool = True,
    other_games: Sequence[str] = (),
) -> None:
    """Declare the position, and how it is evaluated.

    Args:
        parser: Of the command.
        has_dice: Whether it answers for dice.
        has_filter: Whether it searches plays.
        has_cube: Whether the answer can do without the cube.
        has_score: Whether the score counts.
        other_games: Games other than backgammon whose positions it takes.
    """
    add_position_arguments(parser, has_dice=has_dice, has_score=has_score, other_games=other_games)
    others = ", in barca 48" if other_games else ""
    parser.add_argument(
        "--plies",
        type=int,
        metavar="N",
        help=f"look-ahead, up to {MAX_PLIES} plies{others} (default that of 'gammond config level', at "
        "first 0)",
    )
    if other_games:
        parser.add_argument("--weights", metavar="NAME", help="in barca, the board evaluation vector")
    if has_filter:
        parser.add_argument("--filter", choices=tuple(FILTERS), help="move filter (default the level's)")
    if has_cube:
        parser.add_argument("--cubeless", action="store_true", help="play without the cube")
    add_net_argument(parser)
    parser.add_argument("--threads", type=int, metavar="N", help="threads (default one for each core)")
    add_store_arguments(parser)
    parser.add_argument("--board", action="store_true", help="draw the board first")
    add_json_argument(parser)


def add_opinion_argument(parser: argparse.ArgumentParser) -> None:
    """Declare ``--player``, which asks a player in place of the evaluator."""
    parser.add_argument(
        "--player",
        metavar="NAME",
        help="show what this player thinks, with the number by which it chooses (see 'gammond players')",
    )


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    """Declare ``--json``."""
    parser.add_argument(
        "--json", action="store_true", help="write one JSON object, with the keys of the protocol's queries"
    )


def answer_question(
    args: argparse.Namespace,
    ask: Ask,
    make_query: Callable[[Session], dict[str, object]],
    *,
    has_dice: bool = False,
) -> int:
    """Answer a question about the position of the arguments, on standard output.

    Args:
        args: Parsed, with what `add_question_arguments` declares.
        ask: Answers in text.
        make_query: Makes the JSON query about the table that answers as an object: its fields beside the
            position, and how that is evaluated.
        has_dice: As for `add_question_arguments`.

    Returns:
        0.

    Raises:
        GammondError: The position or an option is wrong, or there is no answer.
        KeyboardInterrupt: Ctrl-C or SIGTERM; the answer so far, if there is one, has been shown.
    """
    position, match = read_position(args, has_dice=has_dice)
    session = open_table(args, position, match)
    prepare_on_first_compile()
    lines = draw_table(session) if args.board and not args.json else []
    heading = format_heading(position, match if has_dice else match.before_roll())
    with watch_work() as control:
        if args.json:
            (line,) = call_session(lambda: [query_position(session, control, make_query(session))])
            lines = [add_assumed(args, line)]
        else:
            lines += call_session(lambda: [heading, *ask(session, control)])
    show_answer(lines, control, is_plain=args.json)
    return 0


def answer_opinion(args: argparse.Namespace, count: int, *, has_dice: bool = False) -> int:
    """Answer what the player of `add_opinion_argument` thinks, as `answer_question`.

    Args:
        args: Parsed.
        count: The most plays of a roll to show.
        has_dice: As for `add_question_arguments`; otherwise it is asked about the position before the roll.
    """
    query = {"want": ["opinion"], "player": args.player, "max_moves": count}

    def set_table(session: Session) -> dict[str, object]:
        position, match = session.game.position, session.game.match
        if position is not None and not has_dice:
            session.set_position(position, match.before_roll())
        return query

    def ask(session: Session, control: WorkControl) -> list[str]:
        set_table(session)
        return show_opinion(session, control, args.player, count)

    return answer_question(args, ask, set_table, has_dice=has_dice)


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


def open_session(args: argparse.Namespace) -> Session:
    """Return a session with the net, the threads and the store of the arguments.

    Raises:
        GammondError: An option is wrong.
    """
    net = getattr(args, "net", DEFAULT_NET)
    threads = getattr(args, "threads", None)
    check_number("threads", threads, 1)
    store = read_store_arguments(args) if hasattr(args, "store") else NO_STORE
    catalogue = _make_catalogue(net, store)
    threads = count_usable_cores() if threads is None else threads
    return Session(Service(catalogue, threads=threads, has_log=False), 0)


def open_table(args: argparse.Namespace, position: Position, match: MatchState) -> Session:
    """Return a session with a position on the table, at the strength of the arguments and preferences.

    Raises:
        GammondError: A preference or option is wrong.
    """
    session = open_session(args)
    session.engine_settings = replace(
        session.engine_settings.with_level(find_level(read_preferences(get_config_file()).level)), noise=0
    )
    changes: dict[str, Any] = {}
    if getattr(args, "weights", None) is not None:
        raise UnsupportedError(f"--weights is not for {args.variant}: remove it", field="weights")
    if getattr(args, "plies", None) is not None:
        check_number("plies", args.plies, 0, MAX_PLIES)
        changes["ply"] = args.plies + 1
    if getattr(args, "filter", None) is not None:
        changes["filter_name"] = args.filter
    if getattr(args, "cubeless", False):
        changes["is_cubeful"] = False
    session.engine_settings = replace(session.engine_settings, **changes)
    session.game = replace(session.game, rules=Rules(VARIANTS[args.variant]))
    session.set_position(position, match)
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
