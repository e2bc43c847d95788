"""Where tables and their games are kept: the interface, and an archive in memory.

The hub calls an archive from the thread that serves the clients, so each call must be short. A table is kept
as what it was created with and the log of all that was done at it, from which it is rebuilt after a restart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

LogEntry = Mapping[str, Any]
"""One action of a table's log: plain values that JSON can hold, ``act`` among its keys."""


class TokenHashes(msgspec.Struct, frozen=True):
    """The hashes of a table's secrets; the secrets themselves are kept nowhere.

    Attributes:
        seats: SHA-256 in hexadecimal of the tokens of seats 0 and 1; None for an engine's seat.
        watch: That of the spectators' token.
    """

    seats: tuple[str | None, str | None]
    watch: str


class SavedTable(msgspec.Struct):
    """A table as it is kept.

    Attributes:
        table_id: Its name.
        created_s: When it was created, in seconds of the Unix epoch.
        spec: What it was created with, as in the request ``create``.
        hashes: The hashes of its tokens at that time; an open seat that is taken has its new one in the log.
        log: What was done at it, in order.
    """

    table_id: str
    created_s: float
    spec: dict[str, Any]
    hashes: TokenHashes
    log: list[LogEntry] = msgspec.field(default_factory=list)


class KeptSeat(msgspec.Struct, frozen=True):
    """Who played a seat.

    Attributes:
        kind: ``person`` or ``engine``.
        name: The person's name; for an engine its level or player, as tables show it.
        player: The engine's player; None for a person.
        level: The engine's level; None for a person, and for a player that has none.
    """

    kind: str
    name: str
    player: str | None = None
    level: str | None = None

    @property
    def record_name(self) -> str:
        """The name in a record: that of a level with a capital letter, as the page shows it."""
        return self.name if self.level is None else self.name.capitalize()


class KeptGame(msgspec.Struct, frozen=True):
    """A finished game. One with the id of an earlier one takes its place: its end was taken back.

    Attributes:
        game_id: The table's name and the number of the game: ``TABLE-1``.
        table_id: The table's name.
        number: The number of the game at its table, from 1.
        game: ``backgammon``, ``barca`` or another name of `protocol.games.GAMES`.
        variant: The value of ``game.variant``.
        length: Points of the match; 0 for money play and for games without points.
        seats: Who played seats 0 and 1.
        score_before: The score before the game.
        score_after: The score after it.
        winner: The seat that won; None for a draw.
        points: Points won.
        kind: How it ended: ``single``, ``gammon``, ``backgammon``, ``time``, or a game's own word.
        match_winner: The seat that won the match by it; None while the match goes on.
        started_s: When it began, in seconds of the Unix epoch.
        ended_s: When it ended.
        has_help: Whether moves were taken back or made by the engine for a person.
        text_format: What `text` is: ``mat`` for backgammon; empty where there is no record.
        text: The record of the match up to this game, games before it included.
        token_hashes: The hashes of the tokens that seats 0 and 1 had at its end; None for an engine's.
            Whoever has such a token may have the game removed.
    """

    game_id: str
    table_id: str
    number: int
    game: str
    variant: str
    length: int
    seats: tuple[KeptSeat, KeptSeat]
    score_before: tuple[int, int]
    score_after: tuple[int, int]
    winner: int | None
    points: int
    kind: str
    match_winner: int | None
    started_s: float
    ended_s: float
    has_help: bool = False
    text_format: str = ""
    text: str = ""
    token_hashes: tuple[str | None, str | None] = (None, None)


class Archive(Protocol):
    """Keeps tables through restarts, and finished games for good. Errors of its own must not come out."""

    def save_table(self, table: SavedTable) -> None:
        """Keep a table that was created, or its whole log anew."""
        ...

    def add_action(self, table_id: str, action: LogEntry) -> None:
        """Add what was done to the log of a table."""
        ...

    def load_tables(self) -> list[SavedTable]:
        """Return the tables that are kept, the oldest first."""
        ...

    def drop_table(self, table_id: str) -> None:
        """Forget a table, if it is kept; its games stay."""
        ...

    def keep_game(self, game: KeptGame) -> None:
        """Keep a finished game, in place of one with its id."""
        ...


class MemoryArchive:
    """An archive that lasts as long as its process.

    Attributes:
        games: The finished games by id.
    """

    def __init__(self) -> None:
        self.games: dict[str, KeptGame] = {}
        self._tables: dict[str, SavedTable] = {}

    def save_table(self, table: SavedTable) -> None:
        """Keep a table that was created, or its whole log anew."""
        self._tables[table.table_id] = msgspec.structs.replace(table, log=list(table.log))

    def add_action(self, table_id: str, action: LogEntry) -> None:
        """Add what was done to the log of a table."""
        self._tables[table_id].log.append(dict(action))

    def load_tables(self) -> list[SavedTable]:
        """Return the tables that are kept, the oldest first."""
        return [msgspec.structs.replace(table, log=list(table.log)) for table in self._tables.values()]

    def drop_table(self, table_id: str) -> None:
        """Forget a table, if it is kept; its games stay."""
        self._tables.pop(table_id, None)

    def keep_game(self, game: KeptGame) -> None:
        """Keep a finished game, in place of one with its id."""
        self.games[game.game_id] = game


class NoArchive:
    """Keeps nothing: tables end with their process."""

    def save_table(self, table: SavedTable) -> None:
        """Keep nothing."""

    def add_action(self, table_id: str, action: LogEntry) -> None:
        """Keep nothing."""

    def load_tables(self) -> list[SavedTable]:
        """Return no table."""
        return []

    def drop_table(self, table_id: str) -> None:
        """Forget nothing."""

    def keep_game(self, game: KeptGame) -> None:
        """Keep nothing."""
