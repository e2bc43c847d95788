"""Words of messages and reports: numbers of things, and what does not print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def format_count(number: int, thing: str, things: str = "") -> str:
    """Format a number of things in words: ``1 play``, ``2,000 plays``, ``0 plies``.

    Many things are ``thing`` with an s, and ``plies`` for ``ply``, if they are not given.
    """
    many = things or ("plies" if thing == "ply" else f"{thing}s")
    return f"{number:,} {thing if number == 1 else many}"


def shorten_names(names: Sequence[str], width: int) -> list[str]:
    """Return names that fit a column of a width of 5 or more.

    What is cut off shows, and two that begin alike still differ.
    """
    begun = [name if len(name) <= width else f"{name[: width - 3]}..." for name in names]
    head = (width - 3) // 2
    ends = [name if len(name) <= width else f"{name[:head]}...{name[head + 3 - width :]}" for name in names]
    alike, same = Counter(begun), Counter(names)
    return [
        end if alike[start] > same[name] else start
        for name, start, end in zip(names, begun, ends, strict=True)
    ]


def escape_unprintable(text: str) -> str:
    """Return text with everything that does not print escaped, so that it can never break a line."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
