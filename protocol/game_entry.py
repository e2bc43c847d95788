"""The row of a game in the table of games: what a session can play, and what makes each part of a game."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from gammond.engine.store.database import DepthTiers
    from gammond.engine.store.entries import EngineIdentity


@dataclass(frozen=True)
class GameEntry:
    """One row of the table; parts are functions that import what they return, and callers know its type.

    Attributes:
        name: Its name in messages.
        variants: The values of ``game.variant`` that mean it, the usual one first.
        load_commands: Returns its `gammond.protocol.commands.session_game.SessionGame`.
        load_queries: Returns its `gammond.protocol.dialects.json_query.GameQueries`.
        load_talk: Returns what makes its `gammond.protocol.repl.dialogue.talk.Talk` for a session.
        load_view: Returns what makes its `gammond.protocol.tables.game_view.TableView` for a table.
        load_store: Returns its `GameStore`; None for backgammon, whose searches are not in a file of its own.
    """

    name: str
    variants: Collection[str]
    load_commands: Callable[[], Any]
    load_queries: Callable[[], Any]
    load_talk: Callable[[], Any]
    load_view: Callable[[], Any]
    load_store: Callable[[], Any] | None = None

    def __post_init__(self) -> None:
        """Let each part be loaded once."""
        for name, load in vars(self).items():
            if name.startswith("load_") and load is not None:
                object.__setattr__(self, name, cache(load))


class GameStore(NamedTuple):
    """What `gammond store` asks about the kept searches of a game.

    Attributes:
        identify: Returns the engine of a name as it is now, for which entries are used; raises a
            GammondError where there is none.
        tiers: How deep questions are searched, by visits.
    """

    identify: Callable[[str], EngineIdentity]
    tiers: DepthTiers
