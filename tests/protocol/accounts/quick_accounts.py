"""Accounts whose passwords are hashed in no time."""

from __future__ import annotations

from unittest import mock

import argon2

from gammond.protocol.accounts.accounts import Accounts
from gammond.protocol.accounts.passwords import Passwords

PASSWORD = "correct horse"
CHEAP = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def open_accounts(folder):
    """Open accounts in a folder."""
    return Accounts(folder / "accounts.sqlite", Passwords(CHEAP))


def hash_quickly():
    """Have what opens accounts meanwhile hash their passwords in no time."""
    return mock.patch.object(argon2, "PasswordHasher", return_value=CHEAP)
