"""Variants, rules and lengths by the names that match files give them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from engine.match_files.text_lines import quote_text
from engine.rules.rules import HYPERGAMMON, STANDARD_RULES, VARIANTS, Rules, Variant

_FILE_NAMES = {
    "nackgammon": "NackGammon",
    "hypergammon": "HyperGammon (3)",
    "hypergammon2": "HyperGammon (2)",
    "hypergammon1": "HyperGammon (1)",
}
_WITH_THREE_CHECKERS = f"{HYPERGAMMON.name}3"
_TRUE = frozenset(("on", "yes", "true", "1"))
_FALSE = frozenset(("off", "no", "false", "0", "none", ""))


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
    issue = f"expected a Variation of {', '.join(VARIANTS)}, got {quote_text(name)}: "
    if plain.startswith("hyper"):
        return None, f"{issue}its games are left out, since the number of checkers is unknown"
    return STANDARD_RULES, f"{issue}read as backgammon"


def read_flag(headers: Mapping[str, str], names: tuple[str, ...], default: bool, issues: list[str]) -> bool:
    """Read a header that says yes or no, such as ``Jacoby: On``.

    Args:
        headers: Of the match.
        names: The header's names; the first that is there counts.
        default: Where there is none, or where it says something else.
        issues: Gets what is wrong with it.
    """
    name = next((name for name in names if name in headers), None)
    if name is None:
        return default
    said = headers[name].strip().lower()
    if said not in _TRUE | _FALSE:
        read_as = "On" if default else "Off"
        issues.append(f"expected On or Off for {name}, got {quote_text(headers[name])}: read as {read_as}")
        return default
    return said in _TRUE


def read_length(headers: Mapping[str, str], name: str, issues: list[str]) -> int:
    """Read a header with the points of a match; 0, for money play, where there is none.

    Args:
        headers: Of the match.
        name: The header's name.
        issues: Gets what is wrong with it.
    """
    said = headers.get(name, "").strip()
    if said and not re.fullmatch("[0-9]{1,5}", said):
        issues.append(
            f"expected the points of the match for {name}, got {quote_text(said)}: read as money play"
        )
        return 0
    return int(said or 0)


def name_variant(variant: Variant) -> str:
    """Return what the header ``Variation`` of match files calls a variant."""
    return _FILE_NAMES.get(variant.name, variant.name.capitalize())


def name_in_sgf(variant: Variant) -> str:
    """Return what ``RU`` calls a variant: ``Nackgammon``, ``Hypergammon3``."""
    return (_WITH_THREE_CHECKERS if variant is HYPERGAMMON else variant.name).capitalize()
