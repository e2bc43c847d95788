"""The two seats of a table and the secrets that open them."""

from __future__ import annotations

from collections.abc import Collection

from engine.errors import GammondError
from protocol.tables.archive import SavedTable, TakenSeat, TokenHashes
from protocol.tables.engine_turns import list_player_lines
from protocol.tables.requests import TableSpec
from protocol.tables.seats import OPEN, PERSON, Seat
from protocol.tables.table_game import TableGame
from protocol.tables.tokens import hash_token, is_token, make_token


class Seating:
    """Who sits where.

    Args:
        spec: Who is to play.
        game: The table's games, which know their engines.

    Attributes:
        seats: Seats 0 and 1.
        hashes: The hashes of the secrets with which the table was created.
        has_one_visitor: Whether one connection has held the seats of two persons.

    Raises:
        GammondError: There is no such engine.
    """

    def __init__(self, spec: TableSpec, game: TableGame) -> None:
        first, second = (Seat.make(each, game.view) for each in spec.seats)
        self.seats = (first, second)
        self.hashes = TokenHashes((None, None), "")
        self.has_one_visitor = False
        self._game = game
        for seat in self.seats:
            self._set_player(seat)

    def _set_player(self, seat: Seat) -> None:
        try:
            for line in list_player_lines(self._game.session, seat.player, seat.level):
                self._game.run(line)
        except GammondError as error:
            raise error.with_field("seats") from None

    def check_engines(self) -> None:
        """Refuse engines that cannot play here.

        Raises:
            GammondError: Something is missing, or the rules do not support one of them.
        """
        for seat in self.seats:
            if seat.is_engine:
                self._set_player(seat)
                self._game.view.check_engine()

    def issue_tokens(self) -> tuple[list[str | None], str]:
        """Make the secrets.

        Returns:
            The tokens of the seats, None for an engine's, and that of spectators.
        """
        tokens = [None if seat.is_engine else seat.issue_token() for seat in self.seats]
        watch = make_token()
        first, second = (seat.token_hash for seat in self.seats)
        self.hashes = TokenHashes((first, second), hash_token(watch))
        return tokens, watch

    def restore(self, saved: SavedTable) -> None:
        """Take the hashes of secrets that were made before, and who has come since."""
        self.hashes, self.has_one_visitor = saved.hashes, saved.has_one_visitor
        for place, seat in enumerate(self.seats):
            seat.token_hash, seat.owner = saved.hashes.seats[place], saved.owners[place]
            if (taken := saved.taken[place]) is not None:
                seat.kind, seat.name, seat.has_come = PERSON, taken.name, True
                seat.token_hash, seat.invitation_hash = taken.token_hash, taken.invitation_hash

    @property
    def taken(self) -> tuple[TakenSeat | None, TakenSeat | None]:
        """Who has taken open seats."""
        first, second = (seat.describe_taken() for seat in self.seats)
        return first, second

    @property
    def owners(self) -> tuple[str, str]:
        """The accounts that were logged in when the seats were taken."""
        return self.seats[0].owner, self.seats[1].owner

    @property
    def may_have_two_players(self) -> bool:
        """Whether nothing shows that one person played both sides."""
        first, second = self.owners
        return not self.has_one_visitor and (first != second or not first)

    def find_held(self, tokens: Collection[str]) -> set[int]:
        """Return the seats that some tokens hold."""
        return {
            place
            for place, seat in enumerate(self.seats)
            if seat.kind != OPEN and any(map(seat.allows, tokens))
        }

    def find_invited(self, tokens: Collection[str]) -> int | None:
        """Return the seat that is to be taken by one of some tokens; None for neither."""
        places = (place for place, seat in enumerate(self.seats) if any(map(seat.invites, tokens)))
        return next(places, None)

    def may_watch(self, tokens: Collection[str]) -> bool:
        """Return whether one of some tokens is that of spectators, or of a link that has been used."""
        if any(is_token(token, self.hashes.watch) for token in tokens):
            return True
        return any(seat.was_invited(token) for seat in self.seats for token in tokens)

    def admits(self, tokens: Collection[str]) -> bool:
        """Return whether one of some tokens lets its owner play or watch."""
        is_invited = self.find_invited(tokens) is not None
        return is_invited or bool(self.find_held(tokens)) or self.may_watch(tokens)

    def take(self, place: int, name: str, owner: str) -> str:
        """Give a seat to who has its link; return its new secret, which the table's creator does not know.

        Until somebody acts for it, the link gives it again: its first taker may never have got the secret.
        """
        seat = self.seats[place]
        seat.visitors = 0
        seat.invitation_hash = seat.invitation_hash or seat.token_hash
        seat.kind, seat.name, seat.owner = PERSON, name, owner
        return seat.issue_token()

    @property
    def names(self) -> tuple[str, str]:
        """The names of seats 0 and 1."""
        return self.seats[0].name, self.seats[1].name

    @property
    def is_complete(self) -> bool:
        """Whether everybody has come who is to play."""
        return all(seat.is_ready for seat in self.seats)

    @property
    def has_engines_only(self) -> bool:
        """Whether engines play both sides."""
        return all(seat.is_engine for seat in self.seats)

    @property
    def persons(self) -> list[int]:
        """The seats that no engine plays."""
        return [place for place, seat in enumerate(self.seats) if not seat.is_engine]

    def is_engine(self, place: int | None) -> bool:
        """Return whether an engine plays a seat."""
        return place is not None and self.seats[place].is_engine
