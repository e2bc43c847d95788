"""What match files of many programs have in common: lines, variants, rules in headers, words of the cube."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gammond.engine.match_files.model import USUAL_RULES, MatchRules
from gammond.engine.rules.match import MAX_CUBE
from gammond.engine.rules.rules import HYPERGAMMON, STANDARD_RULES, VARIANTS, Rules, Variant

NumberedLine = tuple[int, str]
"""The number of a line in its file, from 1, and its text."""

KEYWORDS = {
    **dict.fromkeys(("doubles", "redoubles", "beavers", "raccoons"), "doubles"),
    **dict.fromkeys(("double", "redouble", "beaver", "raccoon"), "doubles"),
    **dict.fromkeys(("takes", "accepts", "take", "accept"), "takes"),
    **dict.fromkeys(("drops", "passes", "rejects", "declines", "drop", "reject", "decline"), "drops"),
    **dict.fromkeys(("wins", "won"), "wins"),
    **dict.fromkeys(("losses", "loses", "lost", "forfeits"), "losses"),
    **dict.fromkeys(("resigns", "resigned"), "resigns"),
}
"""The words for what is done beside the plays, and what they mean."""

_MAX_QUOTED_LENGTH = 60
_BLANK_CHARACTERS = " \t\n\x00\x1a\x0c"
_FILE_NAMES = {
    "nackgammon": "NackGammon",
    "hypergammon": "HyperGammon (3)",
    "hypergammon2": "HyperGammon (2)",
    "hypergammon1": "HyperGammon (1)",
}
_WITH_THREE_CHECKERS = f"{HYPERGAMMON.name}3"
_ANSWERS = {
    **dict.fromkeys(("on", "yes", "true", "1"), True),
    **dict.fromkeys(("off", "no", "false", "0", "none", ""), False),
}
_NUMBER = re.compile("[0-9]{1,9}")


def iterate_lines(text: str, max_length: int) -> Iterator[NumberedLine]:
    """Yield the lines with content, each cut at a length, without blanks at their ends."""
    for number, line in enumerate(io.StringIO(text.removeprefix("\ufeff"), newline=None), 1):
        bare = line[:max_length].rstrip(_BLANK_CHARACTERS)
        if bare:
            yield number, bare


def quote_text(text: str) -> str:
    """Quote text for a message, shortened."""
    return repr(" ".join(text[: 4 * _MAX_QUOTED_LENGTH].split())[:_MAX_QUOTED_LENGTH])


def find_number(text: str) -> int | None:
    """Return the first number in a text; None if there is none."""
    found = _NUMBER.search(text)
    return int(found[0]) if found else None


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


def name_variant(variant: Variant) -> str:
    """Return what the header ``Variation`` of match files calls a variant."""
    return _FILE_NAMES.get(variant.name, variant.name.capitalize())


def name_in_sgf(variant: Variant) -> str:
    """Return what ``RU`` calls a variant: ``Nackgammon``, ``Hypergammon3``."""
    return (_WITH_THREE_CHECKERS if variant is HYPERGAMMON else variant.name).capitalize()


def read_rules(
    headers: Mapping[str, str], names: Mapping[str, Sequence[str]], issues: list[str], *, length: int = 0
) -> MatchRules:
    """Read the rules that headers state, such as ``Jacoby: On``; the usual ones for what they do not say.

    Args:
        headers: Of the match.
        names: What a format calls the rules, by the fields of `MatchRules`; of several names the first that
            is there counts. That of ``cube_limit`` says whether there is a cube.
        issues: Gets what is wrong with them.
        length: Points of a match in which beavers have their default; 0 for money, or where that is stated.
    """
    said: dict[str, Any] = {}
    for rule, words in names.items():
        word = next((word for word in words if word in headers), None)
        if word is None:
            continue
        said[rule] = _ANSWERS.get(headers[word].strip().lower())
        if said[rule] is None:
            said[rule] = bool(getattr(USUAL_RULES, rule))
            got = f"{quote_text(headers[word])}: read as {'On' if said[rule] else 'Off'}"
            issues.append(f"expected On or Off for {word}, got {got}")
    said["cube_limit"] = MAX_CUBE if said.get("cube_limit", True) else 1
    said["beavers"] = said.get("beavers", True) or length > 0
    return replace(USUAL_RULES, **said)


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
