"""Settings of a training stage: options of its command, and the ``run.toml`` kept beside its result.

A stage's settings are a frozen `msgspec.Struct` in which each field is annotated with its type, its limits
and its description (`msgspec.Meta`); the command line, the file and what is refused all come from there.
"""

from __future__ import annotations

import argparse
import json
import tomllib
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from engine.errors import DataFileError, ValueRangeError
from tools.files import write_atomically

_Settings = TypeVar("_Settings", bound=msgspec.Struct)

ORIGIN_TABLE = "origin"
"""The table of ``run.toml`` that tells what came before the run."""

_OPTION_NAMES = {"parent": "from"}
"""Options whose field would have a reserved word for a name."""

_BOOLEANS = {"true": True, "false": False}


def add_setting_options(parser: argparse.ArgumentParser, kind: type[msgspec.Struct]) -> None:
    """Add ``--config FILE`` and an option for each field; options not given stay None."""
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="settings as in run.toml; options given beside it win"
    )
    hints = typing.get_type_hints(kind, include_extras=True)
    for field in msgspec.structs.fields(kind):
        base, meta = _split_annotation(hints[field.name])
        listed = typing.get_origin(base) is tuple
        shown = _format_value(field.default)
        parser.add_argument(
            _option_name(field.name),
            dest=field.name,
            type=base if base in (int, float) else str,
            metavar="LIST" if listed else None,
            help=f"{meta.description}" if shown == "" else f"{meta.description} (default {shown})",
        )


def settings_from_args(args: argparse.Namespace, kind: type[_Settings]) -> _Settings:
    """Make the settings of a command: its options, then its ``--config`` file, then the defaults.

    Raises:
        DataFileError: The file is missing, no TOML, or has unknown fields.
        ValueRangeError: A value is of another kind or outside its limits.
    """
    values: dict[str, Any] = read_settings_file(args.config) if args.config is not None else {}
    values.pop(ORIGIN_TABLE, None)
    hints = typing.get_type_hints(kind, include_extras=True)
    for field in msgspec.structs.fields(kind):
        given = getattr(args, field.name)
        if given is None:
            continue
        base, _ = _split_annotation(hints[field.name])
        values[field.name] = _parse_value(field.name, base, given) if isinstance(given, str) else given
    return _convert(values, kind, "these options" if args.config is None else str(args.config))


def with_value(settings: _Settings, field: str, text: str) -> _Settings:
    """Change one setting to what a text says, as the text of an option is read.

    Raises:
        ValueRangeError: There is no such setting, or the value is of another kind or outside its limits.
    """
    kind = type(settings)
    hints = typing.get_type_hints(kind, include_extras=True)
    if field not in hints:
        raise ValueRangeError(f"a setting is one of {', '.join(hints)}, not {field[:40]!r}", field=field)
    base, _ = _split_annotation(hints[field])
    try:
        value = base(text) if base in (int, float) else _parse_value(field, base, text)
    except ValueError:
        value = text
    return _convert({**msgspec.structs.asdict(settings), field: value}, kind, "these options")


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
        ValueRangeError: A value is of another kind or outside its limits.
    """
    values = read_settings_file(file)
    values.pop(ORIGIN_TABLE, None)
    return _convert(values, kind, str(file))


def read_settings_file(file: Path) -> dict[str, Any]:
    """Read a ``run.toml`` as it stands.

    Raises:
        DataFileError: The file is missing or no TOML.
    """
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
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
    defaults = {field.name: field.default for field in msgspec.structs.fields(settings)}
    return format_options({name: getattr(settings, name) for name in defaults}, defaults)


def format_options(values: Mapping[str, object], defaults: Mapping[str, object]) -> str:
    """Format the options that set these values, defaults left out, each with a space before it."""
    return "".join(
        f" {_option_name(name)} {_format_value(value)}"
        for name, value in values.items()
        if name not in defaults or value != defaults[name]
    )


def _option_name(field: str) -> str:
    return "--" + _OPTION_NAMES.get(field, field).replace("_", "-")


def _format_value(value: object) -> object:
    """Write a value as an option takes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, tuple | list) else value


def _split_annotation(hint: Any) -> tuple[Any, msgspec.Meta]:  # noqa: ANN401
    """The plain type of an annotated one, and what it is annotated with."""
    base, meta = typing.get_args(hint)
    return base, meta


def _parse_value(name: str, base: Any, text: str) -> object:  # noqa: ANN401
    """Read ``a,b`` where a field is a tuple, ``true`` where it is a bool; any other text stays as it is."""
    if base is bool:
        return _BOOLEANS.get(text, text)
    if typing.get_origin(base) is not tuple:
        return text
    item = typing.get_args(base)[0]
    try:
        return [item(part.strip()) for part in text.split(",") if part.strip()]
    except ValueError:
        raise ValueRangeError(
            f"{_option_name(name)} takes {item.__name__} values with commas between, not {text[:40]!r}",
            field=name,
        ) from None


def _convert(values: dict[str, Any], kind: type[_Settings], source: str) -> _Settings:
    known = {field.name for field in msgspec.structs.fields(kind)}
    if unknown := sorted(values.keys() - known):
        raise DataFileError(f"{source} has unknown fields: {', '.join(unknown)}")
    for name, value in values.items():
        try:
            msgspec.convert({name: value}, kind)
        except msgspec.ValidationError as error:
            reason = str(error).partition(" - at")[0]
            raise ValueRangeError(f"{name} in {source}: {reason}, got {value!r}", field=name) from None
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise ValueRangeError(f"{source}: {error}") from None


def _to_toml(value: object) -> str:
    """Write a value; JSON's forms of numbers, texts and lists are TOML's too."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
