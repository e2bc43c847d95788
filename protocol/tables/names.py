"""Names of persons: which can be read and told apart, which are the same, and which are nobody's."""

from __future__ import annotations

import unicodedata

from gammond.engine.errors import FormatError

MAX_NAME_CHARS = 40

NOBODY = frozenset(("", "anonymous", "friend", "guest", "opponent", "player", "player 1", "player 2", "you"))
"""Names that nobody gave himself, folded: their games are the first to be removed."""

_RESERVED = frozenset('":;[]{}\\')
"""Characters that a record in ``.mat`` form reserves."""

_UNSEEN = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F)),
    *((0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A)),
    *((0xE0000, 0xE0FFF), (0x2800, 0x2800), (0x13441, 0x13446), (0x16FE4, 0x16FE4), (0x1D159, 0x1D159)),
)
"""First and last code points that show nothing: Default_Ignorable_Code_Point of Unicode 16, then blanks."""

_SCRIPTS = frozenset(
    (
        *("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "GEORGIAN", "HEBREW", "ARABIC", "ETHIOPIC", "DEVANAGARI"),
        *("BENGALI", "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA"),
        *("THAI", "LAO", "TIBETAN", "MYANMAR", "KHMER", "HANGUL", "HIRAGANA", "KATAKANA", "BOPOMOFO", "CJK"),
    )
)
"""Recommended scripts (UAX 31, table 5), by the first words of the names of their letters."""

_WRITTEN_TOGETHER = tuple(
    frozenset(("LATIN", "CJK", *others)) for others in (("HIRAGANA", "KATAKANA"), ("BOPOMOFO",), ("HANGUL",))
)
"""Scripts that are one by UTS 39, section 5.1."""

_OTHER_WORDS = {"IDEOGRAPHIC": "CJK", "KATAKANA-HIRAGANA": "KATAKANA"}


def tidy_name(name: str) -> str:
    """Return a name without blanks around it, and with one between its words."""
    return " ".join(name.split())


def check_name(name: str, field: str = "name") -> str:
    """Return a person's name without blanks around it.

    Names that others would take for one another are kept apart: nothing in a name is unseen, and its letters
    are of one script.

    Raises:
        FormatError: It is empty, too long, or has characters that cannot be shown, written or told apart.
    """
    name = tidy_name(name)
    is_shown = name.isprintable() and not _RESERVED & set(name) and not any(map(_is_unseen, name))
    if not name or len(name) > MAX_NAME_CHARS or not is_shown:
        reserved = " ".join(sorted(_RESERVED))
        raise FormatError(
            f"expected a name of 1 to {MAX_NAME_CHARS} characters that can be seen, without {reserved}",
            field=field,
        )
    scripts = _find_scripts(name)
    if len(scripts) > 1 and not any(scripts <= each for each in _WRITTEN_TOGETHER):
        mixed = " and ".join(script.capitalize() for script in sorted(scripts))
        raise FormatError(f"expected a name in letters of one script, got {mixed}", field=field)
    if not scripts <= _SCRIPTS:
        raise FormatError("expected a name in letters of a script in common use", field=field)
    return name


def fold_name(name: str) -> str:
    """Return what two spellings of one name have in common: neither capitals, widths nor blanks count."""
    return tidy_name(unicodedata.normalize("NFKC", name).casefold())


def is_nobody(name: str) -> bool:
    """Return whether a name is one that nobody gave himself."""
    return fold_name(name) in NOBODY


def _is_unseen(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in _UNSEEN)


def _find_scripts(name: str) -> set[str]:
    """Return the scripts of the letters of a name; those of all scripts, such as an apostrophe, have none."""
    letters = (each for each in unicodedata.normalize("NFKC", name) if unicodedata.category(each)[0] == "L")
    words = {unicodedata.name(each, "UNKNOWN").split()[0] for each in letters}
    return {_OTHER_WORDS.get(word, word) for word in words - {"MODIFIER"}}
