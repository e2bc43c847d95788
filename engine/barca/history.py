"""The positions of a game in little memory: a session keeps a thousand games for undo."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.barca.position import KEY_BYTES


@dataclass(frozen=True, slots=True)
class PositionHistory:
    """The keys of positions (`BarcaPosition.key`), in their order.

    Attributes:
        keys: All of them, one after the other.
    """

    keys: bytes

    def __len__(self) -> int:
        return len(self.keys) // KEY_BYTES

    def __iter__(self) -> Iterator[bytes]:
        for place in range(0, len(self.keys), KEY_BYTES):
            yield self.keys[place : place + KEY_BYTES]

    @property
    def first(self) -> bytes:
        """The key of the first position."""
        return self.keys[:KEY_BYTES]

    def append(self, key: bytes) -> PositionHistory:
        """Return the history with another position at its end."""
        return PositionHistory(self.keys + key)

    def count(self, key: bytes) -> int:
        """Return how often a position occurs."""
        count, place = 0, self.keys.find(key)
        while place >= 0:
            count += place % KEY_BYTES == 0
            place = self.keys.find(key, place + 1)
        return count
