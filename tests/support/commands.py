"""Commands run in this process."""

from __future__ import annotations

from gammond.tools.common.command_group import find_command
from gammond.tools.common.tool_parser import ToolParser


def run_tool(module, *words) -> int:
    """Run the command of a module; return the exit status. Errors are raised, not printed."""
    parser, command = ToolParser(), find_command(module.__name__)
    command.add_arguments(parser)
    return command.main(parser.parse_args([str(word) for word in words]))
