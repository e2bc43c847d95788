"""Names of players: which are allowed, and which are the same."""

from __future__ import annotations

import unicodedata

from engine.errors import ValueRangeError
from engine.options import MAX_QUOTED_CHARS

MAX_NAME_CHARS = 40

NOBODY = frozenset(("", "anonymous", "guest", "opponent", "player", "player 1", "player 2", "you"))
"""Names that nobody gave himself, folded: their games are the first to be removed."""


def fold_name(name: str) -> str:
    """Return what two spellings of one name have in common: neither capitals, widths nor blanks count."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def check_name(name: object) -> str:
    """Return a name without blanks around it.

    Raises:
        ValueRangeError: It is empty, too long, or has something that does not print.
    """
    clean = " ".join(name.split()) if isinstance(name, str) else ""
    if not clean or len(clean) > MAX_NAME_CHARS or not clean.isprintable() or not fold_name(clean):
        raise ValueRangeError(
            f"expected a name of 1 to {MAX_NAME_CHARS} characters that print, "
            f"got {str(name)[:MAX_QUOTED_CHARS]!r}",
            field="name",
        )
    return clean


def is_nobody(name: str) -> bool:
    """Return whether a name is one that nobody gave himself."""
    return fold_name(name) in NOBODY
