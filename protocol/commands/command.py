"""What a row of the command table is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from gammond.protocol.core.arguments import Argument, ArgumentParser
from gammond.protocol.core.requests import Answer
from gammond.protocol.core.words import DATA_WORDS
from gammond.protocol.state.readiness import Readiness
from gammond.protocol.state.session import Session

HelpGroup = Literal["play", "ask", "match", "rate", "look", "keep", "set up", "prefer"]
"""The groups of the terminal's help, in its order."""


Values = Mapping[str, Any]
"""The value of each argument of a command, by its name."""


@dataclass(frozen=True)
class Command:
    """One row of the command table.

    Attributes:
        name: The first word of the line.
        summary: One line for the reader.
        handler: Answers it, given the client it came from and its values. It changes the session only when
            nothing can fail any more.
        final_line: The final line of its answer, as documentation shows it.
        arguments: What it takes.
        data_lines: The lines that may come before the final one, as documentation shows them.
        example: Lines that show its use, itself last.
        standard: Where it comes from: ``UBGI 0.2``, ``UBGI 0.1`` or ``gammond``.
        help_group: Where the terminal's help lists it; None for a command that programs alone need.
        other_names: Further names at the terminal.
        sets_position: Whether it sets up a position, so that a game at the terminal is set aside.
        needs: The kernels that its handler calls, and not only its work; None for none.
    """

    name: str
    summary: str
    handler: Callable[[Session, Values], Answer]
    final_line: str
    arguments: tuple[Argument, ...] = ()
    data_lines: tuple[str, ...] = ()
    example: tuple[str, ...] = ()
    standard: str = "gammond"
    help_group: HelpGroup | None = None
    other_names: tuple[str, ...] = ()
    sets_position: bool = False
    needs: Readiness | None = None

    def __post_init__(self) -> None:
        """Check that clients can tell the final line from those before it."""
        data = {line.split()[0] for line in self.data_lines}
        finals = {line.split()[0] for line in self.final_line.split(" | ")}
        if data - DATA_WORDS or finals & DATA_WORDS:
            raise ValueError(f"{self.name}: all lines but the final one begin with words of DATA_WORDS")

    @cached_property
    def usage(self) -> str:
        """The whole line, as usage texts show it."""
        return " ".join([self.name, *(argument.usage for argument in self.arguments)])

    def answer(self, session: Session, rest: str) -> Answer:
        """Answer a request.

        Args:
            session: The client it came from.
            rest: What comes after the name.

        Raises:
            GammondError: The arguments are wrong, or it cannot be answered.
        """
        return self.handler(session, self.parser.parse(rest))

    @cached_property
    def parser(self) -> ArgumentParser:
        """Parses its arguments."""
        return ArgumentParser(self.arguments, self.usage)
