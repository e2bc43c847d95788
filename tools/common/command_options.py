"""Options of a command: a frozen struct whose fields are its arguments.

    class TournamentOptions(Struct, frozen=True, kw_only=True):
        players: Annotated[tuple[str, ...], argument("PLAYER", "two or more players", count="+")]
        games: Annotated[int, option("games of each pair; even", ge=4, multiple_of=2)] = 10_000
        plot: Annotated[Path, written_file("draw the table")] | None = None
        strength: StrengthOptions = StrengthOptions()

`add_options` declares them on a parser, with their help, and `read_options` makes the struct of what was
parsed. `games` is the option ``--games`` and `for_` is ``--for``; a bool that is false by default is one
switch, and one that is None by default two, ``--jacoby`` and ``--no-jacoby``. A field of a struct's type is a
group of options, which the help shows below the struct's ``TITLE`` if it has one. What several options must
agree on, a struct checks in ``__post_init__``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar, get_args, get_origin

import msgspec
from msgspec import Meta, inspect

from gammond.engine.errors import GammondError
from gammond.engine.options import CHOICES, FORM, Field, format_value, list_fields, read_type
from gammond.engine.runtime.machine import MAX_THREADS, count_usable_cores

_StructT = TypeVar("_StructT", bound=msgspec.Struct)
_Options = TypeVar("_Options", bound=msgspec.Struct)
Count = Literal["", "?", "*", "+"]
Choices = Sequence[str] | Callable[[], Sequence[str]]

_METAVAR, _SHOWN, _ONE_OF, _TABLE = "metavar", "shown", "one_of", "table"
_COUNT, _REPEATED, _PATH, _IS_ARGUMENT = "count", "repeated", "path", "is_argument"
_NAME, _IS_WORD = "name", "is_word"


HIDDEN = argparse.SUPPRESS
"""The meaning of an option that the help does not show."""


def spell_option(name: str) -> str:
    """Return the option of a field: ``--min-trials`` of `min_trials`, ``--for`` of `for_`."""
    return "--" + name.rstrip("_").replace("_", "-")


def written_path(text: str) -> Path:
    """Return a path that an option names to be written; argparse's type of each such option."""
    return Path(text)


def option(
    meaning: str,
    metavar: str | Sequence[str] | None = None,
    *,
    choices: Choices = (),
    form: str = "",
    shown: str | None = None,
    one_of: str = "",
    is_repeated: bool = False,
    count: Count = "",
    table: type[msgspec.Struct] | None = None,
    name: str = "",
    is_word: bool = False,
    **bounds: float,
) -> Meta:
    """Describe an option, for `Annotated`.

    Args:
        meaning: One line of help, in lower case, without full stop.
        metavar: What stands for its value in the help; one for each of a tuple's.
        choices: The words allowed, or a function that lists them.
        form: How other words than the choices are written, which the command checks.
        shown: Its default in words; by default its value. Empty where the meaning says it.
        one_of: The name of a group of options of which one can be given.
        is_repeated: Whether a tuple is given one by one, ``--play A --play B``; else ``A,B``.
        count: How many values a tuple takes behind one name, as argparse says it.
        table: The struct of a text ``NAME=VALUE,...``, which a configuration file may have as a table.
        name: Its name on the command line, as a field has it, where that is not the field's.
        is_word: Whether a bool is given as a word, ``--turn false``; else it is a switch.
        bounds: As for `msgspec.Meta`: ge, gt, le, lt, multiple_of.
    """
    extra = {
        _METAVAR: metavar,
        _SHOWN: shown,
        _ONE_OF: one_of,
        _REPEATED: is_repeated,
        _COUNT: count,
        _TABLE: table,
        _NAME: name,
        _IS_WORD: is_word,
        CHOICES: choices,
        FORM: form,
    }
    return Meta(description=meaning, extra=extra, **bounds)  # type: ignore[call-overload, no-any-return]


def argument(
    metavar: str, meaning: str, *, count: Count = "", choices: Choices = (), **bounds: float
) -> Meta:
    """Describe an argument without a name, for `Annotated`.

    Args:
        metavar: What stands for it in the help.
        meaning: As for `option`.
        count: How many values it takes, as argparse says it; empty for one.
        choices: As for `option`.
        bounds: As for `option`.
    """
    extra = {_METAVAR: metavar, _IS_ARGUMENT: True, _COUNT: count, CHOICES: choices, _SHOWN: ""}
    return Meta(description=meaning, extra=extra, **bounds)  # type: ignore[call-overload, no-any-return]


def written_file(meaning: str, metavar: str = "FILE", *, count: Count | None = None) -> Meta:
    """Describe an option, or with a count an argument, that names what the command writes."""
    return _describe_path(written_path, meaning, metavar, count)


def read_file(meaning: str, metavar: str = "FILE", *, count: Count | None = None) -> Meta:
    """Describe an option, or with a count an argument, that names what the command reads."""
    return _describe_path(Path, meaning, metavar, count)


def _describe_path(kind: Callable[[str], Path], meaning: str, metavar: str, count: Count | None) -> Meta:
    extra = {_METAVAR: metavar, _PATH: kind, _SHOWN: ""}
    return Meta(
        description=meaning, extra=extra if count is None else {**extra, _IS_ARGUMENT: True, _COUNT: count}
    )


def threads_option(meaning: str = "threads", *, shown: str | None = "one for each core") -> Meta:
    """Describe ``--threads``; `shown` is its default, `CORES`, in words."""
    return option(meaning, shown=shown, ge=1, le=MAX_THREADS)


def force_option(also: str = "", one_of: str = "") -> Meta:
    """Describe ``--force``, which lets a command overwrite; `also` is what else it does."""
    meaning = f"overwrite files that exist, though never those that are read{also and f'; {also}'}"
    return option(meaning, one_of=one_of)


Json = Annotated[bool, option("write one JSON object instead of text")]
"""``--json``."""

Force = Annotated[bool, force_option()]
"""``--force`` that does no more."""

Threads = Annotated[int, threads_option()]
"""``--threads`` that changes no result."""

CORES = msgspec.field(default_factory=count_usable_cores)
"""The default of ``--threads``."""


class Given(msgspec.Struct, Generic[_StructT], frozen=True):
    """A group of options of which a command asks what was given: ``settings: Given[FitSettings]``.

    Attributes:
        kind: Their struct.
        values: Those given, by name.
    """

    kind: type[_StructT]
    values: Mapping[str, Any]


@dataclass(frozen=True)
class ToolCommand(Generic[_Options]):
    """A command: its options, and what it does with them.

    Attributes:
        options: The struct of its options.
        run: Does it and returns the exit status.
        summary: What an action of a command does, in a phrase; a command of a module has its ``SUMMARY``.
        details: What the help says after that.
    """

    options: type[_Options]
    run: Callable[[_Options], int]
    summary: str = ""
    details: str = ""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        add_options(parser, self.options)

    def main(self, args: argparse.Namespace) -> int:
        """Run the command and return its exit status.

        Raises:
            GammondError: As `read_options` and the command.
        """
        return self.run(read_options(args, self.options))


@dataclass(frozen=True)
class CommandOption:
    """A field of a struct of options.

    Attributes:
        name: Of the field.
        type: Of its value, None left out.
        field: Checks it; None for paths and tuples of some length.
        default: Its default as the struct has it, `msgspec.NODEFAULT` where it must be given.
        meaning: One line of help.
        extra: What `option` and its like say of it.
    """

    name: str
    type: inspect.Type
    field: Field | None
    default: Any
    meaning: str
    extra: Mapping[str, Any]

    @property
    def is_argument(self) -> bool:
        """Whether it has no name on the command line."""
        return _IS_ARGUMENT in self.extra

    @property
    def metavar(self) -> Any:  # noqa: ANN401  (argparse's)
        """What stands for its value in the help."""
        return self.extra.get(_METAVAR)

    @property
    def table(self) -> tuple[Field, ...]:
        """What a table in place of ``NAME=VALUE,...`` may have; empty for most options."""
        found = self.extra.get(_TABLE)
        return () if found is None else list_fields(found)

    @property
    def spelling(self) -> str:
        """Its name in messages: ``--min-trials``, or what stands for an argument in the help."""
        name = self.extra.get(_NAME) or self.name
        return str(self.extra[_METAVAR]) if self.is_argument else spell_option(name)

    def list_choices(self) -> CommandOption:
        """Return it with the choices that its function lists at the moment, if it has one."""
        choices = self.extra.get(CHOICES)
        if self.field is None or not callable(choices):
            return self
        return replace(self, field=replace(self.field, choices=tuple(choices())))

    def add_to(self, parser: argparse._ActionsContainer) -> argparse.Action:
        """Declare it on a parser."""
        settings = {"default": None, "help": self._help, **self._make_settings()}
        if not self.is_argument:
            settings |= {"dest": self.name, "required": self.default is msgspec.NODEFAULT}
        action = parser.add_argument(self.name if self.is_argument else self.spelling, **settings)
        action.fields = self.table  # type: ignore[attr-defined]  # for who looks for options that name files
        return action

    def check(self, given: Any) -> Any:  # noqa: ANN401  (a value of the field's type)
        """Check what was given.

        Raises:
            FormatError: It is of another type.
            ValueRangeError: It is out of range, or none of the choices.
        """
        field = self.field
        if field is None or isinstance(given, bool):
            return tuple(given) if isinstance(given, list) else given
        try:
            return field.parse(given) if isinstance(given, str) else field.check(given)
        except GammondError as error:
            wrong, _, shown = error.message.partition(f" for {field.name}, ")
            raise type(error)(f"{self.spelling}: {wrong}, {shown}", field=self.name) from None

    @property
    def _help(self) -> str:
        shown = self.extra.get(_SHOWN)
        if shown is None:
            is_plain = self._is_switch or self.default in (None, "", (), msgspec.NODEFAULT)
            shown = "" if is_plain else format_value(self.default)
        return (self.meaning + (f" (default {shown})" if shown else "")).replace("%", "%%")

    @property
    def _is_switch(self) -> bool:
        return isinstance(self.type, inspect.BoolType) and not self.extra.get(_IS_WORD)

    def _make_settings(self) -> dict[str, Any]:
        """Return what else argparse wants to know."""
        metavar = self.extra.get(_METAVAR)
        settings: dict[str, Any] = {} if metavar is None else {"metavar": metavar}
        if count := self.extra.get(_COUNT):
            settings["nargs"] = count
        match self.type:
            case inspect.BoolType() if self._is_switch:
                return {"action": argparse.BooleanOptionalAction if self.default is None else "store_true"}
            case inspect.CustomType() | inspect.VarTupleType(item_type=inspect.CustomType()):
                settings["type"] = self.extra.get(_PATH, Path)
            case inspect.TupleType(item_types=items):
                settings |= {"nargs": len(items), "type": int}
                if metavar is not None:
                    settings["metavar"] = tuple(metavar)
            case inspect.VarTupleType() if self.extra.get(_REPEATED):
                settings["action"] = "append"
        if self.field is not None and self.field.type in (int, float) and not self.field.is_list:
            settings["type"] = self.field.type
        is_one_word = (
            "nargs" in settings or "action" in settings or not isinstance(self.type, inspect.VarTupleType)
        )
        if self.field is not None and self.field.choices and not self.field.form and is_one_word:
            settings["choices"] = self.field.choices
        if not is_one_word and metavar is None:
            settings["metavar"] = "LIST"
        return settings


class OptionGroup(NamedTuple):
    """A field of a struct of options that is a struct of options itself.

    Attributes:
        name: Of the field.
        options: Its struct, or `Given` of one.
    """

    name: str
    options: type[msgspec.Struct]

    @property
    def title(self) -> str | None:
        """What the help shows above them; None where they stand among the others."""
        return getattr(self.options, "TITLE", None)


def add_options(parser: argparse._ActionsContainer, kind: type[msgspec.Struct]) -> None:
    """Declare the options of a command on a parser, or on a group of its help."""
    exclusive: dict[str, argparse._ActionsContainer] = {}
    for each in list_options(kind):
        if isinstance(each, OptionGroup):
            about = getattr(each.options, "ABOUT", None)
            add_options(parser.add_argument_group(each.title, about) if each.title else parser, each.options)
            continue
        name = each.extra.get(_ONE_OF)
        if name and name not in exclusive:
            exclusive[name] = parser.add_mutually_exclusive_group()
        each.add_to(exclusive[name] if name else parser)


def read_options(args: argparse.Namespace, kind: type[_StructT]) -> _StructT:
    """Make the options of a command.

    Args:
        args: What a parser with `add_options` has parsed.
        kind: The struct of the options.

    Raises:
        GammondError: A value is out of range, or options contradict each other.
    """
    return make_options(collect_values(args, kind), kind)


def collect_values(args: argparse.Namespace, kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Collect what is given of options and of groups in them, by name.

    Args:
        args: As for `read_options`.
        kind: The struct of the options.

    Raises:
        FormatError: A value is of another type.
        ValueRangeError: A value is out of range.
    """
    values: dict[str, Any] = {}
    for each in list_options(kind):
        if isinstance(each, OptionGroup):
            values |= collect_values(args, each.options)
        elif (given := getattr(args, each.name)) is not None:
            values[each.name] = each.check(given)
    return values


def make_options(values: Mapping[str, Any], kind: type[_StructT]) -> _StructT:
    """Make the options of a command of values by name, those of groups in them too.

    Raises:
        GammondError: Options contradict each other.
    """
    if get_origin(kind) is Given:
        (settings,) = get_args(kind)
        return kind(
            settings, {name: value for name, value in values.items() if name in settings.__struct_fields__}
        )
    made: dict[str, Any] = {}
    for each in list_options(kind):
        if isinstance(each, OptionGroup):
            made[each.name] = make_options(values, each.options)
        elif each.name in values:
            made[each.name] = values[each.name]
    return kind(**made)


def list_given(options: msgspec.Struct) -> list[str]:
    """List the fields of options, and of groups in them, that differ from their defaults."""
    given = []
    for each in msgspec.structs.fields(options):
        value = getattr(options, each.name)
        if isinstance(value, msgspec.Struct):
            given += list_given(value)
        elif not each.required:
            has_factory = each.default_factory is not msgspec.NODEFAULT
            default = each.default_factory() if has_factory else each.default
            given += [each.name] if value != default else []
    return given


def list_options(kind: type[msgspec.Struct]) -> tuple[CommandOption | OptionGroup, ...]:
    """List the options of a struct and the groups in it, with the choices that there are at the moment."""
    found = _read_options(get_args(kind)[0] if get_origin(kind) is Given else kind)
    return tuple(each.list_choices() if isinstance(each, CommandOption) else each for each in found)


@cache
def _read_options(kind: type[msgspec.Struct]) -> tuple[CommandOption | OptionGroup, ...]:
    described = inspect.type_info(kind)
    assert isinstance(described, inspect.StructType)
    types = {each.name: read_type(each.type) for each in described.fields}
    others = [name for name, (bare, _, _) in types.items() if not _is_plain(bare)]
    fields = {field.name: field for field in list_fields(kind, *others)}
    found: list[CommandOption | OptionGroup] = []
    for each in described.fields:
        bare, meaning, extra = types[each.name]
        if isinstance(bare, inspect.StructType):
            found.append(OptionGroup(each.name, bare.cls))
            continue
        default = None if each.default_factory is not msgspec.NODEFAULT else each.default
        found.append(CommandOption(each.name, bare, fields.get(each.name), default, meaning, extra))
    return tuple(found)


def _is_plain(bare: inspect.Type) -> bool:
    """Return whether `gammond.engine.options.Field` knows a type."""
    item = bare.item_type if isinstance(bare, inspect.VarTupleType) else bare
    return not isinstance(item, inspect.CustomType | inspect.TupleType | inspect.StructType)
