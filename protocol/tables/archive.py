"""Where tables and their games are kept: the interface, and what is kept.

The hub calls an archive from the thread that serves the clients, so each call must be short, but for
`Archive.load_log`. A table is kept as what it was created with and what has changed of that, and the list of
the actions of its games, of which it is rebuilt after a restart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from gammond.engine.errors import DataFileError, StateError

MAX_ACTIONS = 20_000
MAX_BYTES = 4 << 20
"""The longest log of a table."""


class TableAction(msgspec.Struct, frozen=True, omit_defaults=True):
    """One action of the games of a table: all that was done in them is a list of these.

    Attributes:
        act: What: ``commit`` of the server to the secret of dice to come, ``start`` of a game, ``seeds`` that
            all players have told, ``do`` what a command of the game does, ``undo``, ``go_back``, ``redo``, or
            ``forfeit`` of the match; any other does nothing.
        at: When, in seconds of the Unix epoch; 0 if that is not known.
        banks_s: What the seats had left of their time; None without a clock.
        seat: Who did it; None for an opening roll.
        line: The command, for ``do``.
        help: Whether an engine decided it for a person, or told the person what it would decide.
        count: How many actions are taken back, or done again.
        winner: Who wins the match, for ``forfeit``.
        kind: Why: ``time`` or ``resignation``.
        secret: The secret in hexadecimal, for ``commit``.
        seeds: The seeds of both seats, for ``seeds``; for what uses another secret those told before.
        commitments: For what uses another secret, the SHA-256 of the seeds that are to be told.
    """

    act: str
    at: float = 0.0
    banks_s: tuple[float, float] | None = None
    seat: int | None = None
    line: str | None = None
    help: bool = False
    count: int = 0
    winner: int | None = None
    kind: str = ""
    secret: str = ""
    seeds: tuple[str, str] = ("", "")
    commitments: tuple[str, str] = ("", "")


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
        owners: The `ArchivedSeat.owner` of both seats.
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

_DECODER = msgspec.json.Decoder(TableAction)


def decode_log(entries: Sequence[bytes]) -> list[TableAction]:
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
        active_s = _DECODER.decode(last).at or table.created_s
    except (msgspec.MsgspecError, UnicodeError):
        active_s = table.created_s
    return msgspec.structs.replace(table, active_s=active_s, log_bytes=size + ENTRY_BYTES * count)


class ArchivedSeat(msgspec.Struct, frozen=True):
    """Who played a seat.

    Attributes:
        kind: ``person`` or ``engine``.
        name: The person's name; for an engine its level or player, as tables show it.
        player: The engine's player; None for a person.
        level: The engine's level; None for a person, and for a player that has none.
        token_hash: The hash of the token that the seat had at the end of the game; None for an engine's.
            Whoever has such a token may have the game removed.
        owner: What marks the account that was logged in when the seat was taken; empty for none.
    """

    kind: str
    name: str
    player: str | None = None
    level: str | None = None
    token_hash: str | None = None
    owner: str = ""

    @property
    def record_name(self) -> str:
        """The name in a record: that of a level with a capital letter, as the page shows it."""
        return self.name if self.level is None else self.name.capitalize()


class ArchivedGame(msgspec.Struct, frozen=True):
    """A finished game. One with the id of an earlier one takes its place: its end was taken back.

    Attributes:
        game_id: The table's name and the number of the game: ``TABLE-1``.
        table_id: The table's name.
        number: The number of the game at its table, from 1.
        game: ``backgammon``, ``barca`` or another name of `gammond.protocol.games.GAMES`.
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
    seats: tuple[ArchivedSeat, ArchivedSeat]
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
    is_rated: bool = True
    is_trifle: bool = False


class Archive:
    """Keeps tables through restarts, and finished games for good; this one keeps nothing.

    Errors of its own must not come out.
    """

    def save_table(self, table: SavedTable) -> None:
        """Keep a table that was created, or has changed; its log stays."""

    def add_action(self, table_id: str, action: bytes) -> None:
        """Add an action, as JSON, to the log of a table."""

    def load_tables(self) -> list[SavedTable]:
        """Return the tables that are kept, the oldest first."""
        return []

    def load_log(self, table_id: str) -> list[TableAction]:
        """Return what was done at a table, in order; for any thread, and it may take a while.

        Raises:
            DataFileError: It cannot be read.
        """
        return []

    def drop_table(self, table_id: str) -> None:
        """Forget a table, if it is kept; its games stay."""

    def keep_game(self, game: ArchivedGame) -> None:
        """Keep a finished game, in place of one with its id."""


class TableLog:
    """Adds actions to the log of a table in an archive, up to so many.

    Args:
        table_id: The table's name.
        archive: Keeps the log.
        count: How many actions it has.
        size_bytes: What they take.

    Attributes:
        is_kept: Whether it is kept; else the table ends with the server.
        size_bytes: What it takes.
    """

    def __init__(self, table_id: str, archive: Archive, count: int = 0, size_bytes: int = 0) -> None:
        self._table_id = table_id
        self._archive = archive
        self._count = count
        self.is_kept = True
        self.size_bytes = size_bytes

    @property
    def is_full(self) -> bool:
        """Whether nothing more may be done."""
        return self._count >= MAX_ACTIONS or self.size_bytes >= MAX_BYTES

    def check_room(self) -> None:
        """Refuse an action if nothing more may be done.

        Raises:
            StateError: It is so.
        """
        if self.is_full:
            raise StateError(f"this table has had {self._count} actions: create another", field="act")

    def add(self, action: TableAction) -> None:
        """Add what was done."""
        self._count += 1
        encoded = msgspec.json.encode(action)
        self.size_bytes += len(encoded) + ENTRY_BYTES
        if self.is_kept:
            self._archive.add_action(self._table_id, encoded)

    def stop_keeping(self) -> None:
        """Keep it no longer: the table goes on, and ends with the server."""
        self.is_kept = False
        self._archive.drop_table(self._table_id)
