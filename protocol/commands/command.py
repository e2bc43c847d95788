"""What a row of the command table is, and what its handler is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from protocol.core.arguments import Argument, ArgumentParser
from protocol.core.requests import Answer
from protocol.state.session import Session


class CommandCall(msgspec.Struct, frozen=True):
    """A request that was read: what a handler works with.

    Attributes:
        session: The client it came from. A handler changes it only when nothing can fail any more, and then
            calls no kernel: for one that is not compiled yet, the request is given to it a second time.
        values: The value of each argument of the command.
        table: The command table.
    """

    session: Session
    values: Mapping[str, Any]
    table: Mapping[str, Command]


@dataclass(frozen=True)
class Command:
    """One row of the command table.

    Attributes:
        name: The first word of the line.
        summary: One line for the reader.
        handler: Answers it.
        final_line: The final line of its answer, as documentation shows it.
        arguments: What it takes.
        data_lines: The lines that may come before the final one, as documentation shows them.
        example: Lines that show its use, itself last.
        standard: Where it comes from: ``UBGI 0.2``, ``UBGI 0.1`` or ``gammond``.
    """

    name: str
    summary: str
    handler: Callable[[CommandCall], Answer]
    final_line: str
    arguments: tuple[Argument, ...] = ()
    data_lines: tuple[str, ...] = ()
    example: tuple[str, ...] = ()
    standard: str = "gammond"

    @cached_property
    def usage(self) -> str:
        """The whole line, as usage texts show it."""
        return " ".join([self.name, *(argument.usage for argument in self.arguments)])

    @cached_property
    def parser(self) -> ArgumentParser:
        """Parses its arguments."""
        return ArgumentParser(self.arguments, self.usage)
