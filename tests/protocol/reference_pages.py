"""What a reference page of the protocol says of each command and field of a query."""

from __future__ import annotations

from collections.abc import Iterable


def check_commands(page: str, part: str, names: Iterable[str]) -> None:
    """Check that a page has a section for each command of a table, which the site fills, and for no other.

    Args:
        page: Its text.
        part: What `docs/hooks/page_parts.py` calls a row of the table.
        names: The commands.
    """
    sections = [section.split("\n", 3) for section in page.split("\n### ")]
    named = [lines[0] for lines in sections if len(lines) > 2 and lines[2].startswith(f"::: {part} ")]
    missing, unknown = sorted(set(names) - set(named)), sorted(set(named) - set(names))
    assert not missing, (
        f"write '### NAME', an empty line and '::: {part} NAME' under '{page.splitlines()[0]}' for {missing}"
    )
    assert not unknown
    assert len(named) == len(set(named))
    assert all(f"\n### {name}\n\n::: {part} {name}\n" in page for name in named)


def check_query_fields(page: str, names: Iterable[str]) -> None:
    """Check that a page has a row for each field of a query."""
    rows = [row.split(" | ")[0] for row in page.splitlines() if row.startswith("| `")]
    assert [name for name in names if not any(f"`{name}`" in row for row in rows)] == []
