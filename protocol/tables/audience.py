"""Who is at a table, and what they are told: events, with more for whoever is to act."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from protocol.tables.events import EventLog, Frame, Late, encode_frame

_HISTORY_KINDS = ("start", "undo", "redo", "go_back")
"""Events whose state has the history, which changed by more than an entry."""


class Listener(Protocol):
    """Who is at a table: a visitor, as the table sees it."""

    def send(self, frame: Frame) -> None:
        """Send the visitor a frame."""
        ...


@dataclass(eq=False)
class Member:
    """A visitor's place at a table.

    Attributes:
        listener: The visitor.
        seats: The seats that it holds.
        has_watch_token: Whether it may steer a game of engines.
    """

    listener: Listener
    seats: set[int] = field(default_factory=set)
    has_watch_token: bool = False


class TableState(Protocol):
    """What is told of a table."""

    def describe(self) -> dict[str, Any]:
        """Return the state that everybody sees."""
        ...

    def find_choices(self) -> Late[dict[str, Any]]:
        """Return what only the seat to act is told."""
        ...

    def describe_history(self) -> list[dict[str, Any]]:
        """Return the actions of the game at hand."""
        ...

    @property
    def chooser(self) -> int | None:
        """The seat that is to choose a play; None for neither."""
        ...


class Audience:
    """The visitors at a table.

    Args:
        table_id: The table's name.
        state: What is told of it.

    Attributes:
        members: Their places.
        events: What they were told last.
    """

    def __init__(self, table_id: str, state: TableState) -> None:
        self._table_id = table_id
        self._state = state
        self.members: dict[Listener, Member] = {}
        self.events = EventLog()

    def tell(
        self,
        kind: str,
        seat: int | None,
        text: str,
        entry: dict[str, Any] | None = None,
        skipped: Member | None = None,
    ) -> None:
        """Tell everybody what happened.

        Args:
            kind: What.
            seat: Who did it.
            text: A word about it.
            entry: The action, if it was one of the game.
            skipped: Who is told otherwise.
        """
        state = self._state.describe()
        if kind in _HISTORY_KINDS:
            state["history"] = self._state.describe_history()
        self.events.number += 1
        event = self._make_event(kind, seat, text, state)
        if entry is not None:
            event["entry"] = entry
        frame = self.events.add(event)
        chooser, own = self._state.chooser, None
        for member in list(self.members.values()):
            if member is skipped:
                continue
            if chooser is not None and chooser in member.seats:
                own = own or self._make_own_frame(event)
                member.listener.send(own)
            else:
                member.listener.send(frame)

    def _make_event(self, kind: str, seat: int | None, text: str, state: dict[str, Any]) -> dict[str, Any]:
        number = self.events.number
        return {
            "table": self._table_id,
            "event": number,
            "kind": kind,
            "seat": seat,
            "text": text,
            "state": state,
        }

    def _make_own_frame(self, event: dict[str, Any]) -> Late[str]:
        """Return the frame of an event for the seat that is to choose a play."""
        frame = Late[str]()
        self._state.find_choices().give(
            lambda choices: frame.complete(encode_frame({**event, "state": event["state"] | choices}))
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
        state = self._state.describe()
        state["history"] = self._state.describe_history()
        event = self._make_event("state", None, "", state)
        return self._make_own_frame(event) if self._state.chooser in member.seats else encode_frame(event)
