"""A command of the terminal: its name, its arguments and what carries it out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from gammond.protocol.commands.command import HelpGroup
from gammond.protocol.core.arguments import Argument, ArgumentParser


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

    def explain(self) -> list[str]:
        """Return what ``help`` says of it: the whole line, then each of its arguments."""
        lines = [f"  {self.usage} : {self.summary}"]
        for each in self.arguments:
            label = f"{each.name}={each.metavar}" if each.is_named else each.metavar
            lines.append(f"  {label}: {each.meaning}")
        return lines


def in_group(group: HelpGroup, *rows: ReplCommand) -> tuple[ReplCommand, ...]:
    """Return commands as those of one group of ``help``."""
    return tuple(replace(row, help_group=group) for row in rows)
