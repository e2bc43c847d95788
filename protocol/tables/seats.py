"""The seats of a table: who plays, by which secret, and who is here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from protocol.tables.archive import KeptSeat, TakenSeat
from protocol.tables.game_view import TableView
from protocol.tables.requests import SeatSpec
from protocol.tables.tokens import hash_token, is_token, make_token

ENGINE = "engine"
PERSON = "person"
OPEN = "open"


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
        has_acted: Whether its player has acted; from then on the link only watches.
        visitors: How many visitors hold it now.
        has_come: Whether anybody has come for it.
        owner: What marks the account that was logged in when it was taken; empty for none.
        rejected_kind: The dearest resignation that its opponent has rejected in this game.
    """

    kind: str
    name: str = ""
    player: str | None = None
    level: str | None = None
    token_hash: str | None = None
    invitation_hash: str | None = None
    has_acted: bool = False
    visitors: int = 0
    has_come: bool = False
    owner: str = ""
    rejected_kind: int = 0

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
    def is_here(self) -> bool:
        """Whether its player is here; engines always are."""
        return self.is_engine or self.visitors > 0

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
        """Return whether a token is of the link by which the seat can be taken, or taken again."""
        if self.kind == OPEN:
            return self.allows(token)
        return not self.has_acted and self.was_invited(token)

    def was_invited(self, token: str) -> bool:
        """Return whether a token is of the link by which the seat was taken."""
        return self.invitation_hash is not None and is_token(token, self.invitation_hash)

    def describe(self) -> dict[str, Any]:
        """Return the seat as tables show it."""
        described: dict[str, Any] = {"kind": self.kind, "name": self.name, "here": self.is_here}
        if self.is_engine:
            described |= {"player": self.player, "level": self.level}
        return described

    def describe_kept(self) -> KeptSeat:
        """Return who played it."""
        return KeptSeat(self.kind, self.name, self.player, self.level)

    def describe_taken(self) -> TakenSeat | None:
        """Return who took it by its link; None if nobody did."""
        if self.invitation_hash is None or self.token_hash is None:
            return None
        return TakenSeat(self.name, self.token_hash, self.invitation_hash)
