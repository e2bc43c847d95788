"""Options: named values with a type, bounds or choices, a default and one line of help.

Every front end builds on `Field`: options of players, arguments and settings of the protocol, and settings of
training. It lists the fields of a msgspec struct, or makes its own; shows ``allowed_values``,
``default_text`` and ``meaning`` in its help; reads texts with `Field.parse` and values from JSON or TOML
with `Field.check`; and makes the struct with `convert`:

    class HeuristicOptions(Struct, frozen=True):
        seed: Annotated[int, Meta(ge=0, le=9, description="seed of the choices")] = 0

    fields = list_fields(HeuristicOptions)
    options = convert(parse_options("seed=3", fields, "heuristic"), HeuristicOptions)

Each error has one wording everywhere, ``expected X for NAME, got Y``, and names the field. It is a
`FormatError` where the type is wrong and a `ValueRangeError` where the value is outside bounds or choices.
"""

from __future__ import annotations

import difflib
import math
import re
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import inspect

from gammond.engine.errors import FormatError, GammondError, ValueRangeError

FORM = "form"
"""The key of ``Meta(extra=…)`` for `Field.form`."""

CHOICES = "choices"
"""The key of ``Meta(extra=…)`` for the choices of a field of type str, or a function that lists them."""

TrueKey = Annotated[bool, msgspec.Meta(extra_json_schema={"const": True})]
"""A key of an object that is there only where it is true."""

MAX_QUOTED_CHARS = 40
"""How much of the user's text a message repeats."""

_StructT = TypeVar("_StructT", bound=msgspec.Struct)
_convert_lock = threading.RLock()
_INTEGER = re.compile(r"[+-]?[0-9]{1,40}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,40}(?:\.[0-9]{1,40})?(?:[eE][+-]?[0-9]{1,3})?")
_SWITCH_WORDS = {"true": True, "false": False, "on": True, "off": False}
_KINDS = {int: "int", float: "number", bool: "bool", str: "string"}
_ErrorClass = type[FormatError] | type[ValueRangeError]
_NOUNS = {int: "whole number", float: "number", str: "text"}


@dataclass(frozen=True)
class Bounds:
    """The numbers between two ends.

    Attributes:
        low: The lower end; -inf for none.
        high: The upper end; inf for none.
        is_low_open: Whether the lower end itself is excluded.
        is_high_open: Whether the upper end itself is excluded.
        step: What the numbers are multiples of; 0 for any.
    """

    low: float = -math.inf
    high: float = math.inf
    is_low_open: bool = False
    is_high_open: bool = False
    step: int = 0

    def __contains__(self, value: float) -> bool:
        """Return whether a number lies within."""
        if self.step and value % self.step:
            return False
        is_above = value > self.low if self.is_low_open else value >= self.low
        return is_above and (value < self.high if self.is_high_open else value <= self.high)

    def __str__(self) -> str:
        """Format as ``0..4``, ``above 0, 5 or less`` or ``4 or more, even``; empty for all numbers."""
        step = "even" if self.step == 2 else f"a multiple of {self.step}" if self.step else ""
        return ", ".join(filter(None, (self._format_ends(), step)))

    def _format_ends(self) -> str:
        is_finite = math.isfinite(self.low) and math.isfinite(self.high)
        if is_finite and not (self.is_low_open or self.is_high_open):
            return f"{format_value(self.low)}..{format_value(self.high)}"
        low, high = format_value(self.low), format_value(self.high)
        ends = (
            (self.low, f"above {low}" if self.is_low_open else f"{low} or more"),
            (self.high, f"below {high}" if self.is_high_open else f"{high} or less"),
        )
        return ", ".join(text for end, text in ends if math.isfinite(end))


@dataclass(frozen=True)
class Field:
    """One option.

    Attributes:
        name: Its name, as users write it.
        type: int, float, bool or str; of each item, for a list.
        bounds: The numbers allowed.
        choices: The words allowed; empty for any text.
        form: How other words than the choices are written, which whoever takes them checks; empty for none.
        default: Its value when it is left out; None where it has none.
        meaning: One line of help, in lower case, without full stop.
        is_list: Whether its value is a tuple, written ``A,B,...``.
    """

    name: str
    type: type[int] | type[float] | type[bool] | type[str]
    bounds: Bounds = Bounds()
    choices: tuple[str, ...] = ()
    default: Any = None
    meaning: str = ""
    is_list: bool = False
    form: str = ""

    @property
    def kind(self) -> str:
        """The type in UBGI's words: int, number, bool, enum or string; list for a tuple."""
        return "list" if self.is_list else "enum" if self.choices and not self.form else _KINDS[self.type]

    @property
    def allowed_values(self) -> str:
        """The values allowed, for help: ``0..4``, ``above 0``, ``true|false``, ``hit|race``; or empty."""
        words = (*self.choices, self.form) if self.form else self.choices
        return "true|false" if self.type is bool else "|".join(words) or str(self.bounds)

    @property
    def default_text(self) -> str:
        """The default as users write it; empty where there is none."""
        return "" if self.default is None else format_value(self.default)

    @property
    def expected(self) -> str:
        """The values allowed, as errors name them: ``a whole number 0..4``, ``one of hit|race``."""
        if self.type is bool:
            return "true or false"
        if self.is_list:
            of = f"{'one of ' if self.choices else ''}{self.allowed_values}"
            return f"{_NOUNS[self.type]}s {of}".rstrip() + ", separated by commas"
        if self.choices:
            return f"one of {self.allowed_values}"
        return f"a {_NOUNS[self.type]} {self.bounds}".rstrip()

    def parse(self, text: str) -> Any:  # noqa: ANN401  (a value of the field's type)
        """Parse a value that a user wrote: ``3``, ``0.5``, ``true`` (or ``on``), a word, ``A,B,...``.

        Words of choices, and true and false, may be in upper or lower case.

        Raises:
            FormatError: The text is of another type.
            ValueRangeError: The value is outside the bounds or none of the choices.
        """
        parts = [part.strip() for part in text.split(",") if part.strip()] if self.is_list else [text]
        return self._accept([self._convert(part) for part in parts], text)

    def check(self, value: object) -> Any:  # noqa: ANN401  (a value of the field's type)
        """Check a value from JSON, TOML or code; a whole number becomes a float, a list a tuple if need be.

        Raises:
            FormatError: The value is of another type.
            ValueRangeError: The value is outside the bounds or none of the choices.
        """
        if not self.is_list:
            return self._accept([self._cast(value)], value)
        if not isinstance(value, list | tuple):
            raise self._make_error(FormatError, value)
        return self._accept([self._cast(item) for item in value], value)

    def _convert(self, text: str) -> Any:  # noqa: ANN401
        """Return the value of a text; None where it is of another type."""
        if self.type is str:
            is_known = not self.choices or text in self.choices
            return text if is_known else next((c for c in self.choices if c.lower() == text.lower()), text)
        if self.type is bool:
            return _SWITCH_WORDS.get(text.lower())
        if self.type is int:
            return int(text) if _INTEGER.fullmatch(text) else None
        value = float(text) if _NUMBER.fullmatch(text) else math.nan
        return value if math.isfinite(value) else None

    def _cast(self, value: object) -> Any:  # noqa: ANN401
        """Return a value in the field's type; None where it is of another one."""
        if self.type is float and isinstance(value, int | float) and not isinstance(value, bool):
            return float(value) if math.isfinite(value) else None
        is_right = isinstance(value, self.type) and (self.type is bool or not isinstance(value, bool))
        return value if is_right else None

    def _accept(self, values: list[Any], given: object) -> Any:  # noqa: ANN401
        """Return the value of the field if its items, None for one of another type, are allowed."""
        if None in values:
            raise self._make_error(FormatError, given)
        is_free = self.type is str and (bool(self.form) or not self.choices)
        for value in values:
            if not (is_free or value in (self.choices or self.bounds)):
                raise self._make_error(ValueRangeError, given, str(value))
        return tuple(values) if self.is_list else values[0]

    def _make_error(self, kind: _ErrorClass, given: object, word: str = "") -> GammondError:
        shown = given[:MAX_QUOTED_CHARS] if isinstance(given, str) else given
        text = repr(shown) if isinstance(shown, str) else repr(shown)[:MAX_QUOTED_CHARS]
        hint = did_you_mean(word, self.choices) if word else ""
        return kind(f"expected {self.expected} for {self.name}, got {text}{hint}", field=self.name)


def convert(value: object, struct: type[_StructT]) -> _StructT:
    """Convert a value into a struct, as `msgspec.convert`, from any thread.

    msgspec (0.22 and before) crashes when two threads convert to a type for the first time at once.

    Raises:
        msgspec.ValidationError: The value does not fit.
    """
    with _convert_lock:
        return msgspec.convert(value, struct)


@cache
def list_fields(struct: type[msgspec.Struct], *others: str) -> tuple[Field, ...]:
    """List the fields of a msgspec struct, in its order.

    They are numbers, bools, strings (`typing.Literal`, or with `CHOICES`, for some words alone) or
    ``tuple[..., ...]`` of these, or None; bounds and the line of help are in their `msgspec.Meta`.

    Args:
        struct: The struct.
        others: The names of fields of other types, which are left out.

    Raises:
        TypeError: A field is of another type.
    """
    described = inspect.type_info(struct)
    assert isinstance(described, inspect.StructType)
    return tuple(_make_field(field) for field in described.fields if field.name not in others)


def parse_fields(
    pairs: Iterable[tuple[str, str]], fields: Sequence[Field], owner: str, *, error_field: str = "options"
) -> dict[str, Any]:
    """Parse names with texts into the values of some fields, by name.

    Args:
        pairs: Names and texts.
        fields: The fields there are.
        owner: What has these fields, for messages: ``an evaluator``.
        error_field: The field of the error for an unknown name.

    Raises:
        FormatError: A name is unknown or given twice, or a value is missing or of another type.
        ValueRangeError: A value is outside its bounds or none of its choices.
    """
    by_name = {field.name: field for field in fields}
    values: dict[str, Any] = {}
    for name, text in pairs:
        if name not in by_name:
            wanted = f"an option of {owner} ({', '.join(by_name)})" if by_name else f"no option for {owner}"
            shown = f"{name[:MAX_QUOTED_CHARS]!r}{did_you_mean(name, by_name)}"
            raise FormatError(f"expected {wanted}, got {shown}", field=error_field)
        if name in values:
            raise FormatError(f"duplicate option {name!r}", field=name)
        if not text:
            raise FormatError(f"expected {by_name[name].expected} for {name}, got no value", field=name)
        values[name] = by_name[name].parse(text)
    return values


def parse_options(
    text: str, fields: Sequence[Field], owner: str, *, error_field: str = "options"
) -> dict[str, Any]:
    """Parse ``NAME=VALUE,...`` as `parse_fields` does, with the same errors."""
    pairs = (part.partition("=") for part in text.split(","))
    return parse_fields(((name, value) for name, _, value in pairs), fields, owner, error_field=error_field)


def format_value(value: object) -> str:
    """Format a value as users write it, a tuple as ``A,B,...``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return ",".join(map(format_value, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a remark that suggests the nearest known word; empty where none is near."""
    close = difflib.get_close_matches(word[:MAX_QUOTED_CHARS].lower(), list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def read_type(given: inspect.Type) -> tuple[inspect.Type, str, dict[str, Any]]:
    """Return a type without None and what describes it, the line of help, and what else is said of it."""
    if isinstance(given, inspect.UnionType) and given.includes_none and len(given.types) == 2:
        given = next(each for each in given.types if not isinstance(each, inspect.NoneType))
    if not isinstance(given, inspect.Metadata):
        return given, "", {}
    return given.type, str((given.extra_json_schema or {}).get("description", "")), given.extra or {}


def _make_field(described: inspect.Field) -> Field:
    bare, meaning, extra = read_type(described.type)
    default = None if described.default is msgspec.NODEFAULT else described.default
    choices, form = extra.get(CHOICES, ()), extra.get(FORM, "")
    choices = tuple(choices() if callable(choices) else choices)
    field = Field(described.encode_name, str, choices=choices, form=form, default=default, meaning=meaning)
    if isinstance(bare, inspect.VarTupleType):
        return replace(_set_type(field, bare.item_type), is_list=True)
    return _set_type(field, bare)


def _set_type(field: Field, bare: inspect.Type) -> Field:
    match bare:
        case inspect.BoolType():
            return replace(field, type=bool)
        case inspect.LiteralType(values=values) if all(isinstance(value, str) for value in values):
            return replace(field, choices=tuple(map(str, values)))
        case inspect.StrType():
            return field
        case inspect.IntType() | inspect.FloatType():
            low = next((end for end in (bare.gt, bare.ge) if end is not None), -math.inf)
            high = next((end for end in (bare.lt, bare.le) if end is not None), math.inf)
            step = int(bare.multiple_of or 0)
            bounds = Bounds(low, high, bare.gt is not None, bare.lt is not None, step)
            return replace(field, type=int if isinstance(bare, inspect.IntType) else float, bounds=bounds)
        case inspect.Metadata():
            return _set_type(field, bare.type)
    raise TypeError(f"the field {field.name} is neither a number, a bool nor a string, nor a tuple of these")
