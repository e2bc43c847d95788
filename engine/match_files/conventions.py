"""What match files of many programs have in common: lines, variants, rules in headers, words of the cube."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gammond.engine.match_files.model import USUAL_RULES, RecordedMatch
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

MAT_HEADERS = {
    "names over games": ("Player 1", "Player 2"),
    "ratings": ("Player 1 Elo", "Player 2 Elo"),
    "variant": ("Variation",),
    "crawford": ("Crawford",),
    "jacoby": ("Jacoby",),
    "beavers": ("Beaver", "Beavers"),
    "cube_limit": ("CubeLimit",),
}
"""The headers of ``.mat`` files for which the model has places of its own."""

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
_RATING = re.compile(r"\s*([0-9]{1,5}(?:\.[0-9]{1,6})?)")
_SWITCHES = ("crawford", "jacoby", "beavers", "money_beavers", "raccoons", "automatic_doubles", "cube")


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


def parse_number(text: str, digits: int = 6) -> int | None:
    """Return the number that a text is, of so many digits at most; None for others."""
    bare = text.strip()
    return int(bare) if re.fullmatch(f"[0-9]{{1,{digits}}}", bare) else None


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


def read_headers(
    format_name: str,
    headers: Mapping[str, str],
    words: Mapping[str, Sequence[str]],
    *,
    length: int | None = None,
) -> tuple[RecordedMatch, list[str]]:
    """Read what headers say of a match; the rules are the usual ones for what they do not say.

    Args:
        format_name: The name of the format.
        headers: All of the match.
        words: What the format calls them; of several words for a rule the first that is there counts. Rules
            have the names of `MatchRules`, beside ``cube``, which says whether there is one, and
            ``money_beavers``, which count for money only. Then there are ``length``, and ``names`` and
            ``ratings`` of both seats. Headers that are not named here are kept.
        length: Points of the match, 0 for money; None for those of a header.

    Returns:
        The match without games and without its variant, and what is wrong with the rules.
    """
    reader = _HeaderReader(headers, words)
    if length is None:
        length = reader.read_number("length", 5, 0, "the points of the match", "money play")
    switches: dict[str, Any] = {rule: reader.read_switch(rule) for rule in _SWITCHES}
    switches["beavers"] &= switches.pop("money_beavers") or length > 0
    has_cube = switches.pop("cube")
    limit = reader.read_number("cube_limit", 6, MAX_CUBE, "a number", "no limit")
    rules = replace(USUAL_RULES, **switches, cube_limit=limit if has_cube else 1)
    left, right = (headers.get(word, "") for word in words.get("names", ("", "")))
    ratings = (_RATING.match(headers.get(word, "")) for word in words.get("ratings", ("", "")))
    one, other = (float(found[1]) if found else None for found in ratings)
    read = {word for each in words.values() for word in each}
    kept = {word: said for word, said in headers.items() if word not in read}
    begun = RecordedMatch((left, right), length, rules, (), kept, (one, other), format=format_name)
    return begun, reader.faults


class _HeaderReader:
    """Reads single headers, and collects what is wrong with them."""

    def __init__(self, headers: Mapping[str, str], words: Mapping[str, Sequence[str]]) -> None:
        self.faults: list[str] = []
        self._headers = headers
        self._words = words

    def _find(self, what: str) -> tuple[str, str]:
        word = next((word for word in self._words.get(what, ()) if word in self._headers), "")
        return word, self._headers.get(word, "").strip()

    def read_switch(self, rule: str) -> bool:
        word, said = self._find(rule)
        usual = bool(getattr(USUAL_RULES, rule, True))
        answer = _ANSWERS.get(said.lower()) if word else usual
        if answer is None:
            got = f"{quote_text(said)}: read as {'On' if usual else 'Off'}"
            self.faults.append(f"expected On or Off for {word}, got {got}")
        return usual if answer is None else answer

    def read_number(self, what: str, digits: int, usual: int, expected: str, otherwise: str) -> int:
        word, said = self._find(what)
        number = parse_number(said, digits)
        if said and number is None:
            got = f"{quote_text(said)}: read as {otherwise}"
            self.faults.append(f"expected {expected} for {word}, got {got}")
        return usual if number is None else number
