"""The events of a table: numbered, kept for visitors that come back, bounded; and frames that come later."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

MAX_KEPT_EVENTS = 32
"""Events kept for visitors that come back; some 3 kB each."""


class KeptEvent(NamedTuple):
    """An event as everybody sees it.

    Attributes:
        number: Its number.
        frame: Its text.
    """

    number: int
    frame: str


class EventLog:
    """The last events of a table.

    Attributes:
        number: That of the last one; 0 before the first.
    """

    def __init__(self) -> None:
        self.number = 0
        self._kept: deque[KeptEvent] = deque(maxlen=MAX_KEPT_EVENTS)

    def add(self, event: dict[str, Any]) -> str:
        """Keep an event, whose number is already `number`; return its text."""
        frame = encode_frame(event)
        self._kept.append(KeptEvent(self.number, frame))
        return frame

    def list_after(self, number: int) -> list[str] | None:
        """List the texts of the events after one; None where some of them are not kept any more."""
        if not 0 <= number <= self.number:
            return None
        missed = [event.frame for event in self._kept if event.number > number]
        return missed if len(missed) == self.number - number else None


def encode_frame(document: dict[str, Any]) -> str:
    """Write what a visitor gets as text."""
    return msgspec.json.encode(document).decode()


class LateText:
    """What a visitor gets as text once it is made; what comes after it waits.

    Attributes:
        text: The text; None until it is made.
    """

    def __init__(self) -> None:
        self.text: str | None = None
        self._on_made: list[Callable[[str], object]] = []

    def __str__(self) -> str:
        """The text, once it is made."""
        assert self.text is not None
        return self.text

    def complete(self, text: str) -> None:
        """Give it its text."""
        self.text = text
        for tell in self._on_made:
            tell(text)
        self._on_made.clear()

    def notify(self, tell: Callable[[str], object]) -> None:
        """Tell a function the text, now or once it is made."""
        if self.text is None:
            self._on_made.append(tell)
        else:
            tell(self.text)


Frame = str | LateText
"""What a visitor gets."""
