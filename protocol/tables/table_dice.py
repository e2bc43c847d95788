"""The server's dice at a table: secrets, commitments, and which roll came from which."""

from __future__ import annotations

from typing import Any

from engine.rules.dice import RollSequence
from protocol.state.session import Session
from protocol.tables.fair_dice import FairDice, make_commitment, make_roll, make_secret


class TableDice:
    """The fair dice of a session, one secret after the other.

    Args:
        session: The session whose dice they are.

    Attributes:
        next_secret: The secret that comes next, to which the server has committed; None for none.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._dice: FairDice | None = None
        self._earlier: list[bytes] = []
        self._is_revealed = False
        self._places: dict[RollSequence, int] = {}
        self.next_secret: bytes | None = None

    def commit(self, secret: bytes | None = None) -> bytes:
        """Commit to the next secret, a new one if None; return it."""
        self.next_secret = secret or make_secret()
        return self.next_secret

    def start_game(self, seeds: tuple[str, str]) -> None:
        """Roll with the next secret from now on: another game begins."""
        self._earlier.clear()
        self._use_next(seeds)

    def change_secret(self) -> None:
        """Roll with the next secret from now on, in the same game: that of before is known."""
        assert self._dice is not None
        self._earlier.append(self._dice.secret)
        self._use_next(self._dice.seeds)

    def _use_next(self, seeds: tuple[str, str]) -> None:
        assert self.next_secret is not None
        self._dice = self._session.dice = FairDice(self.next_secret, seeds)
        self.next_secret, self._is_revealed = None, False
        self._places = {self._session.rolls: 0}

    def reveal(self) -> None:
        """Tell the secret: the game is over."""
        self._is_revealed = True

    def find_roll(self, before: RollSequence, *, is_opening: bool) -> tuple[int, int]:
        """Return the number of the roll that was made last, and of its secret in the game.

        Args:
            before: The place of the session's dice before it.
            is_opening: Whether rolls were made until the dice differed.
        """
        assert self._dice is not None
        number = self._places[before] + 1
        while is_opening and len(set(make_roll(self._dice.secret, self._dice.seeds, number))) == 1:
            number += 1
        self._places[self._session.rolls] = number
        return number, len(self._earlier)

    def describe(self) -> dict[str, Any]:
        """Return what tables show of them."""
        dice, following = self._dice, self.next_secret
        next_commitment = None if following is None else make_commitment(following)
        if dice is None:
            return {
                "commitment": next_commitment,
                "game_seed_revealed": None,
                "client_seeds": ["", ""],
                "rolls": 0,
                "earlier_seeds": [],
                "next_commitment": None,
            }
        return {
            "commitment": dice.commitment,
            "game_seed_revealed": dice.secret.hex() if self._is_revealed else None,
            "client_seeds": list(dice.seeds),
            "rolls": dice.count,
            "earlier_seeds": [secret.hex() for secret in self._earlier],
            "next_commitment": next_commitment,
        }
