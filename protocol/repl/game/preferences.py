"""Preferences of the terminal, in a file that ``gammond config`` and ``config`` at the prompt write."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Annotated, Any

import msgspec
import platformdirs
from msgspec import Meta, Struct

from gammond.engine.analysis.levels import DEFAULT_LEVEL, LEVELS
from gammond.engine.errors import DataFileError, FormatError, GammondError
from gammond.engine.match_analysis.decision_errors import XG_ERROR_POINTS
from gammond.engine.options import CHOICES, Field, did_you_mean, format_value, list_fields
from gammond.engine.runtime.files import open_output
from gammond.engine.runtime.version import NAME
from gammond.protocol.state.player_registry import ENGINE_PLAYER

THEMES: dict[str, dict[str, str]] = {
    "terminal": {
        "own": "bold ansibrightgreen",
        "other": "bold ansibrightred",
        "dice": "bold ansiyellow",
        "frame": "ansibrightblack",
        "failure": "ansired",
        "error": "ansiyellow",
        "blunder": "bold ansired",
        "command": "bold ansicyan",
        "play": "ansigreen",
        "unknown": "ansibrightblack",
    },
    "dark": {
        "own": "bold #e8d8a0",
        "other": "bold #e07a5f",
        "dice": "bold #f2cc8f",
        "frame": "#7d8597",
        "failure": "#ff6b6b",
        "error": "#ff9f5a",
        "blunder": "bold #ff6b6b",
        "command": "bold #81b2ff",
        "play": "#95d5b2",
        "unknown": "#7d8597",
    },
    "light": {
        "own": "bold #1d5c3a",
        "other": "bold #a4262c",
        "dice": "bold #7a4f01",
        "frame": "#8a8f98",
        "failure": "#b00020",
        "error": "#b3541e",
        "blunder": "bold #b00020",
        "command": "bold #1f4fa3",
        "play": "#1d5c3a",
        "unknown": "#6b7280",
    },
    "plain": {},
}
"""Name -> style of each mark: ``terminal`` takes the terminal's own 16 colours, ``plain`` none.

``own`` and ``other`` are checkers of the person and of the opponent, ``frame`` the board, ``failure`` what a
line could not do, ``error`` and ``blunder`` losses
(`gammond.engine.match_analysis.decision_errors.classify_loss`); ``command``, ``play`` and ``unknown`` mark
the line as it is typed.
"""

DEFAULT_THEME = "terminal"


class Preferences(Struct, frozen=True):
    """What the terminal begins with."""

    theme: Annotated[str, Meta(description="colours", extra={CHOICES: tuple(THEMES)})] = DEFAULT_THEME
    level: Annotated[
        str, Meta(description="level of the engine and of hints", extra={CHOICES: tuple(LEVELS)})
    ] = DEFAULT_LEVEL
    opponent: Annotated[str, Meta(description="who plays against you, as for 'play against'")] = ENGINE_PLAYER
    length: Annotated[int, Meta(ge=0, le=99, description="points of the first match, 0 for money play")] = 0
    tutor: Annotated[
        float, Meta(ge=0, le=10, description="loss in points from which the tutor objects, 0 for no tutor")
    ] = 0.0
    chances: Annotated[bool, Meta(description="whether winning chances are shown after each play")] = False
    resume: Annotated[bool, Meta(description="whether a start goes on with the game that was left")] = True


_SWITCH_WORDS = {"on": "true", "off": "false"}
_TUTOR_WORDS = {"on": f"{XG_ERROR_POINTS}", "off": "0"}
"""Words that mean a value, as the commands `chances` and `tutor` take them."""


def get_config_file() -> Path:
    """Return the file of the preferences; ``GAMMOND_DATA`` moves it."""
    return Path(os.environ.get("GAMMOND_DATA") or platformdirs.user_config_dir(NAME)) / "config.toml"


def get_state_folder() -> Path:
    """Return the folder of the history and of the game in progress; ``GAMMOND_DATA`` moves it."""
    return Path(os.environ.get("GAMMOND_DATA") or platformdirs.user_state_dir(NAME))


def read_preferences(file: Path) -> Preferences:
    """Read preferences; what is not in the file has its default.

    Raises:
        DataFileError: The file cannot be read, or a value in it is wrong.
    """
    try:
        content = tomllib.loads(file.read_text("utf-8"))
        return Preferences(**{name: find_preference(name).check(value) for name, value in content.items()})
    except FileNotFoundError:
        return Preferences()
    except (OSError, ValueError, RecursionError) as error:
        raise DataFileError(f"{file} cannot be read: {error}", field="config") from error
    except GammondError as error:
        raise DataFileError(f"{file}: {error.message}", field="config") from error


def write_preferences(file: Path, preferences: Preferences) -> None:
    """Write preferences, all but the defaults.

    Raises:
        DataFileError: The file cannot be written.
    """
    changed = {
        field.name: getattr(preferences, field.name)
        for field in list_fields(Preferences)
        if getattr(preferences, field.name) != field.default
    }
    lines = ["# Preferences of gammond's terminal; `gammond config` lists them."]
    lines += [f"{name} = {_format_toml(value)}" for name, value in changed.items()]
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with open_output(file) as out:
            out.write(("\n".join(lines) + "\n").encode())
    except OSError as error:
        raise DataFileError(
            f"{file} cannot be written ({error.strerror}): set GAMMOND_DATA to a folder that you can write, "
            "in which preferences are kept",
            field="config",
        ) from error


def find_preference(name: str) -> Field:
    """Return a preference by its name.

    Raises:
        FormatError: There is none of this name.
    """
    fields = {field.name: field for field in list_fields(Preferences)}
    if name not in fields:
        raise FormatError(
            f"expected a preference ({', '.join(fields)}), got {name[:40]!r}{did_you_mean(name, fields)}",
            field="name",
        )
    return fields[name]


def change_preference(file: Path, name: str, text: str | None) -> Preferences:
    """Set a preference in the file; return all of them.

    Args:
        file: The file.
        name: The preference.
        text: Its value; None for the default.

    Raises:
        GammondError: There is no such preference, it cannot have this value, or the file cannot be written.
    """
    field = find_preference(name)
    words = _TUTOR_WORDS if name == "tutor" else _SWITCH_WORDS if field.kind == "bool" else {}
    value = field.default if text is None else field.parse(words.get(text.lower(), text))
    preferences: Preferences = msgspec.structs.replace(read_preferences(file), **{name: value})
    write_preferences(file, preferences)
    return preferences


def list_preferences(preferences: Preferences) -> list[str]:
    """Return a table of all preferences: name, value, what it may be, meaning."""
    fields = list_fields(Preferences)
    values = [format_value(getattr(preferences, field.name)) for field in fields]
    width, value_width = max(len(field.name) for field in fields), max(map(len, values))
    return [
        f"  {field.name:<{width}}  {value:<{value_width}}  {field.meaning}"
        + (f" ({field.allowed_values})" if field.allowed_values and field.name != "level" else "")
        for field, value in zip(fields, values, strict=True)
    ]


def _format_toml(value: Any) -> str:  # noqa: ANN401  (a value of a preference)
    return json.dumps(value) if isinstance(value, str) else format_value(value)
