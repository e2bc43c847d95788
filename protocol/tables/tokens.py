"""Secrets that let their holder sit at a table, or watch it."""

from __future__ import annotations

import hashlib
import hmac
import secrets

_TOKEN_BYTES = 24
_ID_BYTES = 9


def make_token() -> str:
    """Return a new secret of 192 bits, safe in the address of a page."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def make_table_id() -> str:
    """Return a new name of a table, which nobody can guess."""
    return secrets.token_urlsafe(_ID_BYTES)


def hash_token(token: str) -> str:
    """Return what is kept of a token. It is random and long, so that one round of SHA-256 protects it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def is_token(token: str, hashed: str | None) -> bool:
    """Return whether a token is the one of a hash, in a time that says nothing about either."""
    return hmac.compare_digest(hash_token(token), hashed or "")
