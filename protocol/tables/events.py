"""The events of a table: numbered, kept for visitors that come back, bounded; and frames that come late."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

ValueT = TypeVar("ValueT")

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


class Late(Generic[ValueT]):
    """A value that may have to be made first.

    Attributes:
        value: The value; None until it is made.
    """

    def __init__(self) -> None:
        self.value: ValueT | None = None
        self._waiting: list[Callable[[ValueT], object]] = []

    def complete(self, value: ValueT) -> None:
        """Give it its value."""
        self.value = value
        for take in self._waiting:
            take(value)
        self._waiting.clear()

    def give(self, take: Callable[[ValueT], object]) -> None:
        """Give the value to a function: now, or once it is made."""
        if self.value is None:
            self._waiting.append(take)
        else:
            take(self.value)


Frame = str | Late[str]
"""What a visitor gets as text; what comes after one that is still to be made waits."""
