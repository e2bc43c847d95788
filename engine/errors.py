"""Errors that the program raises on purpose: one root, one subclass for each thing a caller can do.

A message says what was expected, what came and where. ``field`` names the input field at fault, for replies
that give it on its own. Each class carries the words under which programs see it: there is no other table.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from copy import copy
from typing import Any, ClassVar, Literal, Self

Missing = Literal["", "position", "game", "dice", "answer"]
"""What a `StateError` waits for: a position, a game in progress, dice, the answer to an offer; or nothing."""


class GammondError(Exception):
    """Root of all errors raised on purpose.

    Args:
        message: What was expected, what came, where.
        field: The name of the input field at fault, if there is one.

    Attributes:
        code: The code of `error` replies, UBGI's word where it has one.
        row_code: The word before the message in error rows of `gammond batch`.
    """

    code: ClassVar[str] = "internal"
    row_code: ClassVar[str] = "error"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field

    @property
    def message(self) -> str:
        """The sentence for the user."""
        return str(self.args[0])

    def with_field(self, field: str) -> Self:
        """Return the same error for another input field."""
        other = copy(self)
        other.field = field
        return other

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[object, ...], dict[str, Any]]:
        """Allow copies, in other processes too, of subclasses that take other arguments than a message."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]

    def with_message(self, message: str) -> Self:
        """Return the same error with another message."""
        other = copy(self)
        other.args = (message,)
        return other


class FormatError(GammondError):
    """Text that cannot be parsed: correct the text."""

    code = "bad_value"
    row_code = "format"


class PositionError(GammondError):
    """Well-formed input for an impossible position or match: correct the position."""

    code = "bad_value"
    row_code = "position"


class PlayError(GammondError):
    """A play that the rules forbid here: choose another one."""

    code = "bad_value"


class ValueRangeError(GammondError):
    """A setting or argument out of range: give one of the values in the message."""

    code = "bad_value"
    row_code = "range"


class StateError(GammondError):
    """A request that makes no sense in the present state: do first what the message says.

    Args:
        problem: What is wrong.
        field: As for all errors.
        missing: What must come first, for callers that give advice in their own words.
        advice: What to send first; the message is ``PROBLEM: ADVICE``.
    """

    code = "bad_state"

    def __init__(
        self, problem: str, *, field: str | None = None, missing: Missing = "", advice: str = ""
    ) -> None:
        super().__init__(f"{problem}: {advice}" if advice else problem, field=field)
        self.problem = problem
        self.missing = missing
        self.advice = advice


class UnsupportedError(GammondError):
    """A request that is understood but not supported: do without it."""

    code = "unsupported"
    row_code = "unsupported"


def missing_package(what: str, package: str, extra: str, field: str | None = None) -> UnsupportedError:
    """Return the error for a feature (``pictures need``) whose package, of an extra, is not installed."""
    return UnsupportedError(
        f"{what} the package {package}: pip install '.[{extra}]' in the checkout, or where gammond was "
        f"installed as a wheel pip install 'gammond[{extra}]'",
        field=field,
    )


class LimitError(GammondError):
    """A limit was reached: ask for less, or later."""

    code = "limit"
    row_code = "limit"


class DataFileError(GammondError):
    """A net or database file is missing, truncated, altered or of another kind: make it again.

    Its ``public_message`` is the same without the file's place, for clients of a server; the message if None.
    """

    code = "data_file"

    def __init__(self, message: str, *, field: str | None = None, public_message: str | None = None) -> None:
        super().__init__(message, field=field)
        self.public_message = public_message


class CancelledWork(GammondError):  # noqa: N818  (a stop that was asked for, no fault)
    """Long work that was stopped before it had an answer: ask again if it is still wanted."""

    code = "stopped"


def forget_frames(error: Exception) -> None:
    """Let go of the frames that an error came through, and of the errors before it.

    They hold what the request was made of, half a megabyte at worst, and all that was made for it. A frame
    that refers to the error in turn would keep all of it until the next search for garbage, which then takes
    long.
    """
    error.__traceback__ = error.__cause__ = error.__context__ = None


def list_error_codes() -> list[str]:
    """Return the codes of all error classes, sorted."""
    classes, codes = [GammondError], {GammondError.code}
    while classes:
        subclasses = classes.pop().__subclasses__()
        codes |= {subclass.code for subclass in subclasses}
        classes += subclasses
    return sorted(codes)
