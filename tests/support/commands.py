"""Commands run in this process."""

import io
import sys
import types

from gammond.tools import cli
from gammond.tools.common.command_group import find_command
from gammond.tools.common.tool_parser import ToolParser


def run_tool(module, *words) -> int:
    """Run the command of a module; return the exit status. Errors are raised, not printed."""
    parser, command = ToolParser(), find_command(module.__name__)
    command.add_arguments(parser)
    return command.main(parser.parse_args([str(word) for word in words]))


def make_runner(*command):
    """Return a function that runs a command with further words, and gives what it wrote.

    Args of the function: `capsys`, the words, and the exit status that is expected.
    """

    def run(capsys, *words, status=0):
        assert cli.main([*command, *map(str, words)]) == status
        return capsys.readouterr()

    return run


def type_in(monkeypatch, text):
    """Have a command read a text, or bytes, from standard input."""
    content = text if isinstance(text, bytes) else text.encode()
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(content)))
