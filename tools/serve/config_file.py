"""The configuration file of `gammond serve`: TOML with the options of the command by their long names.

There is no list of keys: they are the options that the parser has, its groups are the tables, and in a table
the first word of a name may be left out where it is that of the table (``[web] host`` is ``--web-host``).
"""

from __future__ import annotations

import argparse
import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gammond.engine.errors import FormatError, GammondError, ValueRangeError
from gammond.engine.options import MAX_QUOTED_CHARS, Field, did_you_mean, format_value

COMMAND_LINE = "the command line"

_NO_KEYS = ("help", "config", "check-config")
"""Options that a file cannot have."""

_NO_TABLES = ("options", "positional arguments")
"""Groups that every parser has."""

_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?")
_KEY = re.compile(r"\s*([A-Za-z0-9_.\"' -]+?)\s*=")

_TWICE = (
    "; a key is set twice, or is a table as well: where [web] is a table, its port goes into [listen] as web"
)
"""What follows TOML's own words for the mistake that is easily made here."""


@dataclass(frozen=True)
class Option:
    """An option of the command, as a file has it.

    Attributes:
        name: Its long name, without dashes.
        table: The table in which it may be.
        action: The parser's.
    """

    name: str
    table: str
    action: argparse.Action

    @property
    def fields(self) -> tuple[Field, ...]:
        """What a table in place of ``NAME=VALUE,...`` may have; empty for most options."""
        return getattr(self.action, "fields", ())

    def read(self, value: object, key: str) -> Any:  # noqa: ANN401  (what the parser would make of it)
        """Return a value as the parser would.

        Args:
            value: From the file.
            key: Names it in errors.

        Raises:
            FormatError: It has another type.
            ValueRangeError: It is none of the choices.
        """
        action = self.action
        if isinstance(value, dict) and self.fields:
            return self._read_table(value, key)
        if isinstance(action, argparse._AppendAction):
            if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
                raise FormatError(f"expected an array of texts for {key}, got {_show(value)}", field=key)
            return value
        if "PORT" in str(action.metavar) and type(value) is int:
            return str(value)
        kind = bool if action.nargs == 0 else action.type or str
        assert kind in (bool, int, float, str), f"--{self.name} has a type that a file cannot have"
        return Field(key, kind, choices=tuple(action.choices or ())).check(value)

    def _read_table(self, values: Mapping[str, object], key: str) -> str:
        by_name = {field.name: field for field in self.fields}
        pairs = []
        for name, value in values.items():
            if name not in by_name:
                raise FormatError(
                    f"expected a key of [{key}] ({', '.join(by_name)}), got {_show(name)}"
                    f"{did_you_mean(name, by_name)}",
                    field=f"{key}.{name}",
                )
            try:
                pairs.append(f"{name}={format_value(by_name[name].check(value))}")
            except GammondError as error:
                raise error.with_field(f"{key}.{name}") from None
        return ",".join(pairs)


@dataclass(frozen=True)
class Configuration:
    """The options that hold.

    Attributes:
        args: All options.
        origins: Attribute of ``args`` -> where it was set, for those that were.
        faults: What is wrong with the file, a sentence each.
    """

    args: argparse.Namespace
    origins: Mapping[str, str]
    faults: tuple[str, ...]

    def explain(self, error: GammondError) -> str:
        """Return the message of an error about an option, with the place in the file that set it."""
        origin = self.origins.get(error.field or "", COMMAND_LINE)
        return error.message if origin == COMMAND_LINE else f"{origin}: {error.message}"


def list_options(parser: argparse.ArgumentParser) -> list[Option]:
    """List the options of a parser that a file may have, in the order of its help."""
    found = []
    for group in parser._action_groups:
        table = "" if group.title in _NO_TABLES else str(group.title)
        for action in group._group_actions:
            name = next((each[2:] for each in action.option_strings if each.startswith("--")), "")
            if name and name not in _NO_KEYS:
                found.append(Option(name, table, action))
    return found


def configure(args: argparse.Namespace, parser: argparse.ArgumentParser) -> Configuration:
    """Add the options of the file of ``--config`` to those of the command line, which win.

    Args:
        args: Parsed by the parser.
        parser: Has the options.

    Raises:
        FormatError: The file cannot be read.
    """
    options = list_options(parser)
    held = argparse.Namespace(**vars(args))
    given = {each.action.dest for each in options if getattr(args, each.action.dest) != each.action.default}
    origins = dict.fromkeys((each.action.dest for each in options if each.action.dest in given), COMMAND_LINE)
    if args.config is None:
        return Configuration(held, origins, ())
    reader = _Reader(args.config, options)
    for dest, (value, origin) in reader.values.items():
        if dest not in given:
            setattr(held, dest, value)
            origins[dest] = origin
    return Configuration(held, origins, tuple(reader.faults))


def format_configuration(configuration: Configuration, options: Iterable[Option]) -> str:
    """Format the options that hold as a file that sets them, with where each comes from.

    Args:
        configuration: Has them.
        options: Those there are.
    """
    lines, unset = [], []
    for option in options:
        origin = configuration.origins.get(option.action.dest)
        if origin is None:
            unset.append(option.name)
        else:
            value = getattr(configuration.args, option.action.dest)
            lines.append(f"{option.name} = {_format_toml(value)}  # {origin}")
    if unset:
        lines.append(f"# by default: {', '.join(unset)}")
    return "\n".join(lines) + "\n"


class _Reader:
    """Reads a file: what it sets, and what is wrong with it."""

    def __init__(self, file: str, options: list[Option]) -> None:
        self._file = file
        self._options = options
        self._tables = sorted({each.table for each in options} - {""})
        try:
            self._text = Path(file).read_text("utf-8")
            document = tomllib.loads(self._text)
        except OSError as error:
            raise FormatError(f"cannot read {file}: {(error.strerror or str(error)).lower()}") from error
        except (ValueError, RecursionError) as error:  # no TOML, or no UTF-8
            hint = _TWICE if "overwrite" in str(error) else ""
            raise FormatError(f"{file} is no TOML: {error}{hint}", field="config") from error
        self.values: dict[str, tuple[Any, str]] = {}
        self.faults: list[str] = []
        for key, value in document.items():
            if isinstance(value, dict) and key in self._tables:
                for inner, each in value.items():
                    self._take(key, inner, each)
            else:
                self._take("", key, value)

    def _take(self, table: str, key: str, value: object) -> None:
        """Take in a key with its value, or note what is wrong."""
        path = f"{table}.{key}" if table else key
        try:
            option = self._find(table, key)
            if option.action.dest in self.values:
                before = self.values[option.action.dest][1].rpartition(", ")[2]
                raise FormatError(f"{path} sets --{option.name} again, after {before}", field=path)
            self.values[option.action.dest] = option.read(value, path), self._name_place(path)
        except GammondError as error:
            self.faults.append(f"{self._name_place(error.field or path)}: {error.message}")

    def _find(self, table: str, key: str) -> Option:
        """Return the option of a key.

        Raises:
            FormatError: There is none, or in another table.
        """
        by_name = {each.name: each for each in self._options}
        for name in (f"{table}-{key}", key):
            option = by_name.get(name)
            if option is not None and table in ("", option.table):
                return option
        path = f"{table}.{key}" if table else key
        if key in by_name:
            home = by_name[key].table
            where = f"in [{home}] or before the first table" if home else "before the first table"
            raise ValueRangeError(f"expected {key} {where}, got it in [{table}]", field=path)
        known = [*by_name, *(() if table else self._tables)]
        if table:
            short = [each.name.removeprefix(f"{table}-") for each in self._options if each.table == table]
            raise FormatError(
                f"expected a key of [{table}] ({', '.join(short)}), got {_show(key)}"
                f"{did_you_mean(key, short) or did_you_mean(key, by_name)}",
                field=path,
            )
        raise FormatError(
            f"expected an option of 'gammond serve --help' or a table, got {_show(key)}"
            f"{did_you_mean(key, known)}",
            field=path,
        )

    def _name_place(self, path: str) -> str:
        """Return the file and, where it is found, the line of a key."""
        line = _find_line(self._text, path)
        return f"{self._file}, line {line}" if line else self._file


def _find_line(text: str, path: str) -> int:
    """Return the number of the line that sets a key; 0 where it is written in another way."""
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.fullmatch(line):
            table = f"{_bare(header[1])}."
            if table == f"{path}.":
                return number
        elif (found := _KEY.match(line)) and f"{table}{_bare(found[1])}" == path:
            return number
    return 0


def _bare(key: str) -> str:
    """Return a key without quotes, and without blanks at its dots."""
    return ".".join(part.strip().strip("\"'") for part in key.split("."))


def _show(value: object) -> str:
    return repr(value)[:MAX_QUOTED_CHARS]


def _format_toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_format_toml, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return "true" if value is True else "false" if value is False else repr(value)
