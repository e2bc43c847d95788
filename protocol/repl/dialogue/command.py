"""A command of the terminal: its name, its arguments and what carries it out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from protocol.core.arguments import Argument, ArgumentParser
from protocol.core.requests import WorkControl

ArgumentValues = Mapping[str, Any]

TableT = TypeVar("TableT")
"""What the commands of a talk work on."""


@dataclass(frozen=True)
class ReplCommand(Generic[TableT]):
    """One row of the REPL's command table.

    Attributes:
        name: The first word of the line.
        summary: One line for the reader.
        run: Carries it out, given the values of its arguments; returns the lines to show.
        arguments: Its arguments.
        short_usage: Its arguments in short, where all of them are too long for one line.
    """

    name: str
    summary: str
    run: Callable[[TableT, ArgumentValues, WorkControl], list[str]]
    arguments: tuple[Argument, ...] = ()
    short_usage: str = ""

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
