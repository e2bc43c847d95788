"""Variants of the game by the names that match files give them."""

from __future__ import annotations

from engine.rules.position import CHECKERS
from engine.rules.rules import STANDARD_RULES, VARIANTS, Rules, Variant
from engine.wording import escape_unprintable

_FILE_NAMES = {"nackgammon": "NackGammon"}
_MAX_SHOWN = 60


def find_variant(name: str) -> tuple[Rules | None, str]:
    """Find the rules of a variant.

    Args:
        name: As a file has it.

    Returns:
        The rules, and what is wrong with the name. An unknown variant is read as backgammon; the rules are
        None for one whose games cannot be read at all, since it has fewer checkers.
    """
    plain = name.strip().lower()
    if plain in VARIANTS and VARIANTS[plain].checkers == CHECKERS:
        return Rules(VARIANTS[plain]), ""
    issue = f"expected a Variation of {', '.join(VARIANTS)}, got {escape_unprintable(name[:_MAX_SHOWN])!r}: "
    if plain.startswith("hyper"):
        return None, f"{issue}its games are left out, since positions have 15 checkers a side"
    return STANDARD_RULES, f"{issue}read as backgammon"


def name_variant(variant: Variant) -> str:
    """Return what match files call a variant."""
    return _FILE_NAMES.get(variant.name, variant.name.capitalize())
