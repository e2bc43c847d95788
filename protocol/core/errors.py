"""The errors that only the protocol raises; every error class carries its code on the wire."""

from __future__ import annotations

from gammond.engine.errors import FormatError, GammondError, LimitError

INTERNAL_ERROR = GammondError.code
"""The code of a fault of the server itself."""


class CommandError(FormatError):
    """A line that is no command, or a command with the wrong arguments: see ``help``."""

    code = "bad_command"


class BusyError(LimitError):
    """More was asked than is served at a time: ask again later."""

    code = "busy"
