"""The base64 characters that GNU position and match IDs are written in."""

from __future__ import annotations

from engine.errors import FormatError

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def validate_base64(text: str, length: int, name: str, field: str) -> str:
    """Return a text of exactly so many base64 characters.

    Args:
        text: What to check.
        length: How many characters it must have.
        name: What an error calls the text, such as "a position ID".
        field: The input field an error names.

    Raises:
        FormatError: Another length, or a character outside the alphabet; the message says which and where.
    """
    if len(text) != length:
        raise FormatError(f"{name} has {length} characters, {text[:40]!r} has {len(text)}", field=field)
    for place, character in enumerate(text, start=1):
        if character not in ALPHABET:
            raise FormatError(
                f"{name} consists of A-Z a-z 0-9 + /, {text!r} has {character!r} as character {place}",
                field=field,
            )
    return text
