"""Commands in groups: each is imported only when it is asked for, and listing them imports none."""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gammond.tools.common.command_options import ToolCommand
from gammond.tools.common.tool_parser import ToolParser


class CommandGroup:
    """The sub-commands of a command such as ``gammond measure``.

    Args:
        commands: Sub-command -> the module that has its ``SUMMARY`` and ``COMMAND``, or the command itself.
        metavar: What stands for the sub-command in the help.
    """

    def __init__(self, commands: Mapping[str, str | ToolCommand[Any]], metavar: str = "COMMAND") -> None:
        self._commands = commands
        self._metavar = metavar

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add a sub-parser for each sub-command; the one chosen becomes ``args.subcommand``."""
        subparsers = parser.add_subparsers(metavar=self._metavar, required=True, parser_class=_LazyParser)
        for name, command in self._commands.items():
            subparsers.add_parser(
                name,
                command=command,
                help=read_summary(command) if isinstance(command, str) else command.summary,
                formatter_class=argparse.RawDescriptionHelpFormatter,
            )

    def main(self, args: argparse.Namespace) -> int:
        """Run the chosen sub-command and return its exit status."""
        return int(args.subcommand.main(args))


def find_command(module: str) -> ToolCommand[Any] | CommandGroup:
    """Import the command of a module, its ``COMMAND``."""
    command: ToolCommand[Any] | CommandGroup = importlib.import_module(module).COMMAND
    return command


class _LazyParser(ToolParser):
    """The parser of a sub-command, which imports it only when it is the one asked for."""

    def __init__(self, *, command: str | ToolCommand[Any], **options: Any) -> None:  # noqa: ANN401
        super().__init__(**options)
        self._command: str | ToolCommand[Any] | None = command

    def load(self) -> None:
        """Import the sub-command, for its description and arguments."""
        command, self._command = self._command, None
        if command is None:
            return
        found = find_command(command) if isinstance(command, str) else command
        if isinstance(command, str):
            module = importlib.import_module(command)
            self.description = format_description(module.SUMMARY, module.__doc__ or "")
        else:
            self.description = format_description(command.summary, f"\n\n{command.details}")
        found.add_arguments(self)
        self.set_defaults(subcommand=found)

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]  # noqa: ANN401
        """Parse, with the arguments of the sub-command."""
        self.load()
        return super().parse_known_args(args, namespace)


def load_commands(parser: argparse.ArgumentParser) -> None:
    """Import all sub-commands of a parser, and theirs, for their arguments."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                if isinstance(each, _LazyParser):
                    each.load()
                load_commands(each)


def format_description(summary: str, doc: str) -> str:
    """Format the head of a command's help.

    Args:
        summary: What the command does, in a phrase.
        doc: The docstring of its module, whose first paragraph the summary replaces.
    """
    _, _, details = doc.replace("`", "").rstrip().partition("\n\n")
    head = f"{summary[:1].upper()}{summary[1:].removesuffix('.')}."
    width = shutil.get_terminal_size().columns - 2
    paragraphs = [_fill_paragraph(text, width) for text in (head, *details.split("\n\n")) if text]
    return "\n\n".join(paragraphs)


def _fill_paragraph(text: str, width: int) -> str:
    """Wrap a paragraph to a width; one with indented lines, such as examples, stays as it is."""
    is_drawn = any(line.startswith(" ") for line in text.splitlines())
    return text if is_drawn else textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


def read_summary(module: str) -> str:
    """Read what a command does, its ``SUMMARY``, from its source without importing it.

    Args:
        module: Name of the module.

    Returns:
        A phrase in lower case without full stop; empty where the module has none.
    """
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    for node in ast.parse(Path(spec.origin).read_bytes()).body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id="SUMMARY")], value=value)
                | ast.AnnAssign(target=ast.Name(id="SUMMARY"), value=ast.expr() as value)
            ):
                return str(ast.literal_eval(value))
    return ""
