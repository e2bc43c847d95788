"""The events of a table: numbered, kept for visitors that come back, bounded."""

from __future__ import annotations

from collections import deque
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
