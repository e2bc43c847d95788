"""Output that waits to be sent, in the pieces in which it came: to copy 20 MB takes milliseconds."""

from __future__ import annotations

from collections import deque

_JOINED_BYTES = 4096
"""Up to this size pieces are joined: thousands of short ones would take several times their size."""


class SendBuffer:
    """Bytes in the order in which they were added, each to be taken once.

    Attributes:
        size: How many there are.
    """

    def __init__(self) -> None:
        self.size = 0
        self._pieces: deque[bytes] = deque()
        self._taken = 0
        """How much of the first piece is taken."""

    def add(self, data: bytes) -> None:
        """Add bytes at the end."""
        self.size += len(data)
        pieces = self._pieces
        if pieces and len(pieces[-1]) + len(data) <= _JOINED_BYTES:
            pieces[-1] += data
        elif data:
            pieces.append(data)

    def take(self, max_bytes: int | None = None) -> bytes:
        """Take bytes from the beginning.

        Args:
            max_bytes: How many at most; None for all that there are.
        """
        room = self.size if max_bytes is None else min(max_bytes, self.size)
        self.size -= room
        parts: list[bytes] = []
        while room:
            first = self._pieces[0]
            part = first[self._taken : self._taken + room]
            parts.append(part)
            room -= len(part)
            self._taken += len(part)
            if self._taken == len(first):
                self._pieces.popleft()
                self._taken = 0
        return parts[0] if len(parts) == 1 else b"".join(parts)
