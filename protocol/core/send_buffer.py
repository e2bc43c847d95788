"""Output that waits to be sent, in the pieces in which it came: to copy 20 MB takes milliseconds."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

_WHOLE_BYTES = 4096
"""From this size on a piece stays one by itself; smaller ones are joined."""


class SendBuffer:
    """Bytes in the order in which they were added, each to be taken once."""

    def __init__(self) -> None:
        self._pieces: deque[bytes | bytearray] = deque()
        self._size = 0
        self._taken = 0
        """How much of the first piece is taken."""

    def __len__(self) -> int:
        return self._size

    def add(self, data: bytes) -> None:
        """Add bytes at the end."""
        self._size += len(data)
        if len(data) >= _WHOLE_BYTES:
            self._pieces.append(data)
        elif self._pieces and isinstance(last := self._pieces[-1], bytearray):
            last += data
        else:
            self._pieces.append(bytearray(data))

    def add_all(self, pieces: Iterable[bytes]) -> None:
        """Add pieces at the end."""
        for piece in pieces:
            self.add(piece)

    def take(self, max_bytes: int | None = None) -> bytes:
        """Take bytes from the beginning.

        Args:
            max_bytes: How many at most; None for all that there are.
        """
        room = self._size if max_bytes is None else min(max_bytes, self._size)
        self._size -= room
        parts: list[bytes | bytearray] = []
        while room:
            first = self._pieces[0]
            end = min(self._taken + room, len(first))
            parts.append(first if end - self._taken == len(first) else first[self._taken : end])
            room -= end - self._taken
            self._taken = end
            if end == len(first):
                self._pieces.popleft()
                self._taken = 0
        return bytes(parts[0]) if len(parts) == 1 else b"".join(parts)
