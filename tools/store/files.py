"""Stores as the actions of `gammond store` open them, and how these write what is in one."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

from msgspec import Struct

from gammond.engine.errors import DataFileError, GammondError, UnsupportedError
from gammond.engine.runtime.sqlite_file import is_damage
from gammond.engine.store.database import StoreDatabase
from gammond.engine.store.entries import EngineIdentity, StoreQuestion
from gammond.engine.store.options import read_store_options
from gammond.nets.catalogue import identify_engine
from gammond.protocol.games import GAMES
from gammond.tools.common.command_options import written_file


class StoreFile(Struct, frozen=True, kw_only=True):
    """The store of an action."""

    file: Annotated[Path, written_file("the store (default in the data folder)")] | None = None

    def find(self) -> Path:
        """Return its file, whether it is there or not."""
        return self.file or read_store_options().find_file()

    def find_existing(self) -> Path:
        """Return its file.

        Raises:
            DataFileError: It is not there.
        """
        file = self.find()
        if not file.exists():
            raise make_missing_error(file)
        return file


@contextmanager
def open_store(file: Path) -> Iterator[StoreDatabase]:
    """Open a store for the block, and name the file in its errors."""
    try:
        database = StoreDatabase(file)
        try:
            yield database
        finally:
            database.close()
    except sqlite3.Error as error:
        if is_damage(error):
            advice = "move it away: a new one is then begun"
        elif not os.access(file.parent, os.W_OK) or not os.access(file, os.W_OK):
            advice = "let this user write it and its folder"
        else:
            advice = "try again, or make room"
        message = f"{file}: expected a store of analyses: {error}; {advice}"
        raise DataFileError(message, field="file") from error


@contextmanager
def open_analyses(options: StoreFile) -> Iterator[StoreDatabase]:
    """Open the store of an action about backgammon for the block.

    Raises:
        DataFileError: It is not there, or as `open_store`.
        UnsupportedError: As `check_game`.
    """
    with open_store(options.find_existing()) as database:
        check_game(database)
        yield database


def make_missing_error(file: Path) -> DataFileError:
    """Return the error for a store that is not there."""
    return DataFileError(
        f"{file}: there is no store yet: searches of sessions fill one, or `gammond store import FILE`",
        field="file",
    )


def find_game(database: StoreDatabase) -> str:
    """Return the game that keeps its searches in a store; empty for backgammon."""
    words = {engine.net.partition(" ")[0] for engine in database.list_engines().values()}
    return next((name for name, entry in GAMES.items() if entry.load_store and name in words), "")


def check_game(database: StoreDatabase) -> None:
    """Check that a store holds no entries of another game than backgammon.

    Raises:
        UnsupportedError: It does.
    """
    if game := find_game(database):
        raise UnsupportedError(
            f"{database.file} holds searches of {game}: `gammond store status` describes them, the other "
            "actions are for backgammon",
            field="file",
        )


def is_usable(engine: EngineIdentity, identify: Callable[[str], EngineIdentity] = identify_engine) -> bool:
    """Return whether a net of that name gives the answers that are kept.

    Args:
        engine: The engine of the answers.
        identify: Returns the one of a name as it is now.
    """
    with suppress(GammondError):
        return identify(engine.net).digest == engine.digest
    return False


def describe_question(question: StoreQuestion) -> str:
    """Return a question for a terminal, without anything unprintable."""
    return ascii(f"{question.xgid} ({question.settings})"[:160])[1:-1]


def format_depths(searches: Mapping[int, int]) -> str:
    """Return numbers of searches by depth in words."""
    depths = ", ".join(f"{number:,} to {plies}-ply" for plies, number in sorted(searches.items()))
    return f"{sum(searches.values()):,}: {depths}" if depths else "nothing"
