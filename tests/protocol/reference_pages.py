"""What a reference page of the protocol says of each command, setting and field of a query."""

from __future__ import annotations

from collections.abc import Iterable

from gammond.protocol.commands.command import Command
from gammond.protocol.state.settings import Setting


def check_command(page: str, command: Command) -> None:
    """Check that a page has the section of a command, in the words of its table."""
    section = page.partition(f"\n### {command.name}\n")[2].partition("\n### ")[0].partition("\n## ")[0]
    wanted = [
        f"`{command.usage}` — {command.summary}. *{command.standard}*",
        f"- last line: `{command.final_line}`",
        *(f"- before the last line: `{line}`" for line in command.data_lines),
        *(f"| `{argument.name}` |" for argument in command.arguments),
        *(argument.meaning for argument in command.arguments),
    ]
    missing = [text for text in wanted if text not in section]
    assert not missing, f"section {command.name} lacks {missing}"


def check_setting(page: str, setting: Setting) -> None:
    """Check that a page has one row for a setting, in the words of its table."""
    (row,) = [line for line in page.splitlines() if line.startswith(f"| `{setting.name}`")]
    assert setting.meaning in row
    assert setting.values.replace("|", "\\|") in row
    assert (" ! |" in row) == setting.is_unrated


def check_query_fields(page: str, names: Iterable[str]) -> None:
    """Check that a page has a row for each field of a query."""
    section = page.partition("## JSON queries")[2]
    assert [name for name in names if f"| `{name}` |" not in section] == []
