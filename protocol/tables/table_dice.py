"""The server's dice at a table: secrets, seeds, commitments to both, and which roll came from which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.errors import StateError, ValueRangeError
from engine.rules.dice import RollSequence
from protocol.state.session import Session
from protocol.tables.fair_dice import FairDice, make_commitment, make_roll, make_secret


@dataclass
class PlayerSeeds:
    """What the players add to one secret.

    Attributes:
        commitments: The SHA-256 of the seeds of seats 0 and 1; empty for none.
        seeds: The seeds that are told, or were given without a commitment; empty for none.
    """

    commitments: list[str] = field(default_factory=lambda: ["", ""])
    seeds: list[str] = field(default_factory=lambda: ["", ""])

    @property
    def awaited(self) -> list[int]:
        """The seats that have not told the seed to which they are committed."""
        return [seat for seat in (0, 1) if self.commitments[seat] and not self.seeds[seat]]


class TableDice:
    """The fair dice of a session, one secret after the other.

    Args:
        session: The session whose dice they are.

    Attributes:
        seeds: What the players have added to the secret in use.
        next_secret: The secret that comes next, to which the server has committed; None for none.
        next_seeds: What the players have added to that.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._dice: FairDice | None = None
        self.seeds = PlayerSeeds()
        self._earlier: list[tuple[FairDice, PlayerSeeds]] = []
        self._is_revealed = False
        self._places: dict[RollSequence, int] = {}
        self.next_secret: bytes | None = None
        self.next_seeds = PlayerSeeds()

    def commit(self, secret: bytes | None = None) -> bytes:
        """Commit to the next secret, a new one if None; return it. No seed that was known before counts."""
        self.next_secret, self.next_seeds = secret or make_secret(), PlayerSeeds()
        return self.next_secret

    def add_seed(self, seat: int, commitment: str, seed: str) -> bool:
        """Take what a player adds to the next secret, in place of what he has added to it before.

        Args:
            seat: His seat.
            commitment: The SHA-256 of the seed, which is to be told later; empty for none.
            seed: The seed, told without a commitment; empty for none.

        Returns:
            Whether it counts: the server has committed to the next secret.
        """
        if self.next_secret is None or not (commitment or seed):
            return False
        self.next_seeds.commitments[seat] = commitment
        self.next_seeds.seeds[seat] = "" if commitment else seed
        return True

    def start_game(self) -> None:
        """Roll with the next secret from now on: another game begins."""
        self._earlier.clear()
        self._use_next()

    def change_secret(self) -> None:
        """Roll with the next secret from now on, in the same game: that of before is known."""
        assert self._dice is not None
        self._earlier.append((self._dice, self.seeds))
        self._use_next()

    def _use_next(self) -> None:
        assert self.next_secret is not None
        self._dice = self._session.dice = FairDice(self.next_secret)
        self.seeds, self.next_seeds = self.next_seeds, PlayerSeeds()
        self.next_secret, self._is_revealed = None, False
        self._places = {self._session.rolls: 0}
        if not self.awaited:
            self.fix_seeds(self.seeds.seeds)

    @property
    def awaited(self) -> list[int]:
        """The seats whose seeds are to be told before the next roll."""
        return [] if self._dice is None or self._dice.seeds is not None else self.seeds.awaited

    def tell_seed(self, seat: int, seed: str) -> None:
        """Take the seed to which a player is committed.

        Raises:
            StateError: None of his is awaited.
            ValueRangeError: It is another one.
        """
        if seat not in self.awaited:
            raise StateError("no seed of this seat is awaited", field="seed")
        if make_commitment(seed.encode("ascii")) != self.seeds.commitments[seat]:
            raise ValueRangeError("expected the seed to which this seat is committed", field="seed")
        self.seeds.seeds[seat] = seed

    def fix_seeds(self, seeds: Sequence[str]) -> None:
        """Roll with these seeds from now on, empty for one that was not told."""
        assert self._dice is not None
        self.seeds.seeds = list(seeds)
        self._dice.seeds = seeds[0], seeds[1]

    def reveal(self) -> None:
        """Tell the secret: the game is over."""
        self._is_revealed = True
        self.fix_seeds(self.seeds.seeds)

    def find_roll(self, before: RollSequence, *, is_opening: bool) -> tuple[int, int]:
        """Return the number of the roll that was made last, and of its secret in the game.

        Args:
            before: The place of the session's dice before it.
            is_opening: Whether rolls were made until the dice differed.
        """
        assert self._dice is not None
        assert self._dice.seeds is not None
        number = self._places[before] + 1
        while is_opening and len(set(make_roll(self._dice.secret, self._dice.seeds, number))) == 1:
            number += 1
        self._places[self._session.rolls] = number
        return number, len(self._earlier)

    def describe(self) -> dict[str, Any]:
        """Return what tables show of them: no seed before all are told, and no secret before the end."""
        dice, seeds, following = self._dice, self.seeds, self.next_seeds
        next_commitment = None if self.next_secret is None else make_commitment(self.next_secret)
        if dice is None:  # before the first game what comes next is what is at hand
            seeds, following = following, seeds
        return {
            "commitment": next_commitment if dice is None else dice.commitment,
            "game_seed_revealed": dice.secret.hex() if dice is not None and self._is_revealed else None,
            "seed_commitments": seeds.commitments,
            "awaits_seeds": self.awaited,
            "client_seeds": ("", "") if dice is None else dice.seeds or ("", ""),
            "rolls": 0 if dice is None else dice.count,
            "earlier_seeds": [each.secret.hex() for each, _ in self._earlier],
            "earlier_client_seeds": [given.seeds for _, given in self._earlier],
            "earlier_seed_commitments": [given.commitments for _, given in self._earlier],
            "next_commitment": None if dice is None else next_commitment,
            "next_seed_commitments": following.commitments,
        }
