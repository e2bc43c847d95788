"""Tables for people."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def format_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[int] = frozenset({0})
) -> str:
    """Format rows as lines of aligned columns, those of which the places are given to the left.

    A column that has nothing is left out.
    """
    lines = [head, *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(head))]
    return "".join(
        "  ".join(
            text.ljust(width) if place in left else text.rjust(width)
            for place, (text, width) in enumerate(zip(line, widths, strict=True))
            if width
        ).rstrip()
        + "\n"
        for line in lines
    )
