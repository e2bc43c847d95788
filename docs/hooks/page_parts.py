"""Parts of pages that the site makes from the program's tables: a line ``::: PART NAME`` stands for each.

A hook of MkDocs. Lines of other plugins, whose parts are not among `PARTS`, stay as they are.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import partial

from gammond.protocol.commands.command import Command
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.games import FIRST_GAME, GAMES, OTHER_GAMES
from gammond.protocol.state.settings import ANY, Setting
from gammond.protocol.transports.tcp_limits import TcpLimits
from gammond.tools.common.command_group import read_summary
from gammond.tools.table import TOOL_GROUPS

LINE = re.compile(r"^::: ([a-z0-9-]+) (\S+)$", re.MULTILINE)

_CODE_OR_STROKE = re.compile(r"`[^`]*`|\|")
_LIMITS = {kind.__name__: kind for kind in (ClientLimits, TcpLimits)}


def on_page_markdown(markdown: str, **_: object) -> str:
    """Put in the parts of a page, as MkDocs asks its hooks to."""
    return LINE.sub(lambda line: PARTS[line[1]](line[2]) if line[1] in PARTS else line[0], markdown)


def make_table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown; a stroke in code needs no escape there."""
    heads = list(heads)
    cells = [
        heads,
        ["---"] * len(heads),
        *([_CODE_OR_STROKE.sub(_escape, cell) for cell in row] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def describe_command(game: str, name: str) -> str:
    """Return what a row of a game's table of commands says: use, arguments, the lines of the answer."""
    command: Command = GAMES[game].load_commands().commands[name]
    parts = [f"{_capitalise(command.summary)}. *{command.standard}*", f"```text\n{command.usage}\n```"]
    if command.arguments:
        rows = ((f"`{each.name}`", f"`{each.metavar}`", each.meaning) for each in command.arguments)
        parts.append(make_table(("argument", "values", "meaning"), rows))
    lines = (*command.data_lines, *command.final_line.split(" | "))
    answer = "\n".join(lines)
    parts.append(f"Lines of the answer:\n\n```text\n{answer}\n```")
    return "\n\n".join(parts)


def describe_settings(game: str) -> str:
    """Return a table of the settings of a game."""
    settings: Mapping[str, Setting] = GAMES[game].load_commands().settings
    return make_table(
        ("key", "type", "values", "default", "meaning"),
        (
            (
                f"`{each.name}`{' !' if each.is_unrated else ''}",
                each.kind,
                f"`{each.values}`" if each.values else "`true`, `false`",
                f"`{each.default}`" if each.default != ANY else "not fixed",
                each.meaning,
            )
            for each in settings.values()
        ),
    )


def describe_limits(name: str) -> str:
    """Return a table of caps: the attributes of a class with their defaults, from its docstring."""
    kind = _LIMITS[name]
    text = re.sub(r"\n {5,}", " ", (inspect.getdoc(kind) or "").partition("Attributes:\n")[2])
    meanings = dict(re.findall(r"^ +(\w+): (.*)$", text, re.MULTILINE))
    rows = [(each.name, f"{each.default:,.0f}") for each in fields(kind) if each.default is not False]
    return make_table(
        ("limit", "value", "meaning"), ((f"`{name}`", value, meanings[name]) for name, value in rows)
    )


def describe_tools(_: str) -> str:
    """Return tables of the commands of the shell, which have a page each."""
    parts = []
    for heading, tools in TOOL_GROUPS.items():
        summaries = ((name, read_summary(module)) for name, module in tools.items())
        rows = ((f"[`gammond {name}`](commands/{name}.md)", summary) for name, summary in summaries)
        parts += [f"## {heading}", make_table(("command", "what it does"), rows)]
    return "\n\n".join([*parts, "[Commands of the terminal](commands/terminal.md) have a page too."])


def _escape(found: re.Match[str]) -> str:
    return "\\|" if found[0] == "|" else found[0]


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]


PARTS: dict[str, Callable[[str], str]] = {
    "command": partial(describe_command, FIRST_GAME),
    **{f"{game}-command": partial(describe_command, game) for game in OTHER_GAMES},
    "settings": describe_settings,
    "limits": describe_limits,
    "tools": describe_tools,
}
"""What makes a part, given the word behind its name."""
