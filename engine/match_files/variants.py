"""Variants of the game by the names that match files give them."""

from __future__ import annotations

import re

from engine.rules.rules import HYPERGAMMON, STANDARD_RULES, VARIANTS, Rules, Variant
from engine.wording import escape_unprintable

_FILE_NAMES = {
    "nackgammon": "NackGammon",
    "hypergammon": "HyperGammon (3)",
    "hypergammon2": "HyperGammon (2)",
    "hypergammon1": "HyperGammon (1)",
}
_WITH_THREE_CHECKERS = f"{HYPERGAMMON.name}3"
_MAX_SHOWN = 60


def find_variant(name: str) -> tuple[Rules | None, str]:
    """Find the rules of a variant.

    Args:
        name: As a file has it: ``NackGammon``, ``HyperGammon (2)``, ``Hypergammon2``.

    Returns:
        The rules, and what is wrong with the name. An unknown variant is read as backgammon; the rules are
        None for one whose games cannot be read at all, since it has fewer checkers.
    """
    plain = re.sub("[^a-z0-9]", "", name.lower()) or name
    if plain == _WITH_THREE_CHECKERS:
        plain = HYPERGAMMON.name
    if plain in VARIANTS:
        return Rules(VARIANTS[plain]), ""
    issue = f"expected a Variation of {', '.join(VARIANTS)}, got {escape_unprintable(name[:_MAX_SHOWN])!r}: "
    if plain.startswith("hyper"):
        return None, f"{issue}its games are left out, since the number of checkers is unknown"
    return STANDARD_RULES, f"{issue}read as backgammon"


def name_variant(variant: Variant) -> str:
    """Return what the header ``Variation`` of match files calls a variant."""
    return _FILE_NAMES.get(variant.name, variant.name.capitalize())


def name_in_sgf(variant: Variant) -> str:
    """Return what ``RU`` calls a variant: ``Nackgammon``, ``Hypergammon3``."""
    return (_WITH_THREE_CHECKERS if variant is HYPERGAMMON else variant.name).capitalize()
