"""The configuration file of `gammond serve`: TOML with the options of the command by their long names.

There is no list of keys: they are the options of the command, its groups are the tables, and in a table
the first word of a name may be left out where it is that of the table (``[web] host`` is ``--web-host``).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from msgspec import Struct

from gammond.engine.errors import FormatError, GammondError, ValueRangeError
from gammond.engine.options import MAX_QUOTED_CHARS, did_you_mean, format_value
from gammond.tools.common.command_options import CommandOption, OptionGroup, list_options

COMMAND_LINE = "the command line"

_NO_KEYS = ("config", "check_config")
"""Options that a file cannot have."""

_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?")
_KEY = re.compile(r"\s*([A-Za-z0-9_.\"' -]+?)\s*=")

_TWICE = (
    "; a key is set twice, or is a table as well: where [web] is a table, its port goes into [listen] as web"
)
"""What follows TOML's own words for the mistake that is easily made here."""


@dataclass(frozen=True)
class ConfigurationKey:
    """A key of the file: an option of the command.

    Attributes:
        name: Its long name, without dashes.
        table: The table in which it may be.
        option: That one.
    """

    name: str
    table: str
    option: CommandOption

    def read(self, value: object, key: str) -> Any:  # noqa: ANN401  (what the command line would make of it)
        """Return a value as the command line would give it.

        Args:
            value: From the file.
            key: Names it in errors.

        Raises:
            FormatError: It has another type.
            ValueRangeError: It is out of range, or none of the choices.
        """
        if isinstance(value, dict) and self.option.table:
            return self._read_table(value, key)
        field = self.option.field
        assert field is not None, f"--{self.name} has a type that a file cannot have"
        if field.is_list:
            if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
                raise FormatError(f"expected an array of texts for {key}, got {_show(value)}", field=key)
            return tuple(value)
        if "PORT" in str(self.option.metavar) and type(value) is int:
            return str(value)
        return replace(field, name=key).check(value)

    def _read_table(self, values: Mapping[str, object], key: str) -> str:
        by_name = {field.name: field for field in self.option.table}
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
        values: Option -> its value, for those that were set.
        origins: Option -> where.
        faults: What is wrong with the file, a sentence each.
    """

    values: Mapping[str, Any]
    origins: Mapping[str, str]
    faults: tuple[str, ...]

    def explain(self, error: GammondError) -> str:
        """Return the message of an error about an option, with the place in the file that set it."""
        origin = self.origins.get(error.field or "", COMMAND_LINE)
        return error.message if origin == COMMAND_LINE else f"{origin}: {error.message}"


def list_keys(kind: type[Struct], table: str = "") -> list[ConfigurationKey]:
    """List the options of a command that a file may have, in the order of its help.

    Args:
        kind: The options.
        table: Of those that are in no group.
    """
    found = []
    for each in list_options(kind):
        if isinstance(each, OptionGroup):
            found += list_keys(each.options, each.title or table)
        elif each.name not in _NO_KEYS:
            found.append(ConfigurationKey(each.name.replace("_", "-"), table, each))
    return found


def configure(given: Mapping[str, Any], keys: Sequence[ConfigurationKey]) -> Configuration:
    """Add the options of the file of ``--config`` to those of the command line, which win.

    Args:
        given: What the command line sets.
        keys: The options there are.

    Raises:
        FormatError: The file cannot be read.
    """
    values = {name: value for name, value in given.items() if name not in _NO_KEYS}
    origins = dict.fromkeys(values, COMMAND_LINE)
    if given.get("config") is None:
        return Configuration(values, origins, ())
    reader = _Reader(given["config"], keys)
    for name, (value, origin) in reader.values.items():
        if name not in values:
            values[name], origins[name] = value, origin
    return Configuration(values, origins, tuple(reader.faults))


def format_configuration(configuration: Configuration, keys: Iterable[ConfigurationKey]) -> str:
    """Format the options that hold as a file that sets them, with where each comes from.

    Args:
        configuration: Has them.
        keys: The options there are.
    """
    lines, unset = [], []
    for key in keys:
        origin = configuration.origins.get(key.option.name)
        if origin is None:
            unset.append(key.name)
        else:
            lines.append(f"{key.name} = {_format_toml(configuration.values[key.option.name])}  # {origin}")
    if unset:
        lines.append(f"# by default: {', '.join(unset)}")
    return "\n".join(lines) + "\n"


class _Reader:
    """Reads a file: what it sets, and what is wrong with it."""

    def __init__(self, file: str, keys: Sequence[ConfigurationKey]) -> None:
        self._file = file
        self._keys = keys
        self._tables = sorted({each.table for each in keys} - {""})
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
            found = self._find(table, key)
            name = found.option.name
            if name in self.values:
                before = self.values[name][1].rpartition(", ")[2]
                raise FormatError(f"{path} sets --{found.name} again, after {before}", field=path)
            self.values[name] = found.read(value, path), self._name_place(path)
        except GammondError as error:
            self.faults.append(f"{self._name_place(error.field or path)}: {error.message}")

    def _find(self, table: str, key: str) -> ConfigurationKey:
        """Return the option of a key.

        Raises:
            FormatError: There is none, or in another table.
        """
        by_name = {each.name: each for each in self._keys}
        for name in (f"{table}-{key}", key):
            found = by_name.get(name)
            if found is not None and table in ("", found.table):
                return found
        path = f"{table}.{key}" if table else key
        if key in by_name:
            home = by_name[key].table
            where = f"in [{home}] or before the first table" if home else "before the first table"
            raise ValueRangeError(f"expected {key} {where}, got it in [{table}]", field=path)
        known = [*by_name, *(() if table else self._tables)]
        if table:
            short = [each.name.removeprefix(f"{table}-") for each in self._keys if each.table == table]
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
    if isinstance(value, tuple):
        return f"[{', '.join(map(_format_toml, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return "true" if value is True else "false" if value is False else repr(value)
