"""Settings of a training stage: options of its command, and the ``run.toml`` kept beside its result.

A stage's settings are a frozen `msgspec.Struct` whose fields have a type, bounds and a description
(`msgspec.Meta`); `gammond.tools.common.command_options` makes options, checks and messages of these. A switch
among them is given as a word, ``--turn false``, as `is_word` of `gammond.tools.common.command_options.option`
says.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from gammond.engine.errors import DataFileError, GammondError, StateError, ValueRangeError
from gammond.engine.options import did_you_mean, list_fields
from gammond.tools.common.command_options import CommandOption, Given, list_options, read_file, spell_option
from gammond.tools.common.files import write_atomically

_Settings = TypeVar("_Settings", bound=msgspec.Struct)

ORIGIN_TABLE = "origin"
"""The table of ``run.toml`` with what came before the run."""


class SettingOptions(msgspec.Struct, Generic[_Settings], frozen=True, kw_only=True):
    """What a command says of settings: its options, then its ``--config`` file."""

    config: Annotated[Path, read_file("settings as in run.toml; options override them")] | None = None
    given: Given[_Settings]

    def make(self, begun: _Settings | None = None, lengths: Sequence[str] = ()) -> _Settings:
        """Make the settings: what the command says, then the defaults.

        Args:
            begun: The settings of what the command goes on with, in place of the defaults; it may become
                longer.
            lengths: The settings that say how long that is.

        Raises:
            DataFileError: The file is missing, no TOML, or has unknown fields.
            FormatError: A value of the file is of another type.
            ValueRangeError: A value of the file is outside its bounds or none of its choices.
            StateError: As `check_same_or_longer`.
        """
        kind = self.given.kind
        values = {} if self.config is None else _read_values(self.config, kind)
        values |= self.given.values
        if begun is None:
            return kind(**values)
        wanted = msgspec.structs.replace(begun, **values)
        check_same_or_longer(begun, wanted, lengths)
        return wanted


def check_same_or_longer(settings: _Settings, wanted: _Settings, lengths: Sequence[str] = ()) -> None:
    """Check that what goes on is asked for no other settings than it has, its length aside, which may grow.

    Args:
        settings: Of what is there.
        wanted: Those that it is to have.
        lengths: The settings that say how long it is.

    Raises:
        StateError: A setting differs, or it would become shorter.
    """
    for each in _list_settings(type(settings)):
        has, wants = getattr(settings, each.name), getattr(wanted, each.name)
        is_length = each.name in lengths
        if has == wants or (is_length and wants > has):
            continue
        instead = "ask for more, or leave" if is_length else "leave"
        raise StateError(
            f"what is there was begun with {each.spelling} {_format_value(has) or 'empty'}, not "
            f"{_format_value(wants)}: {instead} {each.spelling} out to go on with it, or begin another",
            field=each.name,
        )


def with_value(settings: _Settings, name: str, text: str) -> _Settings:
    """Change one setting to what a text says, as the text of an option is parsed.

    Raises:
        FormatError: The value is of another type.
        ValueRangeError: There is no such setting, or the value is outside its bounds or none of its choices.
    """
    fields = {field.name: field for field in list_fields(type(settings))}
    if name not in fields:
        known = did_you_mean(name, fields) or f", one of {', '.join(fields)}"
        raise ValueRangeError(f"expected a setting{known}, got {name[:40]!r}", field=name)
    return msgspec.structs.replace(settings, **{name: fields[name].parse(text)})


def write_settings(file: Path, settings: msgspec.Struct, origin: Mapping[str, object]) -> None:
    """Write ``run.toml``, whole or not at all: all settings, and what came before the run.

    Raises:
        DataFileError: It cannot be written.
    """
    lines = [f"{key} = {_to_toml(value)}" for key, value in msgspec.structs.asdict(settings).items()]
    lines += ["", f"[{ORIGIN_TABLE}]", *(f"{key} = {_to_toml(value)}" for key, value in origin.items()), ""]
    write_atomically(file, "\n".join(lines).encode())


def read_settings(file: Path, kind: type[_Settings]) -> _Settings:
    """Read the settings from a ``run.toml``.

    Raises:
        DataFileError: The file is missing, no TOML, or has unknown fields.
        FormatError: A value is of another type.
        ValueRangeError: A value is outside its bounds or none of its choices.
    """
    return kind(**_read_values(file, kind))


def read_settings_file(file: Path) -> dict[str, Any]:
    """Read a ``run.toml`` unchecked.

    Raises:
        DataFileError: The file is missing or no TOML.
    """
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataFileError(f"{file} is no configuration of a run: {error}") from error


def read_origin(file: Path) -> dict[str, Any]:
    """Read what came before a run, from its ``run.toml``.

    Raises:
        DataFileError: The file is missing, no TOML, or does not tell.
    """
    values = read_settings_file(file)
    if not isinstance(values.get(ORIGIN_TABLE), dict):
        raise DataFileError(f"{file} has no table [{ORIGIN_TABLE}]")
    origin: dict[str, Any] = values[ORIGIN_TABLE]
    return origin


def format_command_options(settings: msgspec.Struct) -> str:
    """Format the options of a command that has these settings, each with a space before it."""
    return "".join(
        f" {each.spelling} {_format_value(value)}"
        for each in _list_settings(type(settings))
        if (value := getattr(settings, each.name)) != each.default
    )


def format_options(values: Mapping[str, object], defaults: Mapping[str, object]) -> str:
    """Format the options that set these values, defaults left out, each with a space before it."""
    return "".join(
        f" {spell_option(name)} {_format_value(value)}"
        for name, value in values.items()
        if name not in defaults or value != defaults[name]
    )


def _list_settings(kind: type[msgspec.Struct]) -> list[CommandOption]:
    return [each for each in list_options(kind) if isinstance(each, CommandOption)]


def _format_value(value: object) -> object:
    """Write a value as an option takes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else value


def _read_values(file: Path, kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Read the values that a file gives for settings, each checked."""
    values = read_settings_file(file)
    values.pop(ORIGIN_TABLE, None)
    fields = {field.name: field for field in list_fields(kind)}
    if unknown := sorted(values.keys() - fields.keys()):
        raise DataFileError(f"{file} has unknown fields: {', '.join(unknown)}")
    try:
        return {name: fields[name].check(value) for name, value in values.items()}
    except GammondError as error:
        raise type(error)(f"{file}: {error.message}", field=error.field) from None


def _to_toml(value: object) -> str:
    """Write a value; JSON's forms of numbers, texts and lists are TOML's too."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
