"""Stores as the actions of `gammond store` open them, and how these write what is in one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.errors import DataFileError, GammondError
from engine.store.database import StoreDatabase, is_damage
from engine.store.entries import EngineIdentity, StoreQuestion
from nets.catalogue import identify_engine


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
        advice = "move it away: a new one is then begun" if is_damage(error) else "try again, or make room"
        message = f"{file}: expected a store of analyses: {error}; {advice}"
        raise DataFileError(message, field="file") from error


def is_usable(engine: EngineIdentity) -> bool:
    """Return whether a net of that name gives the answers that are kept."""
    with suppress(GammondError):
        return identify_engine(engine.net).digest == engine.digest
    return False


def describe_question(question: StoreQuestion) -> str:
    """Return a question for a terminal, without anything unprintable."""
    return ascii(f"{question.xgid} ({question.settings})"[:160])[1:-1]


def format_depths(searches: Mapping[int, int]) -> str:
    """Return numbers of searches by depth in words."""
    depths = ", ".join(f"{number:,} to {plies}-ply" for plies, number in sorted(searches.items()))
    return f"{sum(searches.values()):,}: {depths}" if depths else "nothing"
