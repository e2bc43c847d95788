"""The opening book: the first two turns of a game, searched ahead for all who ask."""

from __future__ import annotations

import os
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Struct

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.engine_store import make_question
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.errors import CancelledWork, DataFileError
from gammond.engine.rules.dice import ROLLS, Roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.runtime.files import check_output
from gammond.engine.search.watch import SearchWatch
from gammond.engine.store.database import StoreDatabase
from gammond.engine.store.entries import StoreQuestion
from gammond.engine.wording import format_count
from gammond.nets.catalogue import DEFAULT_EVALUATOR, identify_engine, load_engine
from gammond.tools.common.command_options import Force, threads_option, written_file
from gammond.tools.common.interrupts import GOES_ON, call_on_interrupt
from gammond.tools.common.progress import Progress
from gammond.tools.store.files import open_store

BOOK_SUMMARY = "search the first two turns of a game for the default net, as the book that is shipped"

OPENING_PLIES = (2, 3, 4)
"""The depths of the position before the first roll, and of its plays."""

REPLY_PLIES = (3,)
"""Those of the positions after a first play, and of the replies."""

MATCH_PLIES = (2, 3)
"""Those of the first plays of a match."""

MATCH_LENGTHS = (1, 3, 5, 7, 9, 11)

MAX_LOSS_POINTS = 0.02
"""First plays that lose no more than this against the best one are followed."""


@dataclass(frozen=True)
class BookPart:
    """What the book has of one kind of game.

    Attributes:
        match: The match state at the beginning.
        is_cubeful: Whether the cube counts.
        plies: The depths of the first plays.
        reply_plies: Those of the replies; none if there are none.
        list_plies: Those of lists of the first plays, which take three times as long.
    """

    match: MatchState
    is_cubeful: bool
    plies: tuple[int, ...]
    reply_plies: tuple[int, ...] = ()
    list_plies: tuple[int, ...] = MATCH_PLIES


PARTS = (
    BookPart(MatchState(), True, OPENING_PLIES, REPLY_PLIES, OPENING_PLIES),
    BookPart(MatchState(), False, OPENING_PLIES, REPLY_PLIES),
    BookPart(MatchState(jacoby=True), True, OPENING_PLIES),
    *(BookPart(MatchState(length=length), True, MATCH_PLIES) for length in MATCH_LENGTHS),
)


class BookOptions(Struct, frozen=True, kw_only=True):
    """Where the book goes."""

    output: Annotated[Path, written_file("the book")]
    force: Force = False
    threads: Annotated[int, threads_option("threads for one search", shown=None)] = 1


def build_book(options: BookOptions) -> int:
    """Search what belongs into the book of the default net, and write it; an earlier run goes on.

    Returns:
        0.

    Raises:
        DataFileError: A file cannot be written, or is of another kind.
        KeyboardInterrupt: Ctrl-C or SIGTERM; what was found is in ``FILE.part``.
    """
    output = options.output
    check_output(output, force=options.force)
    part = output.with_name(output.name + ".part")
    stopped = threading.Event()
    with call_on_interrupt(stopped.set), open_store(part) as database:
        engine = load_engine(DEFAULT_EVALUATOR, options.threads)
        builder = _Builder(database, engine, stopped.is_set)
        try:
            for each in PARTS:
                builder.add_part(each)
        except CancelledWork:
            raise KeyboardInterrupt(GOES_ON) from None
        builder.write(output)
    for suffix in ("", "-wal", "-shm"):
        Path(f"{part}{suffix}").unlink(missing_ok=True)
    size = output.stat().st_size / 1e6
    sys.stdout.write(f"{output}: {format_count(builder.count, 'entry', 'entries')}, {size:.1f} MB\n")
    return 0


class _Builder:
    """Searches what a book lacks yet.

    Args:
        database: The book so far.
        engine: Searches.
        cancelled: Stops it.

    Attributes:
        count: The entries that belong into the book, of the parts so far.
    """

    def __init__(self, database: StoreDatabase, engine: Engine, cancelled: Callable[[], bool]) -> None:
        self.count = 0
        self._database = database
        self._engine = engine
        self._cancelled = cancelled
        self._identity = identify_engine(DEFAULT_EVALUATOR).of_book

    def add_part(self, part: BookPart) -> None:
        """Search what belongs to a part.

        Raises:
            CancelledWork: It was stopped.
        """
        start = STANDARD_RULES.starting_position
        settings = EvalSettings(max(part.plies), is_cubeful=part.is_cubeful)
        self._add(_list_questions(start, part, settings), part.plies, "first plays")
        lists = _list_questions(start, part, settings.with_list())[1:]
        self._add(lists, part.list_plies, "lists of first plays")
        if part.reply_plies:
            followed = list(self._find_followed(start, part, settings))
            questions = [each for position in followed for each in _list_questions(position, part, settings)]
            self._add(questions, part.reply_plies, "replies")

    def write(self, output: Path) -> None:
        """Write the book as it is shipped: without gaps, and to be read only.

        Raises:
            DataFileError: It cannot be written.
        """
        try:
            with tempfile.TemporaryDirectory(prefix=".", dir=output.parent) as folder:
                copy = Path(folder, "copy")
                self._database.execute("VACUUM INTO ?", (str(copy),))
                os.replace(copy, output)
        except (OSError, sqlite3.Error) as error:
            raise DataFileError(f"{output} cannot be written: {error}", field="output") from error

    def _add(self, questions: list[StoreQuestion], depths: tuple[int, ...], label: str) -> None:
        with Progress(len(questions) * len(depths), label, lines_of="gammond store book") as progress:
            for question in questions:
                known = {entry.plies for entry in self._database.find(question, self._identity.digest)}
                for plies in depths:
                    if plies not in known:
                        entry = self._engine.search_entry(question, plies, SearchWatch(self._cancelled))
                        with self._database.write():
                            self._database.put(question, self._identity, entry, 0)
                    progress.update(progress.count + 1)
        self.count += len(questions) * len(depths)

    def _find_followed(self, start: Position, part: BookPart, settings: EvalSettings) -> Iterator[Position]:
        """Return the positions after first plays that are as good as the best, each once."""
        found: set[bytes] = set()
        for roll in ROLLS:
            if roll[0] == roll[1]:  # no game begins with a double
                continue
            watch = SearchWatch(self._cancelled)
            ranked = self._engine.rank_plays(start, roll, part.match, settings, watch)
            watch.check()
            best = ranked.best.evaluation.equity
            for each in ranked:
                if not each.survived or best - each.evaluation.equity > MAX_LOSS_POINTS:
                    break
                position = each.play.result
                if (key := position.board.tobytes()) not in found:
                    found.add(key)
                    yield position


def _list_questions(position: Position, part: BookPart, settings: EvalSettings) -> list[StoreQuestion]:
    """Return the questions about a position: itself, and the plays of each roll."""
    rolls: list[Roll | None] = [None, *ROLLS]
    return [make_question(position, part.match, settings, roll) for roll in rolls]
