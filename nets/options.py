"""Options as people write them, ``name=value,...``, for the fields of a msgspec struct.

Each field is a whole number, a number, a switch or one of some words, with its bounds and a line for the
reader in its `msgspec.Meta`:

    class HeuristicOptions(Struct, frozen=True):
        seed: Annotated[int, Meta(ge=0, le=9, description="of the choices")] = 0

Texts are never taken: clients of the server set options, and may not name files.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import msgspec
from msgspec import inspect

from engine.errors import FormatError, ValueRangeError

OptionValue = int | float | bool | str

CHOICES = "choices"
"""The key of ``Meta(extra=…)`` under which a field of type str has the words that it may be."""

_MAX_QUOTED = 40
_INTEGER = re.compile(r"[+-]?[0-9]{1,40}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,40}(?:\.[0-9]{1,40})?(?:[eE][+-]?[0-9]{1,3})?")
_BOOL_WORDS = {"true": True, "false": False}
_KIND_PHRASES = {"int": "a whole number ", "number": "a number ", "bool": "", "enum": "one of "}


@dataclass(frozen=True)
class OptionSpec:
    """One option.

    Attributes:
        name: What stands before the ``=``.
        kind: int, number, bool or enum.
        default: Its value when it is left out.
        meaning: One line for the reader.
        low: The least value of a number; -inf for none.
        high: The greatest; inf for none.
        is_open: Whether the ends themselves are not among the values, low first.
        choices: The words that an enum may be.
    """

    name: str
    kind: str
    default: OptionValue
    meaning: str
    low: float = -math.inf
    high: float = math.inf
    is_open: tuple[bool, bool] = (False, False)
    choices: tuple[str, ...] = ()

    @property
    def allowed_values(self) -> str:
        """What it may be, as lists show it: ``0..4``, ``above 0``, ``true|false``; empty for any number."""
        if self.kind == "bool":
            return "|".join(_BOOL_WORDS)
        if self.kind == "enum":
            return "|".join(self.choices)
        if math.isfinite(self.low) and math.isfinite(self.high) and not any(self.is_open):
            return f"{format_value(self.low)}..{format_value(self.high)}"
        low = f"above {format_value(self.low)}" if self.is_open[0] else f"{format_value(self.low)} or more"
        high = f"below {format_value(self.high)}" if self.is_open[1] else f"{format_value(self.high)} or less"
        ends = [text for text, end in ((low, self.low), (high, self.high)) if math.isfinite(end)]
        return ", ".join(ends)

    @property
    def default_text(self) -> str:
        """The default as it would be written."""
        return format_value(self.default)

    def parse(self, text: str) -> OptionValue:
        """Read a value.

        Raises:
            FormatError: It is of another kind.
            ValueRangeError: It is outside its bounds, or none of the words.
        """
        expected = f"{self.name} is {_KIND_PHRASES[self.kind]}{self.allowed_values}".rstrip()
        value = self._convert(text)
        if value is None:
            raise FormatError(f"{expected}, not {text[:_MAX_QUOTED]!r}", field=self.name)
        if isinstance(value, str):
            is_possible = value in self.choices
        else:
            above = value > self.low if self.is_open[0] else value >= self.low
            below = value < self.high if self.is_open[1] else value <= self.high
            is_possible = above and below
        if not is_possible:
            meant = did_you_mean(text, self.choices)
            raise ValueRangeError(f"{expected}, not {text[:_MAX_QUOTED]!r}{meant}", field=self.name)
        return value

    def _convert(self, text: str) -> OptionValue | None:
        """The value that a text means; None when it is of another kind."""
        if self.kind == "enum":
            return text
        if self.kind == "bool":
            return _BOOL_WORDS.get(text)
        if self.kind == "int":
            return int(text) if _INTEGER.fullmatch(text) else None
        value = float(text) if _NUMBER.fullmatch(text) else math.nan
        return value if math.isfinite(value) else None


@cache
def list_option_specs(options: type[msgspec.Struct]) -> tuple[OptionSpec, ...]:
    """List the options that a struct stands for, in its order.

    Args:
        options: Its fields have defaults and are of the types that the module names.

    Raises:
        TypeError: A field is of another type, or has no default.
    """
    described = inspect.type_info(options)
    assert isinstance(described, inspect.StructType)
    return tuple(_make_spec(field) for field in described.fields)


def parse_options(text: str, specs: Sequence[OptionSpec], owner: str) -> dict[str, OptionValue]:
    """Read options.

    Args:
        text: ``name=value,...``.
        specs: Those that there are.
        owner: Whose they are, for messages.

    Returns:
        The values of those that stand there, by name.

    Raises:
        FormatError: An option is unknown, stands twice, or has no value or one of another kind.
        ValueRangeError: A value is outside its bounds.
    """
    by_name = {parameter.name: parameter for parameter in specs}
    values: dict[str, OptionValue] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if name not in by_name:
            has = f"has the options {', '.join(by_name)}" if by_name else "takes no options"
            meant = did_you_mean(name, by_name)
            raise FormatError(f"{owner} {has}, not {name[:_MAX_QUOTED]!r}{meant}", field="player")
        if not (equals and value):
            raise FormatError(f"a value is missing after {name!r}, expected {name}=VALUE", field=name)
        if name in values:
            raise FormatError(f"{name!r} stands twice", field=name)
        values[name] = by_name[name].parse(value)
    return values


def format_value(value: OptionValue) -> str:
    """Write a value as people do."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a remark about the known word that is nearest to one that is not; empty where none is near."""
    close = difflib.get_close_matches(word[:_MAX_QUOTED].lower(), list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _make_spec(field: inspect.Field) -> OptionSpec:
    name, default, kind = field.encode_name, field.default, field.type
    meta = kind if isinstance(kind, inspect.Metadata) else None
    meaning = str(((meta and meta.extra_json_schema) or {}).get("description", ""))
    bare = meta.type if meta else kind
    if default is msgspec.NODEFAULT:
        raise TypeError(f"the option {name} has no default")
    match bare:
        case inspect.BoolType():
            return OptionSpec(name, "bool", default, meaning)
        case inspect.LiteralType(values=values) if all(isinstance(value, str) for value in values):
            return OptionSpec(name, "enum", default, meaning, choices=tuple(map(str, values)))
        case inspect.StrType() if meta and CHOICES in (meta.extra or {}):
            return OptionSpec(name, "enum", default, meaning, choices=tuple((meta.extra or {})[CHOICES]))
        case inspect.IntType() | inspect.FloatType():
            return _make_number_spec(OptionSpec(name, "", default, meaning), bare)
    raise TypeError(f"the option {name} is neither a number, a switch nor one of some words")


def _make_number_spec(spec: OptionSpec, bare: inspect.IntType | inspect.FloatType) -> OptionSpec:
    kind = "int" if isinstance(bare, inspect.IntType) else "number"
    low = next((end for end in (bare.gt, bare.ge) if end is not None), -math.inf)
    high = next((end for end in (bare.lt, bare.le) if end is not None), math.inf)
    is_open = bare.gt is not None, bare.lt is not None
    return OptionSpec(spec.name, kind, spec.default, spec.meaning, low, high, is_open)
