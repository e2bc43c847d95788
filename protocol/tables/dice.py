"""Dice that nobody need trust: server and players commit to secrets and seeds before any of them is told.

Before a game the server publishes the SHA-256 of a secret of 32 bytes, then players that of seeds of their
own, and only then do they tell the seeds. Roll k is made of HMAC-SHA256(secret, ``SEED0,SEED1|k``), so that
no side could choose it, even together with the server. Once the secret is revealed everybody can make the
rolls again. The page has a twin of this module.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from itertools import count
from typing import Any

from gammond.engine.errors import FormatError, StateError, ValueRangeError
from gammond.engine.rules.dice import Roll, RollSequence
from gammond.protocol.state.session import Session

SECRET_BYTES = 32
MAX_SEED_CHARS = 64

SEEDS_WAIT_S = 10.0
"""How long a table waits for the seeds to which its players are committed."""

Seeds = tuple[str, str]
"""What seats 0 and 1 add to a secret, or the commitments to that; empty for none."""

NO_SEEDS: Seeds = ("", "")

_COMMITMENT = re.compile(r"[0-9a-f]{64}", re.ASCII)
_SEED = re.compile(rf"[0-9A-Za-z_-]{{0,{MAX_SEED_CHARS}}}", re.ASCII)
_FACES = 6
_FAIR_BYTES = 256 - 256 % _FACES
"""Bytes from here on would favour some faces."""


def make_secret() -> bytes:
    """Return a secret that nobody can guess."""
    return secrets.token_bytes(SECRET_BYTES)


def check_seed(text: str) -> str:
    """Return a player's seed.

    Raises:
        FormatError: It has other characters than digits, letters, ``_`` and ``-``, or too many.
    """
    if not _SEED.fullmatch(text):
        raise FormatError(
            f"expected a seed of at most {MAX_SEED_CHARS} characters of 0-9, A-Z, a-z, _ and -, "
            f"got {text[:MAX_SEED_CHARS]!r}",
            field="seed",
        )
    return text


def check_commitment(text: str) -> str:
    """Return what a player's seed is committed to by.

    Raises:
        FormatError: It is no SHA-256 in hexadecimal, in small letters.
    """
    if not _COMMITMENT.fullmatch(text):
        raise FormatError(
            "expected the SHA-256 of a seed: 64 hexadecimal digits in small letters", field="seed_commitment"
        )
    return text


def make_commitment(secret: bytes) -> str:
    """Return what is published of a secret, or of a seed as ASCII, before: its SHA-256, in hexadecimal."""
    return hashlib.sha256(secret).hexdigest()


def make_roll(secret: bytes, seeds: Seeds, number: int) -> Roll:
    """Return a roll.

    Args:
        secret: The secret of the game.
        seeds: Those of seats 0 and 1.
        number: Which roll, from 1.
    """
    text = f"{seeds[0]},{seeds[1]}|{number}"
    dice: list[int] = []
    for block in count():
        message = text if block == 0 else f"{text}|{block}"
        digest = hmac.digest(secret, message.encode("ascii"), "sha256")
        dice += [byte % _FACES + 1 for byte in digest if byte < _FAIR_BYTES]
        if len(dice) > 1:
            break
    return dice[0], dice[1]


def _put(seeds: Seeds, seat: int, text: str) -> Seeds:
    return (text, seeds[1]) if seat == 0 else (seeds[0], text)


class FairDice:
    """The dice of one secret, to which the players add seeds.

    Args:
        secret: The secret.

    Attributes:
        secret: As given; published when the game is over.
        commitments: The SHA-256 of the seeds of seats 0 and 1; empty for none.
        told: The seeds that are told, or were given without a commitment; empty for none.
        seeds: Those with which is rolled; None until they are fixed.
        count: How many rolls were made.
    """

    def __init__(self, secret: bytes) -> None:
        self.secret = secret
        self.commitments = self.told = NO_SEEDS
        self.seeds: Seeds | None = None
        self.count = 0

    @property
    def commitment(self) -> str:
        """What is published of the secret before the game."""
        return make_commitment(self.secret)

    @property
    def seats_to_tell(self) -> list[int]:
        """The seats that have not told the seed to which they are committed."""
        return [seat for seat in (0, 1) if self.commitments[seat] and not self.told[seat]]

    def fix_seeds(self, seeds: Seeds) -> None:
        """Roll with these seeds from now on, empty for one that was not told."""
        self.told = self.seeds = seeds

    def roll(self) -> Roll:
        """Return the next roll.

        Raises:
            StateError: The seeds are not fixed yet.
        """
        if self.seeds is None:
            raise StateError("the dice wait for the players' seeds, some seconds at most", field="seed")
        self.count += 1
        return make_roll(self.secret, self.seeds, self.count)


class TableDice:
    """The fair dice of a session, one secret after the other.

    Args:
        session: The session whose dice they are.

    Attributes:
        current: Those in use; None before the first game.
        next: Those of the secret that comes next, to which the server has committed; None for none.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.current: FairDice | None = None
        self.next: FairDice | None = None
        self._earlier: list[FairDice] = []
        self._is_revealed = False
        self._places: dict[RollSequence, int] = {}

    def commit(self, secret: bytes) -> None:
        """Commit to the next secret. No seed that was known before counts."""
        self.next = FairDice(secret)

    def add_seed(self, seat: int, commitment: str, seed: str) -> bool:
        """Take what a player adds to the next secret, in place of what he has added to it before.

        Args:
            seat: His seat.
            commitment: The SHA-256 of the seed, which is to be told later; empty for none.
            seed: The seed, told without a commitment; empty for none.

        Returns:
            Whether it counts: the server has committed to the next secret.
        """
        if self.next is None or not (commitment or seed):
            return False
        self.next.commitments = _put(self.next.commitments, seat, commitment)
        self.next.told = _put(self.next.told, seat, "" if commitment else seed)
        return True

    def start_game(self, seeds: Seeds, commitments: Seeds) -> None:
        """Roll with the next secret from now on: another game begins.

        Args:
            seeds: What the players have added to it and told.
            commitments: The SHA-256 of seeds that are to be told.
        """
        self._earlier.clear()
        self._use_next(seeds, commitments)

    def change_secret(self, seeds: Seeds, commitments: Seeds) -> None:
        """Roll with the next secret from now on, in the same game: that of before is known."""
        assert self.current is not None
        self._earlier.append(self.current)
        self._use_next(seeds, commitments)

    def _use_next(self, seeds: Seeds, commitments: Seeds) -> None:
        assert self.next is not None, "there is no secret"
        dice = self.current = self._session.dice = self.next
        dice.told, dice.commitments = seeds, commitments
        self.next, self._is_revealed = None, False
        self._places = {self._session.rolls: 0}
        if not dice.seats_to_tell:
            dice.fix_seeds(dice.told)

    @property
    def seats_to_tell(self) -> list[int]:
        """The seats whose seeds are to be told before the next roll."""
        return [] if self.current is None or self.current.seeds is not None else self.current.seats_to_tell

    def tell_seed(self, seat: int, seed: str) -> None:
        """Take the seed to which a player is committed.

        Raises:
            StateError: None of his is awaited.
            ValueRangeError: It is another one.
        """
        if self.current is None or seat not in self.seats_to_tell:
            raise StateError("no seed of this seat is awaited", field="seed")
        if make_commitment(seed.encode("ascii")) != self.current.commitments[seat]:
            raise ValueRangeError("expected the seed to which this seat is committed", field="seed")
        self.current.told = _put(self.current.told, seat, seed)

    def reveal(self) -> None:
        """Tell the secret: the game is over."""
        assert self.current is not None
        self._is_revealed = True
        self.current.fix_seeds(self.current.told)

    def find_roll(self, before: RollSequence, *, is_opening: bool) -> tuple[int, int]:
        """Return the number of the roll that was made last, and of its secret in the game.

        Args:
            before: The place of the session's dice before it.
            is_opening: Whether rolls were made until the dice differed.
        """
        dice = self.current
        assert dice is not None
        assert dice.seeds is not None
        number = self._places[before] + 1
        while is_opening and len(set(make_roll(dice.secret, dice.seeds, number))) == 1:
            number += 1
        self._places[self._session.rolls] = number
        return number, len(self._earlier)

    def describe(self) -> dict[str, Any]:
        """Return what tables show of them: no seed before all are told, and no secret before the end.

        Before the first game what comes next is what is at hand.
        """
        dice, following = (self.next, None) if self.current is None else (self.current, self.next)
        return {
            "commitment": None if dice is None else dice.commitment,
            "game_seed_revealed": None if dice is None or not self._is_revealed else dice.secret.hex(),
            "seed_commitments": NO_SEEDS if dice is None else dice.commitments,
            "awaits_seeds": self.seats_to_tell,
            "client_seeds": NO_SEEDS if dice is None else dice.seeds or NO_SEEDS,
            "rolls": 0 if dice is None else dice.count,
            "earlier_seeds": [each.secret.hex() for each in self._earlier],
            "earlier_client_seeds": [each.told for each in self._earlier],
            "earlier_seed_commitments": [each.commitments for each in self._earlier],
            "next_commitment": None if following is None else following.commitment,
            "next_seed_commitments": NO_SEEDS if following is None else following.commitments,
        }
