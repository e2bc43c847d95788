"""Those who are at tables, each over one connection: requests in, answers and events out, bounded."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from protocol.tables.events import Frame, Late

NameCheck = Callable[[str], str]


class VisitorHost(Protocol):
    """What a visitor needs of its hub."""

    @property
    def unread_limit(self) -> int:
        """How many characters may wait for a visitor."""
        ...

    def receive(self, visitor: Visitor, frame: str) -> None:
        """Take in a request."""
        ...

    def forget(self, visitor: Visitor) -> None:
        """Let a visitor go from all its tables."""
        ...

    def forget_soon(self, visitor: Visitor) -> None:
        """Let a visitor go once what is under way is done."""
        ...


class Visitor:
    """One who sends requests and is told events: a page, over one connection.

    Args:
        host: The hub.
        on_output: Called when there is something to send, or the visitor is dropped.
        check_name: Returns what marks the account that plays by a name, empty for none; raises an error for
            names by which it may not play. It may take long. None where names are nobody's.
        address: Where it comes from; empty for one that has no limits of its own.

    Attributes:
        check_name: As given.
        owners: What it returned of the names of the request at hand.
        address: As given.
        waiting: Requests that are not served yet.
        is_blocked: Whether they wait for something.
        tables: The names of the tables at which it is.
        is_dropped: Whether it gets nothing more: it left too much unread.
        unread_chars: How much waits to be taken.
    """

    def __init__(
        self,
        host: VisitorHost,
        on_output: Callable[[], object],
        check_name: NameCheck | None = None,
        address: str = "",
    ) -> None:
        self.check_name = check_name
        self.owners: dict[str, str] = {}
        self.address = address
        self._host = host
        self._on_output = on_output
        self._output: deque[Frame] = deque()
        self.unread_chars = 0
        self.waiting: deque[str] = deque()
        self.is_blocked = False
        self.tables: set[str] = set()
        self.is_dropped = False

    @property
    def awaits_frame(self) -> bool:
        """Whether what is next for the visitor is still to be made."""
        return bool(self._output) and isinstance(self._output[0], Late) and self._output[0].value is None

    def receive(self, frame: str) -> None:
        """Take in a request; what comes of it can be taken with `take_output`."""
        self._host.receive(self, frame)

    def send(self, frame: Frame) -> None:
        """Let a frame wait for the visitor; one that leaves too much unread is dropped."""
        if self.is_dropped:
            return
        self._output.append(frame)
        if isinstance(frame, Late):
            frame.give(self._count)
        else:
            self._count(frame)

    def _count(self, text: str) -> None:
        if self.is_dropped:
            return
        self.unread_chars += len(text)
        if self.unread_chars > self._host.unread_limit:
            self.drop()
        else:
            self._on_output()

    def take_output(self) -> list[str]:
        """Return the frames that wait, each once, in order, up to one that is still to be made."""
        texts: list[str] = []
        while self._output:
            frame = self._output[0]
            text = frame.value if isinstance(frame, Late) else frame
            if text is None:
                break
            self._output.popleft()
            self.unread_chars -= len(text)
            texts.append(text)
        return texts

    def drop(self) -> None:
        """Send nothing more; the connection is to be closed."""
        self.is_dropped = True
        self._output.clear()
        self.unread_chars = 0
        self.waiting.clear()
        self._host.forget_soon(self)
        self._on_output()

    def close(self) -> None:
        """Go away: the connection is gone."""
        self.is_dropped = True
        self._output.clear()
        self.unread_chars = 0
        self.waiting.clear()
        self._host.forget(self)
