"""Arguments of commands: a front end to `gammond.engine.options.Field` for one line of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from gammond.engine.errors import FormatError, GammondError
from gammond.engine.options import MAX_QUOTED_CHARS, Bounds, Field, did_you_mean
from gammond.protocol.core.errors import CommandError

_WORD = re.compile(r"[^ \t]+")
TAG_PATTERN = re.compile(r"@[A-Za-z0-9_.:-]{1,64}")
"""The form of a tag, with its sign."""


@dataclass(frozen=True)
class Argument:
    """One argument of a command.

    Attributes:
        field: Its name, which is its key where it is named; its type, bounds, default and meaning.
        metavar: Its values, as usage texts show them.
        parse: Returns the value of its text; raises a GammondError whose field is the name.
        is_required: Whether it must be given.
        is_named: Whether it is written ``name=value``, anywhere in the line.
        takes_rest: Whether it is the whole rest of the line, up to named arguments.
        choices: The words it may be, or begin with, for completion.
        is_repeatable: Whether it may be given several times; its value is then a tuple.
    """

    field: Field
    metavar: str
    parse: Callable[[str], Any]
    is_required: bool = True
    is_named: bool = False
    takes_rest: bool = False
    choices: tuple[str, ...] = ()
    is_repeatable: bool = False

    @property
    def name(self) -> str:
        """Its name in errors and documentation."""
        return self.field.name

    @property
    def meaning(self) -> str:
        """One line of help."""
        return self.field.meaning

    @property
    def usage(self) -> str:
        """Its form in usage texts."""
        text = f"{self.name}={self.metavar}" if self.is_named else self.metavar
        if self.is_repeatable:
            text = f"{text} ..."
        return text if self.is_required else f"[{text}]"


@contextmanager
def error_field(name: str) -> Iterator[None]:
    """Give every error of the context the name of an argument as its field."""
    try:
        yield
    except GammondError as error:
        raise error.with_field(name) from error


def parse_tag(text: str) -> str:
    """Parse a tag with its ``@``.

    Raises:
        FormatError: The text is no tag.
    """
    if not TAG_PATTERN.fullmatch(text):
        raise FormatError(
            f"expected '@' and 1 to 64 letters, digits, '_', '.', ':' or '-', got "
            f"{text[:MAX_QUOTED_CHARS]!r}",
            field="tag",
        )
    return text


def field_argument(
    field: Field, *, is_required: bool = False, is_named: bool = False, metavar: str = ""
) -> Argument:
    """Return an argument that is a value of a field, whose values usage texts show unless a word is given."""
    words = ("true", "false") if field.type is bool else field.choices
    return Argument(field, metavar or field.allowed_values, field.parse, is_required, is_named, choices=words)


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
    """Return an argument that is a whole number."""
    field = Field(name, int, Bounds(low, high), default=default, meaning=meaning)
    return field_argument(field, is_required=is_required, is_named=is_named, metavar=metavar)


def choice_argument(
    name: str,
    choices: tuple[str, ...],
    meaning: str,
    *,
    default: str | None = None,
    is_required: bool = True,
    is_named: bool = False,
) -> Argument:
    """Return an argument that is one of some words."""
    field = Field(name, str, choices=choices, default=default, meaning=meaning)
    return field_argument(field, is_required=is_required, is_named=is_named)


def switch_argument(name: str, meaning: str) -> Argument:
    """Return an optional named argument that is true or false."""
    return field_argument(Field(name, bool, meaning=meaning), is_named=True)


def word_argument(
    name: str,
    metavar: str,
    meaning: str,
    *,
    is_required: bool = True,
    parse: Callable[[str], Any] = str,
    choices: tuple[str, ...] = (),
) -> Argument:
    """Return an argument that is one word, in a syntax of its own."""
    return Argument(Field(name, str, meaning=meaning), metavar, parse, is_required, choices=choices)


def named_argument(
    name: str, metavar: str, meaning: str, *, default: str | None = None, is_repeatable: bool = False
) -> Argument:
    """Return an optional named argument that is a text, or a tuple of them where it is repeatable."""
    field = Field(name, str, default=default, meaning=meaning)
    return Argument(field, metavar, str, is_required=False, is_named=True, is_repeatable=is_repeatable)


def rest_argument(
    name: str,
    metavar: str,
    meaning: str,
    *,
    is_required: bool = True,
    parse: Callable[[str], Any] = str,
    choices: tuple[str, ...] = (),
) -> Argument:
    """Return an argument that is the whole rest of the line."""
    word = word_argument(name, metavar, meaning, is_required=is_required, parse=parse, choices=choices)
    return replace(word, takes_rest=True)


class ArgumentParser:
    """Parses the arguments of a command.

    The value of a named argument that has blanks is written in double quotes; the rest of a line may be.

    Args:
        arguments: What the command takes, positional ones in order.
        usage: The command's usage, for messages.
    """

    def __init__(self, arguments: Sequence[Argument], usage: str) -> None:
        self._usage = usage
        self._defaults = {argument.name: argument.field.default for argument in arguments}
        self._named = {argument.name: argument for argument in arguments if argument.is_named}
        self._positional = [argument for argument in arguments if not argument.is_named]
        self._required = [argument.name for argument in arguments if argument.is_required]

    def parse(self, text: str) -> dict[str, Any]:
        """Parse everything after the command's name.

        Returns:
            A value for each argument.

        Raises:
            CommandError: An argument is missing, unknown, or given twice.
            GammondError: As the argument's `parse` raises.
        """
        given = self._parse_given(text) if text else {}
        missing = [name for name in self._required if name not in given]
        if missing:
            command = self._usage.split()[0]
            lack = f"but {missing[0]!r} is missing" if given else f"got nothing after {command!r}"
            raise CommandError(f"expected '{self._usage}', {lack}", field=missing[0])
        return {**self._defaults, **given}

    def _parse_given(self, text: str) -> dict[str, Any]:
        named, pending = self._named, self._positional.copy()
        given: dict[str, Any] = {}
        place = 0
        while word := _WORD.search(text, place):
            place = word.end()
            name, equals, value = word[0].partition("=")
            if equals and name in named:
                argument = named[name]
                if name in given and not argument.is_repeatable:
                    raise make_duplicate_error(name, name)
                if value.startswith('"'):
                    value, place = _take_quoted(text, word.start() + len(name) + 2, name)
            elif pending and not (equals and named and not pending[0].takes_rest):
                argument, value = _take_positional(pending, name), word[0]
                if argument.takes_rest:
                    place = self._find_rest_end(text, place)
                    value = _remove_quotes(text[word.start() : place].rstrip(" \t"))
            else:
                if equals and (hint := did_you_mean(name, named)):
                    raise CommandError(
                        f"unknown argument {name[:MAX_QUOTED_CHARS]!r}{hint}", field="arguments"
                    )
                raise CommandError(
                    f"expected '{self._usage}', got the extra argument {word[0][:MAX_QUOTED_CHARS]!r}",
                    field="arguments",
                )
            parsed = argument.parse(value)
            given[argument.name] = (*given.get(name, ()), parsed) if argument.is_repeatable else parsed
        return given

    def _find_rest_end(self, text: str, place: int) -> int:
        """Return where the rest of a line ends: before the next named argument, or with the line."""
        words = _WORD.finditer(text, place) if self._named else ()
        starts = (word.start() for word in words if "=" in word[0] and word[0].split("=")[0] in self._named)
        return next(starts, len(text))


def _take_quoted(text: str, start: int, name: str) -> tuple[str, int]:
    """Take the value that begins behind a quote; return it, and the place behind its closing quote."""
    end = text.find('"', start)
    if end < 0 or text[end + 1 : end + 2] not in ("", " ", "\t"):
        what = "a closing quote" if end < 0 else "a blank behind the closing quote"
        raise CommandError(
            f"expected {what} of {name}, got {text[start - 1 :][:MAX_QUOTED_CHARS]!r}", field=name
        )
    return text[start:end], end + 1


def _remove_quotes(text: str) -> str:
    """Remove the quotes around a text that is in quotes as a whole, as answers write plays."""
    inner = text[1:-1]
    return inner if len(text) > 1 and text == f'"{inner}"' and '"' not in inner else text


def _take_positional(pending: list[Argument], word: str) -> Argument:
    """Take the positional argument that a word belongs to; an optional one may give way to the rest."""
    first = pending.pop(0)
    if not first.is_required and pending and pending[0].takes_rest and word in pending[0].choices:
        return pending.pop(0)
    return first


def parse_pairs(words: Sequence[str], fields: Sequence[Field], *, error_field: str) -> dict[str, Any]:
    """Parse names, each followed by its value: ``plies 2`` or ``plies=2``.

    Args:
        words: The words.
        fields: The names there are, with their values.
        error_field: The field of errors in the names; errors in values have the name of the value.

    Returns:
        The values given, by name.

    Raises:
        CommandError: A name is unknown or given twice, or a value is missing.
        GammondError: As `Field.parse` raises.
    """
    by_name = {field.name: field for field in fields}
    parts = [part for word in words for part in word.split("=", 1)]
    values: dict[str, Any] = {}
    for name, text in zip(parts[::2], [*parts[1::2], None], strict=False):
        if name not in by_name:
            raise CommandError(
                f"expected {'|'.join(by_name)}, each followed by its value, got "
                f"{name[:MAX_QUOTED_CHARS]!r}{did_you_mean(name, by_name)}",
                field=error_field,
            )
        if name in values:
            raise make_duplicate_error(name, error_field)
        if text is None:
            raise CommandError(
                f"expected {by_name[name].expected} after {name!r}, got nothing", field=error_field
            )
        values[name] = by_name[name].parse(text)
    return values


def make_duplicate_error(name: str, field: str) -> CommandError:
    """Return the error for an argument that is given twice."""
    return CommandError(f"duplicate argument {name!r}", field=field)
