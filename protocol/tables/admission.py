"""Who may come to a table, which seats it holds there, and what it may do beyond its turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from engine.errors import ValueRangeError
from protocol.tables.audience import Audience, Listener, Member
from protocol.tables.requests import JoinRequest, read_guest_name
from protocol.tables.seating import Seating


class TableNews(Protocol):
    """Takes what happens to the seats of a table."""

    def save(self) -> None:
        """Keep what has changed of the table."""
        ...

    def emit(self, kind: str, seat: int | None, text: str, *, skipped: Member | None = None) -> None:
        """Tell everybody at the table what happened."""
        ...


class Admission:
    """Lets visitors come to a table and go.

    Args:
        seating: Who sits where.
        audience: Who is at the table.
        news: Takes what happens to the seats.
        is_public: Whether anybody may watch.
    """

    def __init__(self, seating: Seating, audience: Audience, news: TableNews, *, is_public: bool) -> None:
        self._seating = seating
        self._audience = audience
        self._news = news
        self._is_public = is_public

    def check_tokens(self, tokens: Sequence[str]) -> None:
        """Check that whoever has some tokens may come.

        Raises:
            ValueRangeError: None of them is of this table, which is not public.
        """
        if not self._is_public and not self._seating.admits(tokens):
            raise ValueRangeError("expected a token of this table", field="token")

    def takes_seat(self, request: JoinRequest) -> bool:
        """Return whether who comes takes an open seat by its link, and plays by the name that is given."""
        invited = self._seating.find_invited(request.tokens)
        return invited is not None and invited not in self._seating.find_held(request.tokens)

    def admit(self, listener: Listener, request: JoinRequest, owner: str) -> tuple[Member, dict[str, Any]]:
        """Let a visitor come.

        Args:
            listener: The visitor.
            request: What it asks for.
            owner: What marks the account that it is logged in to; empty for none.

        Returns:
            Its place, and what the answer says of seats that it took.

        Raises:
            GammondError: It may not.
        """
        seating, tokens = self._seating, request.tokens
        self.check_tokens(tokens)
        held, invited = seating.find_held(tokens), seating.find_invited(tokens)
        watches = seating.may_watch(tokens)
        answer: dict[str, Any] = {}
        if invited is not None and invited not in held:
            answer["tokens"] = self._take_seat(invited, read_guest_name(request), owner)
            held.add(invited)
        member = self._audience.members.setdefault(listener, Member(listener))
        member.has_watch_token |= watches
        for place in sorted(held - member.seats):
            self._sit_down(member, place)
        return member, answer

    def _take_seat(self, place: int, name: str, owner: str) -> list[str | None]:
        """Give a seat to who has its link; return the tokens, the seat's new one in its place."""
        for member in self._audience.members.values():
            if place in member.seats:  # its link was used again: who came first has not acted yet
                member.seats.discard(place)
        token = self._seating.take(place, name, owner)
        self._news.save()
        return [token if each == place else None for each in (0, 1)]

    def _sit_down(self, member: Member, place: int) -> None:
        seat = self._seating.seats[place]
        member.seats.add(place)
        if len(member.seats) > 1 and not self._seating.has_one_visitor:
            self._seating.has_one_visitor = True
            self._news.save()
        seat.visitors += 1
        seat.has_come = True
        if seat.visitors == 1:
            self._news.emit("joined", place, seat.name, skipped=member)

    def dismiss(self, listener: Listener) -> None:
        """Let a visitor go."""
        member = self._audience.members.pop(listener, None)
        for place in sorted(member.seats) if member is not None else ():
            seat = self._seating.seats[place]
            seat.visitors -= 1
            if not seat.visitors:
                self._news.emit("left", place, seat.name)

    def may_steer(self, member: Member) -> bool:
        """Return whether a visitor may pause the game: nobody else is playing."""
        if self._seating.has_engines_only:
            return member.has_watch_token
        return bool(member.seats) and self.holds_all(member)

    def holds_all(self, member: Member) -> bool:
        """Return whether a visitor holds every seat that no engine plays."""
        return member.seats.issuperset(self._seating.persons)
