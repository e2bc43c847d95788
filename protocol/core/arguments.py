"""Arguments of commands: what each may be, and how it is read."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from engine.errors import FormatError, GammondError, ValueRangeError
from protocol.core.errors import CommandError

_WORD = re.compile(r"[^ \t]+")
TAG_PATTERN = re.compile(r"@[A-Za-z0-9_.:-]{1,64}")
"""What a tag looks like, with its sign."""

_INTEGER = re.compile(r"[+-]?[0-9]{1,19}")
_DECIMAL = re.compile(r"[+-]?[0-9]{1,19}(?:\.[0-9]{1,19})?")
MAX_QUOTED_CHARS = 40
"""How much of the user's text a message repeats."""


@dataclass(frozen=True)
class Argument:
    """One argument of a command.

    Attributes:
        name: Its name in errors and documentation, and its key where it is named.
        metavar: What it may be, as usage texts show it.
        meaning: One line for the reader.
        parse: Turns its text into a value; raises a GammondError that names the argument.
        default: Its value when it is left out; only for arguments that are not required.
        is_required: Whether it must be there.
        is_named: Whether it is written ``name=value``, anywhere in the line.
        takes_rest: Whether it is the whole rest of the line.
        choices: The words it may be, or begin with, for completion.
    """

    name: str
    metavar: str
    meaning: str
    parse: Callable[[str], Any]
    default: Any = None
    is_required: bool = True
    is_named: bool = False
    takes_rest: bool = False
    choices: tuple[str, ...] = field(default=())

    @property
    def usage(self) -> str:
        """How usage texts show it."""
        text = f"{self.name}={self.metavar}" if self.is_named else self.metavar
        return text if self.is_required else f"[{text}]"


def parse_integer(name: str, text: str, low: int, high: int) -> int:
    """Read a whole number.

    Raises:
        ValueRangeError: It is none, or outside ``low..high``.
    """
    if not _INTEGER.fullmatch(text) or not low <= int(text) <= high:
        raise ValueRangeError(
            f"expected a whole number {low}..{high}, got {text[:MAX_QUOTED_CHARS]!r}", field=name
        )
    return int(text)


def parse_decimal(name: str, text: str, low: float, high: float) -> float:
    """Read a number written with digits and perhaps a decimal point.

    Raises:
        ValueRangeError: It is none, or outside ``low..high``.
    """
    if not _DECIMAL.fullmatch(text) or not low <= float(text) <= high:
        raise ValueRangeError(
            f"expected a number {low:g}..{high:g}, got {text[:MAX_QUOTED_CHARS]!r}", field=name
        )
    return float(text)


def parse_choice(name: str, text: str, choices: Sequence[str]) -> str:
    """Read one of some words.

    Raises:
        ValueRangeError: It is none of them.
    """
    if text not in choices:
        raise ValueRangeError(
            f"expected one of {'|'.join(choices)}, got {text[:MAX_QUOTED_CHARS]!r}", field=name
        )
    return text


def parse_switch(name: str, text: str) -> bool:
    """Read ``true`` or ``false`` (``on`` and ``off`` too).

    Raises:
        ValueRangeError: It is neither.
    """
    if text not in ("true", "false", "on", "off"):
        raise ValueRangeError(f"expected true or false, got {text[:MAX_QUOTED_CHARS]!r}", field=name)
    return text in ("true", "on")


def parse_tag(text: str) -> str:
    """Read a tag with its ``@``.

    Raises:
        FormatError: It is none.
    """
    if not TAG_PATTERN.fullmatch(text):
        raise FormatError(
            f"expected '@' and 1 to 64 letters, digits, '_', '.', ':' or '-', got "
            f"{text[:MAX_QUOTED_CHARS]!r}",
            field="tag",
        )
    return text


@contextmanager
def error_field(name: str) -> Iterator[None]:
    """Let every error of the context name an argument, in place of what the reader of its text names."""
    try:
        yield
    except GammondError as error:
        raise error.with_field(name) from error


def integer_argument(
    name: str,
    low: int,
    high: int,
    meaning: str,
    *,
    default: int | None = None,
    is_required: bool = False,
    is_named: bool = False,
    metavar: str = "",
) -> Argument:
    """Describe a whole number."""
    return Argument(
        name,
        metavar or f"{low}..{high}",
        meaning,
        lambda text: parse_integer(name, text, low, high),
        default,
        is_required,
        is_named,
    )


def decimal_argument(
    name: str, low: float, high: float, meaning: str, *, default: float | None = None, is_named: bool = False
) -> Argument:
    """Describe a number that may have decimals and may be left out."""
    return Argument(
        name,
        f"{low:g}..{high:g}",
        meaning,
        lambda text: parse_decimal(name, text, low, high),
        default,
        is_required=False,
        is_named=is_named,
    )


def choice_argument(
    name: str,
    choices: tuple[str, ...],
    meaning: str,
    *,
    default: str | None = None,
    is_required: bool = True,
    is_named: bool = False,
) -> Argument:
    """Describe one of some words."""
    return Argument(
        name,
        "|".join(choices),
        meaning,
        lambda text: parse_choice(name, text, choices),
        default,
        is_required,
        is_named,
        choices=choices,
    )


def switch_argument(
    name: str, meaning: str, *, default: bool | None = None, is_named: bool = True
) -> Argument:
    """Describe a yes or no that may be left out."""
    return Argument(
        name,
        "true|false",
        meaning,
        lambda text: parse_switch(name, text),
        default,
        is_required=False,
        is_named=is_named,
        choices=("true", "false"),
    )


def word_argument(
    name: str, metavar: str, meaning: str, *, is_required: bool = True, parse: Callable[[str], Any] = str
) -> Argument:
    """Describe one word of any kind."""
    return Argument(name, metavar, meaning, parse, None, is_required)


def rest_argument(
    name: str,
    metavar: str,
    meaning: str,
    *,
    is_required: bool = True,
    parse: Callable[[str], Any] = str,
    choices: tuple[str, ...] = (),
) -> Argument:
    """Describe the whole rest of the line."""
    return Argument(name, metavar, meaning, parse, None, is_required, takes_rest=True, choices=choices)


def suggest_nearest(name: str, names: Collection[str]) -> str:
    """Ask whether another name was meant: ``: did you mean 'trials'?``; empty when none is near."""
    close = difflib.get_close_matches(name, names, n=1)
    return f": did you mean {close[0]!r}?" if close else ""


def parse_arguments(arguments: Sequence[Argument], text: str, usage: str) -> dict[str, Any]:
    """Read the arguments of a command.

    Args:
        arguments: What the command takes, positional ones in order.
        text: Everything after the command's name.
        usage: The command's usage, for messages.

    Returns:
        A value for each argument.

    Raises:
        CommandError: An argument is missing, or there is one too many.
        GammondError: Whatever an argument's reader raises.
    """
    values = {argument.name: argument.default for argument in arguments}
    named = {argument.name: argument for argument in arguments if argument.is_named}
    waiting = [argument for argument in arguments if not argument.is_named]
    given: set[str] = set()
    place = 0
    while found := _WORD.search(text, place):
        place = found.end()
        name, equals, value = found[0].partition("=")
        if equals and name in named:
            argument = named[name]
            if name in given:
                raise CommandError(f"{name!r} stands there twice", field=name)
        elif waiting and not (equals and named and not waiting[0].takes_rest):
            argument, value = _take_positional(waiting, name), found[0]
            if argument.takes_rest:
                value, place = text[found.start() :].rstrip(" \t"), len(text)
        else:
            hint = suggest_nearest(name, named) if equals else ""
            if hint:
                raise CommandError(f"there is no {name[:MAX_QUOTED_CHARS]!r}{hint}", field="arguments")
            raise CommandError(
                f"expected '{usage}', got {found[0][:MAX_QUOTED_CHARS]!r} besides", field="arguments"
            )
        values[argument.name] = argument.parse(value)
        given.add(argument.name)
    first = next((each for each in arguments if each.is_required and each.name not in given), None)
    if first is not None:
        lack = f"but {first.name!r} is missing" if given else f"got nothing after {usage.split()[0]!r}"
        raise CommandError(f"expected '{usage}', {lack}", field=first.name)
    return values


def _take_positional(pending: list[Argument], word: str) -> Argument:
    """Take the positional argument that a word belongs to; one that may be left out gives way to the rest."""
    first = pending.pop(0)
    if not first.is_required and pending and pending[0].takes_rest and word in pending[0].choices:
        return pending.pop(0)
    return first
