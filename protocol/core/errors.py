"""Error codes on the wire: one for each kind of error, in UBGI's words where UBGI has one."""

from __future__ import annotations

from engine.errors import (
    CancelledWork,
    DataFileError,
    FormatError,
    GammondError,
    LimitError,
    PlayError,
    PositionError,
    StateError,
    UnsupportedError,
    ValueRangeError,
)


class CommandError(FormatError):
    """A line that is no command, or a command with the wrong arguments: see ``help``."""


class BusyError(LimitError):
    """More was asked than is served at a time: ask again later."""


ERROR_CODES: tuple[tuple[type[GammondError], str, str], ...] = (
    (CommandError, "bad_command", "no such command, or arguments that do not fit it"),
    (FormatError, "bad_value", "text that cannot be read"),
    (PositionError, "bad_value", "a position or match that cannot come up"),
    (PlayError, "bad_value", "a play that the rules do not allow here"),
    (ValueRangeError, "bad_value", "a value outside its range"),
    (StateError, "bad_state", "something else must be sent first"),
    (UnsupportedError, "unsupported", "understood, and not offered"),
    (BusyError, "busy", "too much at once: ask again later"),
    (LimitError, "limit", "a cap was reached: ask for less"),
    (CancelledWork, "stopped", "the request was stopped before it had an answer"),
    (DataFileError, "data_file", "a net or database file of the server is missing or damaged"),
)
"""Error class, code and meaning; the first class that fits counts."""

INTERNAL_ERROR = "internal"
"""The code of a fault of the server itself."""


def find_error_code(error: Exception) -> str:
    """Return the code on the wire for an error.

    Args:
        error: Anything that was raised while a request was served.

    Returns:
        One word.
    """
    for kind, code, _ in ERROR_CODES:
        if isinstance(error, kind):
            return code
    return INTERNAL_ERROR
