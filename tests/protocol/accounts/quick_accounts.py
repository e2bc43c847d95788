"""Accounts whose passwords are hashed in no time."""

from __future__ import annotations

import argon2

from protocol.accounts.accounts import Accounts
from protocol.accounts.passwords import Passwords

PASSWORD = "correct horse"
CHEAP = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def open_accounts(folder):
    """Open accounts in a folder."""
    return Accounts(folder / "accounts.sqlite", Passwords(CHEAP))
