"""Preferences at work: at the start of the terminal, and when ``config`` changes one."""

from __future__ import annotations

from collections.abc import Callable

from gammond.engine.errors import GammondError
from gammond.engine.options import format_value
from gammond.protocol.commands.session_game import find_setting, put_setting
from gammond.protocol.repl.answers.replies import ERROR_MARK
from gammond.protocol.repl.game.preferences import (
    Preferences,
    change_preference,
    find_preference,
    get_config_file,
    list_preferences,
)
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.repl.game.views import show_chances


def apply_preferences(game: ReplGame, preferences: Preferences) -> list[str]:
    """Set up the table by preferences; return what could not be done.

    Args:
        game: The table.
        preferences: Those that differ from the game's present ones are applied.
    """
    problems: list[str] = []
    before, game.preferences = game.preferences, preferences

    def set_key(key: str, text: str) -> None:
        put_setting(game.session, find_setting(game.session, key), text)

    changes: dict[str, Callable[[], object]] = {
        "level": lambda: set_key("engine.level", preferences.level),
        "opponent": lambda: set_key("engine.player", preferences.opponent),
        "length": lambda: set_key("game.length", str(preferences.length)),
        "tutor": lambda: game.tutor.set_limit(preferences.tutor),
        "chances": lambda: show_chances(game, is_shown=preferences.chances),
    }
    for name, change in changes.items():
        is_changed = getattr(preferences, name) != getattr(before, name)
        if not is_changed or (name == "length" and game.session.game.position is not None):
            continue
        try:
            change()
        except GammondError as error:
            problems.append(f"{ERROR_MARK}preference {name}: {error.message}")
    return problems


def configure(game: ReplGame, name: str | None, value: str | None) -> list[str]:
    """Show preferences, or set one in the file and at the table.

    Args:
        game: The table.
        name: The preference; None for all.
        value: Its new value; None to show it.

    Raises:
        GammondError: There is no such preference or value, or the file cannot be written.
    """
    file = get_config_file()
    if name is None:
        return [*list_preferences(game.preferences), f"File: {file}"]
    field = find_preference(name)
    if value is None:
        return [f"{name} = {format_value(getattr(game.preferences, name))}: {field.meaning}"]
    problems = apply_preferences(game, change_preference(file, name, value))
    return problems or [f"{name} = {format_value(getattr(game.preferences, name))}, saved in {file}."]
