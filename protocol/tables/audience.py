"""Those who are at tables, and what they are told: requests in, answers and events out, bounded.

Each comes over one connection; a table tells all that are at it, with more for whoever is to act.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

ValueT = TypeVar("ValueT")

MAX_KEPT_EVENTS = 32
"""Events kept for visitors that come back; some 3 kB each."""

_HISTORY_KINDS = ("start", "undo", "redo", "go_back")
"""Events whose state has the history, which changed by more than an entry."""

NameCheck = Callable[[str], str]


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


class TableEvent(NamedTuple):
    """What everybody at a table is told, besides the state after it.

    Attributes:
        kind: What happened.
        seat: Who did it; None for nobody.
        text: A word about it.
        entry: What the history has of it; None where it is no action of a game.
    """

    kind: str
    seat: int | None = None
    text: str = ""
    entry: dict[str, Any] | None = None


class EventLog:
    """The last events of a table.

    Attributes:
        number: That of the last one; 0 before the first.
    """

    def __init__(self) -> None:
        self.number = 0
        self._kept: deque[tuple[int, str]] = deque(maxlen=MAX_KEPT_EVENTS)

    def add(self, event: dict[str, Any]) -> str:
        """Keep an event, whose number is already `number`; return its text."""
        frame = encode_frame(event)
        self._kept.append((self.number, frame))
        return frame

    def list_after(self, number: int) -> list[str] | None:
        """List the texts of the events after one; None where some of them are not kept any more."""
        if not 0 <= number <= self.number:
            return None
        missed = [frame for each, frame in self._kept if each > number]
        return missed if len(missed) == self.number - number else None


class Visitor:
    """One who sends requests and is told events: a page, over one connection.

    Args:
        leaving: Where it puts itself when it is dropped, for its hub to let it go.
        on_output: Called when there is something to send, or the visitor is dropped.
        unread_limit: How many characters may wait for it.
        check_name: Returns what marks the account that plays by a name, empty for none; raises an error for
            names by which it may not play. It may take long. None where names are nobody's.
        address: Where it comes from; empty for one that has no limits of its own.

    Attributes:
        check_name: As given.
        address: As given.
        waiting: Requests that are not served yet, the first of them perhaps in part.
        is_blocked: Whether that one waits for something.
        tables: The names of the tables at which it is.
        is_dropped: Whether it gets nothing more: it left too much unread.
        unread_chars: How much waits to be taken.
    """

    def __init__(
        self,
        leaving: list[Visitor],
        on_output: Callable[[], object],
        unread_limit: int,
        check_name: NameCheck | None = None,
        address: str = "",
    ) -> None:
        self.check_name = check_name
        self.address = address
        self._leaving = leaving
        self._on_output = on_output
        self._unread_limit = unread_limit
        self._output: deque[Frame] = deque()
        self.unread_chars = 0
        self.waiting: deque[str] = deque()
        self.is_blocked = False
        self.tables: set[str] = set()
        self.is_dropped = False

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
        if self.unread_chars > self._unread_limit:
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
        self.end()
        self._leaving.append(self)
        self._on_output()

    def end(self) -> None:
        """Send and take nothing more."""
        self.is_dropped = True
        self._output.clear()
        self.unread_chars = 0
        self.waiting.clear()


@dataclass(eq=False)
class Member:
    """A visitor's place at a table.

    Attributes:
        visitor: The visitor.
        seats: The seats that it holds.
        has_watch_token: Whether it may steer a game of engines.
    """

    visitor: Visitor
    seats: set[int] = field(default_factory=set)
    has_watch_token: bool = False


class Audience:
    """The visitors at a table.

    Args:
        table_id: The table's name.
        describe: Returns the state that everybody sees, and if it is asked for the history of the game.
        find_chooser: Returns the seat that is to choose a play; None for neither.
        find_choices: Returns what only that seat is told.

    Attributes:
        members: Their places.
        events: What they were told last.
    """

    def __init__(
        self,
        table_id: str,
        describe: Callable[[bool], dict[str, Any]],
        find_chooser: Callable[[], int | None],
        find_choices: Callable[[], Late[dict[str, Any]]],
    ) -> None:
        self._table_id = table_id
        self._describe_state = describe
        self._find_chooser = find_chooser
        self._find_choices = find_choices
        self.members: dict[Visitor, Member] = {}
        self.events = EventLog()

    def tell(self, event: TableEvent, skipped: Member | None = None) -> None:
        """Tell everybody what happened.

        Args:
            event: What.
            skipped: Who is told otherwise.
        """
        self.events.number += 1
        document = self._describe(event, has_history=event.kind in _HISTORY_KINDS)
        if event.entry is not None:
            document["entry"] = event.entry
        frame = self.events.add(document)
        chooser, own = self._find_chooser(), None
        for member in list(self.members.values()):
            if member is skipped:
                continue
            if chooser is not None and chooser in member.seats:
                own = own or self._make_own_frame(document)
                member.visitor.send(own)
            else:
                member.visitor.send(frame)

    def _describe(self, event: TableEvent, *, has_history: bool) -> dict[str, Any]:
        """Return an event with the state after it."""
        return {
            "table": self._table_id,
            "event": self.events.number,
            "kind": event.kind,
            "seat": event.seat,
            "text": event.text,
            "state": self._describe_state(has_history),
        }

    def _make_own_frame(self, document: dict[str, Any]) -> Late[str]:
        """Return the frame of an event for the seat that is to choose a play."""
        frame = Late[str]()
        self._find_choices().give(
            lambda choices: frame.complete(encode_frame({**document, "state": document["state"] | choices}))
        )
        return frame

    def list_missed(self, member: Member, after: int | None) -> list[Frame]:
        """List the frames that a visitor has not seen.

        Args:
            member: Its place.
            after: The last event that it has; None for a new visitor.

        Returns:
            The events after that one; the whole state where they are not kept any more, and after them for
            who holds a seat.
        """
        missed = None if after is None else self.events.list_after(after)
        if missed is None or (missed and member.seats):
            return [*(missed or ()), self._make_state_frame(member)]
        return [*missed]

    def _make_state_frame(self, member: Member) -> Frame:
        document = self._describe(TableEvent("state"), has_history=True)
        is_chooser = self._find_chooser() in member.seats
        return self._make_own_frame(document) if is_chooser else encode_frame(document)
