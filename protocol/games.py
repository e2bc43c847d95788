"""The table of games: what a session can play.

A game has four parts, each loaded when a session needs it: its commands and settings, its answers to JSON
queries, its talk with a person at the terminal, and its view at tables in the browser; and a fifth if it
keeps its searches. The rest of the protocol reaches them through this table alone: a game is a package of its
own beside this module, whose ``entry.py`` has its row, ``ENTRY``.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from gammond.engine.errors import UnsupportedError
from gammond.engine.options import MAX_QUOTED_CHARS
from gammond.protocol.game_entry import GameEntry

FIRST_GAME = "backgammon"
"""The game that a session begins with."""


def _find_games() -> dict[str, GameEntry]:
    packages = sorted(file.parent.name for file in Path(__file__).parent.glob("*/entry.py"))
    packages.sort(key=lambda name: name != FIRST_GAME)
    entries: list[GameEntry] = [
        import_module(f"gammond.protocol.{package}.entry").ENTRY for package in packages
    ]
    return {entry.name: entry for entry in entries}


GAMES = _find_games()
"""The table: name to row. A session begins with the first."""

OTHER_GAMES = tuple(name for name in GAMES if name != FIRST_GAME)
"""The games that are no variants of the first."""


def list_variants() -> tuple[str, ...]:
    """List the values of ``game.variant``."""
    return tuple(name for entry in GAMES.values() for name in entry.variants)


def find_entry(variant: str) -> GameEntry:
    """Return the row of the game that a value of ``game.variant`` means.

    Raises:
        UnsupportedError: None is called that.
    """
    for entry in GAMES.values():
        if variant.lower() in entry.variants:
            return entry
    raise UnsupportedError(f"expected {'|'.join(list_variants())}, got {variant[:MAX_QUOTED_CHARS]!r}")
