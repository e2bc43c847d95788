"""The exit codes of all commands; `docs/reference/exit-codes.md` has them in a table."""

from __future__ import annotations

from gammond.engine.errors import GammondError, LimitError, StateError

EXIT_OK = 0
"""All is done; a server was told to end."""

EXIT_FAULTS = 1
"""The command is done, and found faults: of its input, of what it checked, or differences."""

EXIT_PASSING = 1
"""Of `SERVICE_TOOLS`: it cannot start for a reason that may go away by itself."""

EXIT_USAGE = 2
"""An error: of the arguments, a file, or the state of this machine; one line says which."""

EXIT_INTERRUPTED = 130
"""Ctrl-C, SIGTERM or SIGHUP: tools stop on all alike, and keep what they have."""

EXIT_BROKEN_PIPE = 141
"""The reader of standard output is gone."""

SERVICE_TOOLS = ("serve", "prepare")
"""Tools that a supervisor runs: they need no standard output, and their exit code says what may go away."""


def find_error_code(error: GammondError, tool: str) -> int:
    """Return the exit code of an error of a tool."""
    is_passing = isinstance(error, (StateError, LimitError)) and tool in SERVICE_TOOLS
    return EXIT_PASSING if is_passing else EXIT_USAGE
