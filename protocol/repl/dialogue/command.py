"""A command of the terminal: its name, its arguments and what carries it out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args

from gammond.protocol.commands.command import Command, HelpGroup
from gammond.protocol.core.arguments import Argument, ArgumentParser

COMMON_TOPICS = {
    "all": "every command with its meaning",
    "wire": "the commands of the line protocol",
    "games": "other games",
}
"""Words for ``help`` in every game, with what it says then."""


@dataclass(frozen=True)
class ReplCommand:
    """One row of the REPL's command table.

    Attributes:
        name: The first word of the line.
        summary: One line for the reader.
        run: Carries it out on what the commands of a talk work on, with a `WorkControl` that stops and
            watches work, and the value of each argument by its name; returns the lines to show.
        arguments: Its arguments.
        short_usage: Its arguments in short, where all of them are too long for one line.
        help_group, other_names: As in `Command`.
    """

    name: str
    summary: str
    run: Callable[..., list[str]]
    arguments: tuple[Argument, ...] = ()
    short_usage: str = ""
    help_group: HelpGroup | None = None
    other_names: tuple[str, ...] = ()

    def parse(self, text: str) -> dict[str, Any]:
        """Parse everything after the name; named arguments may be written as in the shell, ``--plies 2``.

        ``2-ply`` is ``plies=2``.

        Raises:
            GammondError: As `ArgumentParser.parse` raises.
        """
        if any(each.name == "plies" and each.is_named for each in self.arguments):
            text = re.sub(r"(?<!\S)([0-9]+)-?ply(?!\S)", r"plies=\1", text, flags=re.IGNORECASE)
        names = {each.name.replace("_", "[-_]"): each.name for each in self.arguments if each.is_named}
        for pattern, name in names.items():
            text = re.sub(rf"(?<!\S)(?:--)?{pattern}[\s=]\s*(?=[^\s=]+(?!\S))", f"{name}=", text)
        return ArgumentParser(self.arguments, self.usage).parse(text)

    @property
    def usage(self) -> str:
        """The whole line, as ``help`` shows it."""
        arguments = (
            [self.short_usage] if self.short_usage else [argument.usage for argument in self.arguments]
        )
        return " ".join([self.name, *arguments])


def in_group(group: HelpGroup, *rows: ReplCommand) -> tuple[ReplCommand, ...]:
    """Return commands as those of one group of ``help``."""
    return tuple(replace(row, help_group=group) for row in rows)


def summarize_commands(own: Mapping[str, ReplCommand], wire: Mapping[str, Command]) -> dict[str, str]:
    """Return all commands with what they do, those of the terminal first.

    Args:
        own: The commands of the terminal, which come before those of the same name on the wire.
        wire: Those of the line protocol.
    """
    return {row.name: row.summary for row in _list_rows(own, wire)}


def list_aliases(own: Mapping[str, ReplCommand], wire: Mapping[str, Command]) -> dict[str, str]:
    """Return the command of each other name that one has, arguments as for `summarize_commands`."""
    found = {other: row.name for row in wire.values() for other in row.other_names}
    return found | {other: row.name for row in own.values() for other in row.other_names}


def format_overview(
    topics: Mapping[str, str], own: Mapping[str, ReplCommand], wire: Mapping[str, Command]
) -> list[str]:
    """Write what ``help`` shows of every game: the commands in groups, and how there is more help.

    Args:
        topics: Further words for ``help``, with what it says then.
        own: The commands of the terminal.
        wire: Those of the line protocol.
    """
    rows = _list_rows(own, wire)
    groups = {group: [row.name for row in rows if row.help_group == group] for group in get_args(HelpGroup)}
    listed = ", ".join(f"'help {name}': {meaning}" for name, meaning in topics.items())
    return [
        *(f"  {group:<8}{' '.join(names)}" for group, names in groups.items() if names),
        f"'help WORD' explains a command; {listed}.",
        "Tab completes, Ctrl-C cancels, Ctrl-D leaves.",
    ]


def explain_commands(name: str, own: Mapping[str, ReplCommand], wire: Mapping[str, Command]) -> list[str]:
    """Return what ``help`` says of ``all``, ``wire`` or a command of the terminal; nothing of other words.

    Args:
        name: The word.
        own: The commands of the terminal.
        wire: Those of the line protocol.
    """
    others = ", ".join(command for command in wire if command not in own)
    of_wire = [f"Commands of the line protocol ('help COMMAND' explains one): {others}."]
    if name == "all":
        return ["Commands of the terminal:", *map(_explain, own.values()), *of_wire]
    if name == "wire":
        return of_wire
    if name not in own:
        return []
    return [_explain(own[name]), *(f"  {_label(each)}: {each.meaning}" for each in own[name].arguments)]


def _list_rows(own: Mapping[str, ReplCommand], wire: Mapping[str, Command]) -> list[ReplCommand | Command]:
    rows: list[ReplCommand | Command] = [*own.values()]
    return rows + [row for name, row in wire.items() if name not in own]


def _label(argument: Argument) -> str:
    return f"{argument.name}={argument.metavar}" if argument.is_named else argument.metavar


def _explain(row: ReplCommand) -> str:
    return f"  {row.usage} : {row.summary}"
