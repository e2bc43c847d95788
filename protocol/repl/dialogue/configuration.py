"""Preferences at work: at the start of the terminal, and when ``config`` changes one."""

from __future__ import annotations

from gammond.engine.errors import GammondError
from gammond.engine.options import format_value
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.replies import ERROR_MARK, send_command
from gammond.protocol.repl.game.preferences import (
    Preferences,
    change_preference,
    find_preference,
    get_config_file,
    list_preferences,
)
from gammond.protocol.repl.game.repl_game import ReplGame


def apply_preferences(game: ReplGame, preferences: Preferences) -> list[str]:
    """Set up the table by preferences; return what could not be done.

    Args:
        game: The table.
        preferences: Those that differ from the game's present ones are applied.
    """
    problems: list[str] = []
    before, game.preferences = game.preferences, preferences
    lines = {
        "level": f"set engine.level {preferences.level}",
        "opponent": f"set engine.player {preferences.opponent}",
        "length": f"set game.length {preferences.length}",
    }
    for name, line in lines.items():
        is_changed = getattr(preferences, name) != getattr(before, name)
        if not is_changed or (name == "length" and game.session.game.position is not None):
            continue
        try:
            send_command(game.session, line, WorkControl())
        except GammondError as error:
            problems.append(f"{ERROR_MARK}preference {name}: {error.message}")
    try:
        if preferences.tutor != before.tutor:
            game.set_tutor(preferences.tutor)
        if preferences.chances != before.chances:
            game.chances.set_shown(preferences.chances)
    except GammondError as error:
        problems.append(f"{ERROR_MARK}preference chances: {error.message}")
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
