"""Every error the program raises on purpose: one root, one subclass per thing a caller can do about it.

A message says what was expected, what came and where. ``field`` names the input field at fault, for replies
that give it on its own.
"""

from __future__ import annotations


class GammondError(Exception):
    """Root of all errors raised on purpose.

    Args:
        message: What was expected, what came, where.
        field: The name of the input field at fault, if there is one.
    """

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field

    @property
    def message(self) -> str:
        """The sentence for the user."""
        return str(self.args[0])


class FormatError(GammondError):
    """Text that cannot be read at all: correct the text."""


class PositionError(GammondError):
    """Well-formed input that describes an impossible position or match: correct the position."""


class PlayError(GammondError):
    """A play that the rules do not allow here: choose another one."""


class ValueRangeError(GammondError):
    """A setting or argument outside what it may be: give one of the values the message names."""


class StateError(GammondError):
    """A request that makes no sense yet: do first what the message names."""


class UnsupportedError(GammondError):
    """A request that is understood and not offered: do without it."""


class LimitError(GammondError):
    """A cap was reached: ask for less, or later."""


class DataFileError(GammondError):
    """A net or database file that is missing, truncated, altered or of another kind: make it again."""


class CancelledWork(GammondError):  # noqa: N818  (a stop that was asked for, no fault)
    """Long work that was told to stop before it had an answer: ask again if it is still wanted."""
