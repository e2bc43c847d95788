"""Where tables and their games are kept: the interface, and an archive in memory.

The hub calls an archive from the thread that serves the clients, so each call must be short, but for
`Archive.load_log`. A table is kept as what it was created with and what has changed of that, and the log of
all that was done in its games, from which it is rebuilt after a restart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

from engine.errors import DataFileError

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


class TakenSeat(msgspec.Struct, frozen=True):
    """An open seat that somebody has taken by its link.

    Attributes:
        name: Who.
        token_hash: The hash of the secret that he got.
        invitation_hash: That of the link.
    """

    name: str
    token_hash: str
    invitation_hash: str


class SavedTable(msgspec.Struct):
    """A table as it is kept, but for its log.

    Attributes:
        table_id: Its name.
        created_s: When it was created, in seconds of the Unix epoch.
        spec: What it was created with, as in the request ``create``.
        hashes: The hashes of its tokens at that time.
        taken: The open seats that were taken since.
        owners: As in `KeptGame`.
        has_one_visitor: Whether one connection has held the seats of two persons.
        pace_ms: The pace, where it was changed.
        is_paused: Whether engines wait.
        restarts: How often it was rebuilt.
        fault: Why it could not be rebuilt at the last attempt; empty if it could.
        active_s: When its last action was, as it is loaded.
        log_bytes: What its log takes, as it is loaded.
    """

    table_id: str
    created_s: float
    spec: dict[str, Any]
    hashes: TokenHashes
    taken: tuple[TakenSeat | None, TakenSeat | None] = (None, None)
    owners: tuple[str, str] = ("", "")
    has_one_visitor: bool = False
    pace_ms: int | None = None
    is_paused: bool = False
    restarts: int = 0
    fault: str = ""
    active_s: float = 0.0
    log_bytes: int = 0


ENTRY_BYTES = 40
"""What an action of a log takes besides its text, about."""

_DECODER: msgspec.json.Decoder[dict[str, Any]] = msgspec.json.Decoder(dict[str, Any])


def decode_log(entries: Sequence[bytes]) -> list[LogEntry]:
    """Return the actions of a log.

    Raises:
        DataFileError: One of them cannot be read.
    """
    try:
        return [_DECODER.decode(entry) for entry in entries]
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise DataFileError(f"expected the actions of a table, got others: {error}") from error


def add_log_facts(table: SavedTable, last: bytes, count: int, size: int) -> SavedTable:
    """Return a saved table with when its last action was, and what its log takes.

    Args:
        table: The table.
        last: Its last action; empty for none.
        count: How many there are.
        size: What they take as text, in bytes.
    """
    try:
        active_s = float(_DECODER.decode(last)["at"])
    except (msgspec.MsgspecError, LookupError, TypeError, ValueError):
        active_s = table.created_s
    return msgspec.structs.replace(table, active_s=active_s, log_bytes=size + ENTRY_BYTES * count)


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
        owners: What marks the accounts that were logged in when seats 0 and 1 were taken; empty for none.
        is_rated: Whether it can say how well somebody plays: two played it, as far as can be told, with dice
            that neither chose, from the start and not for some moves alone.
        is_trifle: Whether it makes room for others first: it was given up in the first moves, or its address
            has finished more games in this hour than people play.
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
    owners: tuple[str, str] = ("", "")
    is_rated: bool = True
    is_trifle: bool = False


class Archive(Protocol):
    """Keeps tables through restarts, and finished games for good. Errors of its own must not come out."""

    def save_table(self, table: SavedTable) -> None:
        """Keep a table that was created, or has changed; its log stays."""
        ...

    def add_action(self, table_id: str, action: bytes) -> None:
        """Add what was done, as JSON, to the log of a table."""
        ...

    def load_tables(self) -> list[SavedTable]:
        """Return the tables that are kept, the oldest first."""
        ...

    def load_log(self, table_id: str) -> list[LogEntry]:
        """Return what was done at a table, in order; for any thread, and it may take a while.

        Raises:
            DataFileError: It cannot be read.
        """
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
        self._logs: dict[str, list[bytes]] = {}

    def save_table(self, table: SavedTable) -> None:
        """Keep a table that was created, or has changed; its log stays."""
        self._tables[table.table_id] = msgspec.structs.replace(table)
        self._logs.setdefault(table.table_id, [])

    def add_action(self, table_id: str, action: bytes) -> None:
        """Add what was done, as JSON, to the log of a table."""
        self._logs[table_id].append(action)

    def load_tables(self) -> list[SavedTable]:
        """Return the tables that are kept, the oldest first."""
        return [
            add_log_facts(table, log[-1] if log else b"", len(log), sum(map(len, log)))
            for table, log in zip(self._tables.values(), self._logs.values(), strict=True)
        ]

    def load_log(self, table_id: str) -> list[LogEntry]:
        """Return what was done at a table, in order."""
        return decode_log(self._logs[table_id])

    def drop_table(self, table_id: str) -> None:
        """Forget a table, if it is kept; its games stay."""
        self._tables.pop(table_id, None)
        self._logs.pop(table_id, None)

    def keep_game(self, game: KeptGame) -> None:
        """Keep a finished game, in place of one with its id."""
        self.games[game.game_id] = game


class NoArchive:
    """Keeps nothing: tables end with their process."""

    def save_table(self, table: SavedTable) -> None:
        """Keep nothing."""

    def add_action(self, table_id: str, action: bytes) -> None:
        """Keep nothing."""

    def load_tables(self) -> list[SavedTable]:
        """Return no table."""
        return []

    def load_log(self, table_id: str) -> list[LogEntry]:
        """Return nothing."""
        return []

    def drop_table(self, table_id: str) -> None:
        """Forget nothing."""

    def keep_game(self, game: KeptGame) -> None:
        """Keep nothing."""
