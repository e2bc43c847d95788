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

from engine.errors import FormatError, StateError
from engine.rules.dice import Roll

SECRET_BYTES = 32
MAX_SEED_CHARS = 64

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
    """The dice of one secret.

    Args:
        secret: The secret.

    Attributes:
        secret: As given; published when the game is over.
        seeds: Those of seats 0 and 1; None until they are told.
        count: How many rolls were made.
    """

    def __init__(self, secret: bytes) -> None:
        self.secret = secret
        self.seeds: tuple[str, str] | None = None
        self.count = 0

    @property
    def commitment(self) -> str:
        """What is published of the secret before the game."""
        return make_commitment(self.secret)

    def roll(self) -> Roll:
        """Return the next roll.

        Raises:
            StateError: A seed is not told yet.
        """
        if self.seeds is None:
            raise StateError("the dice wait for the players' seeds, some seconds at most", field="seed")
        self.count += 1
        return make_roll(self.secret, self.seeds, self.count)
