"""Lines of match files that are text."""

from __future__ import annotations

import io
from collections.abc import Iterator

_MAX_QUOTED_LENGTH = 60
_BLANK_CHARACTERS = " \t\n\x00\x1a\x0c"

NumberedLine = tuple[int, str]
"""The number of a line in its file, from 1, and its text."""


def iterate_lines(text: str, max_length: int) -> Iterator[NumberedLine]:
    """Yield the lines with content, each cut at a length, without blanks at their ends."""
    for number, line in enumerate(io.StringIO(text.removeprefix("\ufeff"), newline=None), 1):
        bare = line[:max_length].rstrip(_BLANK_CHARACTERS)
        if bare:
            yield number, bare


def quote_text(text: str) -> str:
    """Quote text for a message, shortened."""
    return repr(" ".join(text[: 4 * _MAX_QUOTED_LENGTH].split())[:_MAX_QUOTED_LENGTH])
