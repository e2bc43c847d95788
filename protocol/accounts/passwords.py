"""Passwords and their hashes: argon2id by argon2-cffi."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from gammond.engine.errors import ValueRangeError, missing_package
from gammond.protocol.core.errors import BusyError

if TYPE_CHECKING:
    from argon2 import PasswordHasher

MIN_CHARS = 8
MAX_CHARS = 1024

MAX_HASHING = 2
"""Passwords that are hashed at a time: each takes 64 MiB of memory and some 50 ms of a core."""

_WAIT_S = 5.0

_Result = TypeVar("_Result")


class Passwords:
    """Makes hashes of passwords and compares them; safe to use from several threads.

    Args:
        hasher: Does it; argon2-cffi's with its own parameters if left out.

    Raises:
        UnsupportedError: argon2-cffi is not installed.
    """

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        try:
            import argon2
        except ImportError as error:
            raise missing_package("accounts need", "argon2-cffi", "web", "accounts") from error
        self._hasher = hasher or argon2.PasswordHasher()
        self._mismatches = (argon2.exceptions.VerifyMismatchError, argon2.exceptions.InvalidHashError)
        self._room = threading.BoundedSemaphore(MAX_HASHING)
        self._nobodys = self._hasher.hash("the password of nobody")

    def check(self, password: object) -> str:
        """Return a password that may be set.

        Raises:
            ValueRangeError: It is no text, too short or too long.
        """
        if not isinstance(password, str) or not MIN_CHARS <= len(password) <= MAX_CHARS:
            raise ValueRangeError(
                f"expected a password of {MIN_CHARS} to {MAX_CHARS} characters", field="password"
            )
        return password

    def hash(self, password: str) -> str:
        """Return the hash of a password.

        Raises:
            BusyError: Too many others are hashed.
        """
        return self._take_turn(lambda: self._hasher.hash(_normalise(password)))

    def matches(self, password: object, hashed: str | None) -> bool:
        """Return whether a password is the one of a hash; it takes as long if there is none.

        Raises:
            BusyError: Too many others are compared.
        """
        text = password if isinstance(password, str) and len(password) <= MAX_CHARS else ""
        is_same = self._take_turn(lambda: self._verify(hashed or self._nobodys, _normalise(text)))
        return is_same and hashed is not None

    def is_outdated(self, hashed: str) -> bool:
        """Return whether a hash was made with other parameters than those of today."""
        return self._hasher.check_needs_rehash(hashed)

    def _verify(self, hashed: str, password: bytes) -> bool:
        try:
            return self._hasher.verify(hashed, password)
        except self._mismatches:
            return False

    def _take_turn(self, work: Callable[[], _Result]) -> _Result:
        if not self._room.acquire(timeout=_WAIT_S):
            raise BusyError("too many log in at the moment: try again in a few seconds", field="password")
        try:
            return work()
        finally:
            self._room.release()


def _normalise(password: str) -> bytes:
    """Return the bytes of a password, the same ones however a keyboard composes its letters."""
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")
