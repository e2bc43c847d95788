"""The two seats of a table: who plays, the secrets that open them, who may come and what it may do there."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gammond.engine.errors import GammondError, ValueRangeError
from gammond.protocol.tables.archive import ArchivedSeat, SavedTable, TakenSeat, TokenHashes
from gammond.protocol.tables.audience import Audience, Member, Visitor
from gammond.protocol.tables.game import TableGame
from gammond.protocol.tables.game_view import TableView
from gammond.protocol.tables.requests import JoinRequest, SeatSpec, TableSpec, read_guest_name

ENGINE = "engine"
PERSON = "person"
OPEN = "open"

_TOKEN_BYTES = 24
_ID_BYTES = 9


def make_token() -> str:
    """Return a new secret of 192 bits, safe in the address of a page."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def make_table_id() -> str:
    """Return a new name of a table, which nobody can guess."""
    return secrets.token_urlsafe(_ID_BYTES)


def hash_token(token: str) -> str:
    """Return what is kept of a token. It is random and long, so that one round of SHA-256 protects it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def is_token(token: str, hashed: str | None) -> bool:
    """Return whether a token is the one of a hash, in a time that says nothing about either."""
    return hmac.compare_digest(hash_token(token), hashed or "")


@dataclass
class Seat:
    """A seat.

    Attributes:
        kind: ``person``, ``engine``, or ``open`` until somebody takes it.
        name: Who plays it, as tables show it.
        player: The engine's player, as ``engine.player`` takes it; None for a person.
        level: The engine's level; None where it has none.
        token_hash: The hash of its secret; None for an engine.
        invitation_hash: The hash of the link by which an open seat was taken.
        has_come: Whether anybody has come for it.
        owner: What marks the account that was logged in when it was taken; empty for none.
    """

    kind: str
    name: str = ""
    player: str | None = None
    level: str | None = None
    token_hash: str | None = None
    invitation_hash: str | None = None
    has_come: bool = False
    owner: str = ""

    @classmethod
    def make(cls, spec: SeatSpec, view: TableView) -> Seat:
        """Make a seat.

        Args:
            spec: Who is to play it.
            view: The view of the game, which knows its engine.
        """
        if spec.kind != ENGINE:
            return cls(spec.kind, spec.name)
        if spec.player not in (ENGINE, view.engine_player):
            return cls(ENGINE, spec.player, spec.player, spec.level or None)
        level = spec.level or view.default_level
        return cls(ENGINE, level or ENGINE, view.engine_player, level or None)

    @property
    def is_engine(self) -> bool:
        """Whether an engine plays it."""
        return self.kind == ENGINE

    @property
    def is_ready(self) -> bool:
        """Whether the game can begin as far as this seat goes."""
        return self.is_engine or (self.kind == PERSON and self.has_come)

    def issue_token(self) -> str:
        """Make its secret, in place of an earlier one, and return it."""
        token = make_token()
        self.token_hash = hash_token(token)
        return token

    def allows(self, token: str) -> bool:
        """Return whether a token is that of the seat."""
        return is_token(token, self.token_hash)

    def invites(self, token: str) -> bool:
        """Return whether a token is of the link by which the seat can be taken, or was."""
        return self.allows(token) if self.kind == OPEN else self.was_invited(token)

    def was_invited(self, token: str) -> bool:
        """Return whether a token is of the link by which the seat was taken."""
        return self.invitation_hash is not None and is_token(token, self.invitation_hash)

    def describe(self, *, is_here: bool) -> dict[str, Any]:
        """Return the seat as tables show it.

        Args:
            is_here: Whether a visitor holds it; engines always are here.
        """
        here = self.is_engine or is_here
        described: dict[str, Any] = {"kind": self.kind, "name": self.name, "here": here}
        if self.is_engine:
            described |= {"player": self.player, "level": self.level}
        return described

    def describe_kept(self) -> ArchivedSeat:
        """Return who played it."""
        return ArchivedSeat(self.kind, self.name, self.player, self.level, self.token_hash, self.owner)

    def describe_taken(self) -> TakenSeat | None:
        """Return who took it by its link; None if nobody did."""
        if self.invitation_hash is None or self.token_hash is None:
            return None
        return TakenSeat(self.name, self.token_hash, self.invitation_hash)


class Seats:
    """The seats of a table: who sits where, who may come to the table, and what each may do beyond its turns.

    Args:
        spec: Who is to play, and whether anybody may watch.
        game: The table's games, which know their engines.
        audience: Who is at the table.
        save: Keeps what has changed of the seats.
        tell: Tells everybody that the player of a seat has ``joined`` or ``left``, but for one who comes.

    Attributes:
        hashes: The hashes of the secrets with which the table was created.
        has_one_visitor: Whether one connection has held the seats of two persons.

    Raises:
        GammondError: There is no such engine.
    """

    def __init__(
        self,
        spec: TableSpec,
        game: TableGame,
        audience: Audience,
        save: Callable[[], None],
        tell: Callable[[str, int, Member | None], None],
    ) -> None:
        self._seats = tuple(Seat.make(each, game.view) for each in spec.seats)
        self.hashes = TokenHashes((None, None), "")
        self.has_one_visitor = False
        self._spec = spec
        self._game = game
        self._audience = audience
        self._save = save
        self._tell = tell
        for seat in self._seats:
            self._set_player(seat)

    def __getitem__(self, place: int) -> Seat:
        """Return a seat, 0 or 1."""
        return self._seats[place]

    def __iter__(self) -> Iterator[Seat]:
        """Iterate over both."""
        return iter(self._seats)

    def describe(self) -> list[dict[str, Any]]:
        """Return both as tables show them."""
        return [seat.describe(is_here=self._is_held(place)) for place, seat in enumerate(self)]

    def _is_held(self, place: int) -> bool:
        """Return whether a visitor holds a seat."""
        return any(place in member.seats for member in self._audience.members.values())

    def _set_player(self, seat: Seat) -> None:
        try:
            self._game.set_player(seat.player, seat.level)
        except GammondError as error:
            raise error.with_field("seats") from None

    def check_engines(self) -> None:
        """Refuse engines that cannot play here.

        Raises:
            GammondError: Something is missing, or the rules do not support one of them.
        """
        for seat in self:
            if seat.is_engine:
                self._set_player(seat)
                self._game.view.check_engine()

    def issue_tokens(self) -> tuple[list[str | None], str]:
        """Make the secrets.

        Returns:
            The tokens of the seats, None for an engine's, and that of spectators.
        """
        tokens = [None if seat.is_engine else seat.issue_token() for seat in self]
        watch = make_token()
        first, second = (seat.token_hash for seat in self)
        self.hashes = TokenHashes((first, second), hash_token(watch))
        return tokens, watch

    def restore(self, saved: SavedTable) -> None:
        """Take the hashes of secrets that were made before, and who has come since."""
        self.hashes, self.has_one_visitor = saved.hashes, saved.has_one_visitor
        for place, seat in enumerate(self):
            seat.token_hash, seat.owner = saved.hashes.seats[place], saved.owners[place]
            if (taken := saved.taken[place]) is not None:
                seat.kind, seat.name, seat.has_come = PERSON, taken.name, True
                seat.token_hash, seat.invitation_hash = taken.token_hash, taken.invitation_hash

    @property
    def taken(self) -> tuple[TakenSeat | None, TakenSeat | None]:
        """Who has taken open seats."""
        first, second = (seat.describe_taken() for seat in self)
        return first, second

    @property
    def owners(self) -> tuple[str, str]:
        """The accounts that were logged in when the seats were taken."""
        return self[0].owner, self[1].owner

    @property
    def may_have_two_players(self) -> bool:
        """Whether nothing shows that one person played both sides."""
        first, second = self.owners
        return not self.has_one_visitor and (first != second or not first)

    def find_held(self, tokens: Collection[str]) -> set[int]:
        """Return the seats that some tokens hold."""
        return {
            place for place, seat in enumerate(self) if seat.kind != OPEN and any(map(seat.allows, tokens))
        }

    def find_invited(self, tokens: Collection[str]) -> int | None:
        """Return the seat that is to be taken by one of some tokens; None for neither.

        Once somebody has acted for it, its link only watches.
        """
        open_or_new = (place for place in (0, 1) if place not in self._game.have_acted)
        return next((place for place in open_or_new if any(map(self[place].invites, tokens))), None)

    def may_watch(self, tokens: Collection[str]) -> bool:
        """Return whether one of some tokens is that of spectators, or of a link that has been used."""
        if any(is_token(token, self.hashes.watch) for token in tokens):
            return True
        return any(seat.was_invited(token) for seat in self for token in tokens)

    def admits(self, tokens: Collection[str]) -> bool:
        """Return whether one of some tokens lets its owner play or watch."""
        is_invited = self.find_invited(tokens) is not None
        return is_invited or bool(self.find_held(tokens)) or self.may_watch(tokens)

    @property
    def is_complete(self) -> bool:
        """Whether everybody has come who is to play."""
        return all(seat.is_ready for seat in self)

    @property
    def has_engines_only(self) -> bool:
        """Whether engines play both sides."""
        return all(seat.is_engine for seat in self)

    @property
    def persons(self) -> list[int]:
        """The seats that no engine plays."""
        return [place for place, seat in enumerate(self) if not seat.is_engine]

    def is_engine(self, place: int | None) -> bool:
        """Return whether an engine plays a seat."""
        return place is not None and self[place].is_engine

    def check_tokens(self, tokens: Sequence[str]) -> None:
        """Check that whoever has some tokens may come.

        Raises:
            ValueRangeError: None of them is of this table, which is not public.
        """
        if not self._spec.public and not self.admits(tokens):
            raise ValueRangeError("expected a token of this table", field="token")

    def takes_seat(self, request: JoinRequest) -> bool:
        """Return whether who comes takes an open seat by its link, and plays by the name that is given."""
        invited = self.find_invited(request.tokens)
        return invited is not None and invited not in self.find_held(request.tokens)

    def admit(self, visitor: Visitor, request: JoinRequest, owner: str) -> tuple[Member, dict[str, Any]]:
        """Let a visitor come.

        Args:
            visitor: The visitor.
            request: What it asks for.
            owner: What marks the account that it is logged in to; empty for none.

        Returns:
            Its place, and what the answer says of seats that it took.

        Raises:
            GammondError: It may not.
        """
        tokens = request.tokens
        self.check_tokens(tokens)
        held, invited = self.find_held(tokens), self.find_invited(tokens)
        watches = self.may_watch(tokens)
        answer: dict[str, Any] = {}
        if invited is not None and invited not in held:
            answer["tokens"] = self._take_seat(invited, read_guest_name(request), owner)
            held.add(invited)
        member = self._audience.members.setdefault(visitor, Member(visitor))
        member.has_watch_token |= watches
        for place in sorted(held - member.seats):
            self._sit_down(member, place)
        return member, answer

    def _take_seat(self, place: int, name: str, owner: str) -> list[str | None]:
        """Give a seat to who has its link; return the tokens, the seat's new one in its place.

        The creator of the table does not know it. Until somebody acts for the seat, the link gives it again:
        its first taker may never have got the secret.
        """
        for member in self._audience.members.values():
            member.seats.discard(place)
        seat = self[place]
        seat.invitation_hash = seat.invitation_hash or seat.token_hash
        seat.kind, seat.name, seat.owner = PERSON, name, owner
        token = seat.issue_token()
        self._save()
        return [token if each == place else None for each in (0, 1)]

    def _sit_down(self, member: Member, place: int) -> None:
        was_held = self._is_held(place)
        member.seats.add(place)
        if len(member.seats) > 1 and not self.has_one_visitor:
            self.has_one_visitor = True
            self._save()
        self[place].has_come = True
        if not was_held:
            self._tell("joined", place, member)

    def dismiss(self, visitor: Visitor) -> None:
        """Let a visitor go from its seats, one after the other."""
        member = self._audience.members.get(visitor)
        if member is None:
            return
        for place in sorted(member.seats):
            member.seats.discard(place)
            if not self._is_held(place):
                self._tell("left", place, member)
        self._audience.members.pop(visitor, None)

    def may_steer(self, member: Member) -> bool:
        """Return whether a visitor may pause the game: nobody else is playing."""
        if self.has_engines_only:
            return member.has_watch_token
        return bool(member.seats) and self.holds_all(member)

    def holds_all(self, member: Member) -> bool:
        """Return whether a visitor holds every seat that no engine plays."""
        return member.seats.issuperset(self.persons)
