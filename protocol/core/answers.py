"""The answers of one client on their way out: in the order of the requests where these keep it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from gammond.protocol.core.jobs import PendingRequest

_JOINED_BYTES = 4096
"""Up to this size pieces are joined: thousands of short ones would take several times their size."""


class SendBuffer:
    """Bytes in the order in which they were added, each to be taken once; long pieces are not copied.

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


class AnswerQueue:
    """Holds the answer to an ordered request until those before it are out; other answers go out at once.

    Attributes:
        held_bytes: What is held of answers that wait for earlier ones.
    """

    def __init__(self) -> None:
        self.held_bytes = 0
        self._ordered: deque[PendingRequest] = deque()
        self._out = SendBuffer()
        self._has_taken_part = False

    @property
    def sendable_bytes(self) -> int:
        """What can be sent."""
        return self._out.size

    @property
    def unsent_bytes(self) -> int:
        """What can be sent, and what is held."""
        return self._out.size + self.held_bytes

    @property
    def ordered_count(self) -> int:
        """How many ordered requests are not answered, or wait for those that are not."""
        return len(self._ordered)

    @property
    def first(self) -> PendingRequest:
        """The first of these; there is one."""
        return self._ordered[0]

    def open(self, request: PendingRequest) -> None:
        """Let an ordered request have the next place; no effect for others."""
        if request.is_ordered:
            self._ordered.append(request)

    def add(self, data: bytes) -> None:
        """Send something whatever waits."""
        self._out.add(data)

    def add_answer(self, data: bytes, *, is_ordered: bool) -> None:
        """Send a whole answer in its place."""
        if is_ordered and self._ordered:
            self._ordered.append(PendingRequest("", is_ordered, 0, [data], is_answered=True))
            self.held_bytes += len(data)
        else:
            self._out.add(data)

    def append(self, request: PendingRequest, pieces: Sequence[bytes], *, is_last: bool) -> None:
        """Send a part of an answer in its place.

        Args:
            request: What was opened.
            pieces: The part.
            is_last: Whether it ends the answer.
        """
        request.is_answered, ordered = is_last, self._ordered
        if not request.is_ordered or request is ordered[0]:
            for piece in pieces:
                self._out.add(piece)
        else:
            request.held_output += pieces
            self.held_bytes += sum(map(len, pieces))
        while ordered and ordered[0].is_answered:
            ordered.popleft()
            if ordered and ordered[0].held_output:
                self._release(ordered[0])

    def _release(self, request: PendingRequest) -> None:
        """Send what was held of the answer whose turn has come."""
        self.held_bytes -= sum(map(len, request.held_output))
        for piece in request.held_output:
            self._out.add(piece)
        request.held_output.clear()

    def take(self, max_bytes: int | None = None) -> bytes:
        """Take what can be sent from the beginning.

        Args:
            max_bytes: How much at most; None for all that there is.
        """
        data = self._out.take(max_bytes)
        if data:
            self._has_taken_part = not data.endswith(b"\n")
        return data

    def clear(self) -> None:
        """Drop all that there is, but for the end of a line of which a part was taken."""
        self._ordered.clear()
        self.held_bytes = 0
        self._out = SendBuffer()
        self._out.add(b"\n" if self._has_taken_part else b"")
