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
    from engine.errors import (  # noqa: F401
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

    Attributes:
        code: The wire's code of the error, such as ``bad_value`` (docs/reference/protocol.md lists them).
        field: The argument or setting that the error is about, if it is about one.
    """

    def __init__(self, code: str, message: str, field: str | None = None) -> None:
        super().__init__(message, field=field)
        self.code = code


class ConnectionLost(GammondError):  # noqa: N818
    """The server ended, went away, or did not answer in time: start or connect again."""
