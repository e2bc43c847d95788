"""The table of games: what a session can play, and where each part of a game is.

A game has four parts, each loaded when a session needs it: its commands and settings, its answers to JSON
queries, its talk with a person at the terminal, and its view at tables in the browser; and a fifth if it
keeps its searches. The rest of the protocol reaches them through this table alone, so that a game is a
package of its own and a row here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.errors import UnsupportedError
from engine.options import MAX_QUOTED_CHARS
from engine.rules.rules import VARIANTS

if TYPE_CHECKING:
    from engine.store.entries import EngineIdentity
    from engine.store.tiers import DepthTiers


@dataclass(frozen=True)
class GameEntry:
    """One row of the table; parts are named ``MODULE:ATTRIBUTE``.

    Attributes:
        name: Its name in messages.
        variants: The values of ``game.variant`` that mean it, the usual one first.
        commands: Its `protocol.commands.session_game.Game`.
        queries: Its `protocol.dialects.json_query.GameQueries`.
        talk: Makes its `protocol.repl.dialogue.talk.Talk` for a session.
        view: Makes its `protocol.tables.game_view.TableView` for a table.
        store: Its `GameStore`, if it keeps searches in a file of its own; empty for backgammon.
    """

    name: str
    variants: Collection[str]
    commands: str
    queries: str
    talk: str
    view: str
    store: str = ""


class GameStore(NamedTuple):
    """What `gammond store` asks about the kept searches of a game.

    Attributes:
        identify: Returns the engine of a name as it is now, for which entries are used; raises a
            GammondError where there is none.
        tiers: How deep questions are searched, by visits.
    """

    identify: Callable[[str], EngineIdentity]
    tiers: DepthTiers


_BACKGAMMON = GameEntry(
    "backgammon",
    VARIANTS,
    "protocol.commands.table:BACKGAMMON",
    "protocol.dialects.json_backgammon:answer_positions",
    "protocol.repl.dialogue.backgammon:BackgammonTalk",
    "protocol.tables.backgammon_view:BackgammonView",
)

_BARCA = GameEntry(
    "barca",
    ("barca",),
    "protocol.barca.commands:BARCA",
    "protocol.barca.queries:answer_query",
    "protocol.barca.talk:BarcaTalk",
    "protocol.barca.table_view:BarcaView",
    "protocol.barca.kept_searches:STORE",
)

GAMES: dict[str, GameEntry] = {entry.name: entry for entry in (_BACKGAMMON, _BARCA)}
"""The table: name to row. A session begins with the first."""

FIRST_GAME = _BACKGAMMON.name
"""The game that a session begins with."""


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


@cache
def load_part(path: str) -> Any:  # noqa: ANN401  (each caller knows the type of its part)
    """Return a part of a game, given as ``MODULE:ATTRIBUTE``."""
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)
