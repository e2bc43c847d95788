"""The errors of gammond: one root, one subclass for each thing a caller can do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # For type checkers that cannot see the packages behind gammond, as with an installed wheel.
    class GammondError(Exception):
        """The root of all errors that gammond raises on purpose."""

        code: str
        message: str
        field: str | None

        def __init__(self, message: str, field: str | None = None) -> None: ...

    class FormatError(GammondError):
        """Text that is not in the format it should be in."""

    class ValueRangeError(GammondError):
        """A number or name that is outside what is allowed."""

    class PositionError(GammondError):
        """Checkers, or score and cube, that cannot come up in a game."""

    class PlayError(GammondError):
        """A play that the rules do not allow."""

    class StateError(GammondError):
        """A request that makes no sense at this point of the game."""

    class UnsupportedError(GammondError):
        """A request that is valid, but not supported."""

    class LimitError(GammondError):
        """A cap was reached: ask for less, or later."""

    class DataFileError(GammondError):
        """A net or database file that is missing or damaged."""

    class CancelledWork(GammondError):  # noqa: N818  (a stop that was asked for, no fault)
        """Work that was cancelled before it had an answer."""
else:
    from gammond.engine.errors import (
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


class ServerError(GammondError):
    """A server answered a request with an error.

    It is also of the class of which `gammond.Engine` raises errors for this fault, as its code has it: of one
    with the code ``bad_value`` no more is known than that it is a `FormatError`, a `PositionError`, a
    `PlayError` or a `ValueRangeError`, and it passes for each.

    Attributes:
        code: The wire's code of the error, such as ``bad_value`` (docs/reference/protocol.md lists them).
        field: The argument or setting that the error is about, if it is about one.
    """

    def __init__(self, code: str, message: str, field: str | None = None) -> None:
        super().__init__(message, field=field)
        self.code = code


class ServerFormatError(ServerError, FormatError):
    """A server was sent a line that is no command."""


class ServerValueError(ServerError, FormatError, PositionError, PlayError, ValueRangeError):
    """A server was sent text, a number, a position or a play that cannot be."""


class ServerStateError(ServerError, StateError):
    """A server was asked what makes no sense at this point."""


class ServerUnsupportedError(ServerError, UnsupportedError):
    """A server was asked for what it does not support."""


class ServerLimitError(ServerError, LimitError):
    """A server was asked for too much."""


class ServerDataFileError(ServerError, DataFileError):
    """A server lacks a file."""


class ServerCancelledWork(ServerError, CancelledWork):  # noqa: N818
    """A server was told to stop a command."""


_BY_CODE = {
    **dict.fromkeys(("bad_command", "unknown_command"), ServerFormatError),
    **dict.fromkeys(("bad_value", "bad_argument"), ServerValueError),
    **dict.fromkeys(("bad_state", "missing_context"), ServerStateError),
    **dict.fromkeys(("unsupported", "unsupported_feature"), ServerUnsupportedError),
    **dict.fromkeys(("limit", "busy", "search_in_progress"), ServerLimitError),
    "data_file": ServerDataFileError,
    "stopped": ServerCancelledWork,
}
"""The classes of a server's errors by their codes, those of UBGI 0.1 among them."""


def make_server_error(code: str, message: str, field: str | None) -> ServerError:
    """Return the error of an answer, of the class that its code means."""
    return _BY_CODE.get(code, ServerError)(code, message, field)


class ConnectionLost(GammondError):  # noqa: N818
    """The server ended, went away, or did not answer in time: start or connect again."""
