"""Names of players: which are the same, and which are nobody's."""

from __future__ import annotations

import unicodedata

NOBODY = frozenset(("", "anonymous", "guest", "opponent", "player", "player 1", "player 2", "you"))
"""Names that nobody gave himself, folded: their games are the first to be removed."""


def fold_name(name: str) -> str:
    """Return what two spellings of one name have in common: neither capitals, widths nor blanks count."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def is_nobody(name: str) -> bool:
    """Return whether a name is one that nobody gave himself."""
    return fold_name(name) in NOBODY
