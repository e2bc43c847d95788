"""The log of a table: all that was done in its games, in an archive, from which it can be rebuilt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from engine.errors import StateError
from protocol.tables.archive import ENTRY_BYTES, Archive

MAX_ACTIONS = 20_000
MAX_BYTES = 4 << 20
"""The longest log of a table."""


class TableLog:
    """Adds actions to the log of a table.

    Args:
        table_id: The table's name.
        archive: Keeps the log.
        wall_clock: Seconds of the Unix epoch.

    Attributes:
        is_replaying: Whether what is done was done before: it is in the log already.
        is_kept: Whether it is kept; else the table ends with the server.
        size_bytes: What it takes.
    """

    def __init__(self, table_id: str, archive: Archive, wall_clock: Callable[[], float]) -> None:
        self._table_id = table_id
        self._archive = archive
        self._wall_clock = wall_clock
        self._count = 0
        self.is_replaying = False
        self.is_kept = True
        self.size_bytes = 0

    @property
    def is_full(self) -> bool:
        """Whether nothing more may be done."""
        return (self._count >= MAX_ACTIONS or self.size_bytes >= MAX_BYTES) and not self.is_replaying

    def check_room(self) -> None:
        """Refuse an action if nothing more may be done.

        Raises:
            StateError: It is so.
        """
        if self.is_full:
            raise StateError(f"this table has had {self._count} actions: create another", field="act")

    def add(self, act: str, banks_s: Sequence[float] | None, **values: Any) -> None:  # noqa: ANN401  (plain values)
        """Add what was done.

        Args:
            act: What.
            banks_s: What the seats have left of their time; None without a clock.
            values: The rest, plain values.
        """
        self._count += 1
        if self.is_replaying:
            return
        entry: dict[str, Any] = {"act": act, "at": self._wall_clock(), **values}
        if banks_s is not None:
            entry["banks_s"] = list(banks_s)
        encoded = msgspec.json.encode(entry)
        self.size_bytes += len(encoded) + ENTRY_BYTES
        if self.is_kept:
            self._archive.add_action(self._table_id, encoded)

    def stop_keeping(self) -> None:
        """Keep it no longer: the table goes on, and ends with the server."""
        self.is_kept = False
        self._archive.drop_table(self._table_id)
