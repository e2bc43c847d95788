"""Dice that nobody need trust: the server commits to a secret, players add seeds, the secret is revealed.

Before a game the server publishes the SHA-256 of a secret of 32 bytes, and players may then add seeds of
their own. Roll k is made of HMAC-SHA256(secret, ``SEED0,SEED1|k``), so neither side could choose it. Once the
secret is revealed everybody can make the rolls again. The page has a twin of this module.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from itertools import count

from engine.errors import FormatError
from engine.rules.dice import Roll

SECRET_BYTES = 32
MAX_SEED_CHARS = 64

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


def make_commitment(secret: bytes) -> str:
    """Return what is published of a secret before the game: its SHA-256, in hexadecimal."""
    return hashlib.sha256(secret).hexdigest()


def make_roll(secret: bytes, seeds: tuple[str, str], number: int) -> Roll:
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


class FairDice:
    """The dice of one game.

    Args:
        secret: The secret.
        seeds: Those of seats 0 and 1.

    Attributes:
        secret: As given; published when the game is over.
        seeds: As given.
        count: How many rolls were made.
    """

    def __init__(self, secret: bytes, seeds: tuple[str, str]) -> None:
        self.secret = secret
        self.seeds = seeds
        self.count = 0

    @property
    def commitment(self) -> str:
        """What is published of the secret before the game."""
        return make_commitment(self.secret)

    def roll(self) -> Roll:
        """Return the next roll."""
        self.count += 1
        return make_roll(self.secret, self.seeds, self.count)
