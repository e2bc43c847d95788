"""Write what completes tools, options and files in a shell.

    gammond completion bash > ~/.local/share/bash-completion/completions/gammond
    gammond completion zsh > ~/.zfunc/_gammond   # fpath must have the folder
    gammond completion fish > ~/.config/fish/completions/gammond.fish

Start a new shell after it, and write it again after an update.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Annotated

import shtab
from msgspec import Struct

from gammond.tools.common.command_group import find_command, load_commands, read_summary
from gammond.tools.common.command_options import ToolCommand, argument, written_path
from gammond.tools.table import TOOLS

SUMMARY = "complete tools and options in bash, zsh or fish"

SHELLS = ("bash", "zsh", "fish")


class CompletionOptions(Struct, frozen=True, kw_only=True):
    """The shell."""

    shell: Annotated[str, argument("SHELL", f"the shell: {', '.join(SHELLS)}", choices=SHELLS)]


def run(options: CompletionOptions) -> int:
    """Run the tool."""
    sys.stdout.write(shtab.complete(build_parser(), options.shell) + "\n")
    return 0


def build_parser() -> argparse.ArgumentParser:
    """Return a parser of the whole command, all its tools imported; it is for completion alone."""
    parser = argparse.ArgumentParser(prog="gammond")
    parser.add_argument("--version", action="store_true", help="write the version")
    tools = parser.add_subparsers()
    for name, module in TOOLS.items():
        tool = tools.add_parser(name, help=read_summary(module))
        find_command(module).add_arguments(tool)
        load_commands(tool)
    tools.add_parser("help", help="explain a tool").add_argument("tool", choices=tuple(TOOLS))
    for each in _list_parsers(parser):
        for action in each._actions:
            if action.type in (Path, written_path) or "FILE" in str(action.metavar):
                is_folder = "FOLDER" in str(action.metavar) or action.dest in ("run", "folder", "set")
                action.complete = shtab.DIRECTORY if is_folder else shtab.FILE  # type: ignore[attr-defined]
    return parser


def _list_parsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """Return a parser and those of its sub-commands."""
    found = [parser]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                found += _list_parsers(each)
    return found


COMMAND = ToolCommand(CompletionOptions, run)
