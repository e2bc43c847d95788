"""What a game brings to the line protocol, and the one that a session plays.

Everything that reads commands and settings asks `find_game` for those of the session's game. Nothing here,
nor in what uses it, knows which games there are.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gammond.engine.errors import GammondError, UnsupportedError, ValueRangeError
from gammond.engine.options import MAX_QUOTED_CHARS, Field, did_you_mean
from gammond.protocol.commands.command import Command
from gammond.protocol.core.errors import CommandError
from gammond.protocol.games import GAMES
from gammond.protocol.state.readiness import Readiness
from gammond.protocol.state.session import Session
from gammond.protocol.state.settings import Setting, change_setting

_MAX_COMPARED_CHARS = 12
"""Longer words, of clients that speak something else, are not compared with the commands."""


class ListedPlayer(NamedTuple):
    """A player that may choose the moves of a game, for lists of them.

    Attributes:
        name: Its name, before any colon.
        summary: A phrase in lower case, without full stop.
        fields: Its options, after the colon.
    """

    name: str
    summary: str
    fields: tuple[Field, ...] = ()

    def describe(self) -> dict[str, object]:
        """Return the keys of ``describe``."""
        parameters = [describe_parameter(each) for each in self.fields]
        return {"name": self.name, "summary": self.summary, "parameters": parameters}


def describe_parameter(parameter: Field) -> dict[str, object]:
    """Describe a parameter as keys are described."""
    described = {"name": parameter.name, "type": parameter.kind, "values": parameter.allowed_values}
    return {**described, "default": parameter.default_text, "meaning": parameter.meaning}


@dataclass(frozen=True)
class SessionGame:
    """A game on the line protocol.

    Attributes:
        name: Its name, as in `gammond.protocol.games.GAMES`.
        commands: Its command table, rows that all games share among it, in the order of ``help``.
        settings: Its settings, likewise, in the order of ``keys``.
        set_variant: Puts its table under the rules of one of its values of ``game.variant``; raises a
            GammondError, and changes nothing, where that cannot be done now.
        describe: Captures what ``describe`` says of it, and returns what makes the keys of the object.
        ready_lines: Requests that need every part of it once, for ``isready`` and ``gammond prepare``.
        players: The values of its ``engine.player``; empty for backgammon, whose players are nets too.
        readiness: All kernels that its handlers call, and its tables.
        load: Captures the settings of a session, and returns what loads all that they name for ``isready``
            and gives the readiness of what answers its requests then.
    """

    name: str
    commands: Mapping[str, Command]
    settings: Mapping[str, Setting]
    set_variant: Callable[[Session, str], None]
    describe: Callable[[Session], Callable[[], dict[str, object]]]
    ready_lines: tuple[str, ...] = ()
    players: tuple[ListedPlayer, ...] = ()
    readiness: Readiness = field(default_factory=Readiness)
    load: Callable[[Session], Callable[[], Readiness]] = lambda session: Readiness


def find_game(session: Session) -> SessionGame:
    """Return the game that a session plays."""
    game: SessionGame = GAMES[session.game_name].load_commands()
    return game


def find_setting(session: Session, name: str) -> Setting:
    """Return the setting of a name, of the game that a session plays.

    Raises:
        UnsupportedError: There is none.
    """
    game = find_game(session)
    if name in game.settings:
        return game.settings[name]
    raise _make_foreign_error("key", name, game, lambda other: other.settings) or UnsupportedError(
        f"no key {name[:MAX_QUOTED_CHARS]!r}{_suggest_key(name, game.settings)}: 'keys' lists them",
        field="key",
    )


def put_setting(session: Session, setting: Setting, text: str) -> None:
    """Change a setting; the error for a word that only another game has names that game.

    Raises:
        GammondError: The value is none of this setting, or does not fit now.
    """
    try:
        change_setting(session, setting, text)
    except ValueRangeError as error:
        hint = explain_foreign_value(session.game_name, setting.name, text)
        if not hint:
            raise
        raise ValueRangeError(f"{error.message}, {hint}", field=error.field) from error


def explain_foreign_value(game: str, key: str, value: str) -> str:
    """Say which game has a word as a value of a setting; empty if this one has, or none.

    Args:
        game: The name of the game that is played.
        key: The name of the setting.
        value: The word.
    """
    names = []
    for entry in GAMES.values():
        setting = entry.load_commands().settings.get(key)
        if setting is not None and value.lower() in setting.field.choices:
            names.append(entry.name)
    if not names or game in names:
        return ""
    variant = next(iter(GAMES[names[0]].variants))
    return f"a value of {names[0]}: 'set game.variant {variant}' goes over to it"


def _suggest_key(name: str, keys: Iterable[str]) -> str:
    """Return a remark that suggests the key of which this may be the last word; empty where none is near."""
    last_words = {key.rpartition(".")[2]: key for key in keys}
    close = difflib.get_close_matches(name[:MAX_QUOTED_CHARS].lower().rpartition(".")[2], last_words, n=1)
    return f" (did you mean {last_words[close[0]]!r}?)" if close else ""


def make_unknown_error(name: str, session: Session) -> GammondError:
    """Return the error for a word that is no command of the game, with the command that may be meant."""
    game = find_game(session)
    hint = did_you_mean(name, game.commands) if len(name) <= _MAX_COMPARED_CHARS else ""
    return _make_foreign_error("command", name, game, lambda other: other.commands) or CommandError(
        f"no command {name[:MAX_QUOTED_CHARS]!r}{hint}: 'help' lists them", field="command"
    )


def _make_foreign_error(
    kind: str, name: str, game: SessionGame, list_names: Callable[[SessionGame], Mapping[str, object]]
) -> GammondError | None:
    """Return the error for a name that another game than the present one knows; None if none does."""
    for entry in GAMES.values():
        if entry.name != game.name and name in list_names(entry.load_commands()):
            return UnsupportedError(
                f"{name!r} is a {kind} of {entry.name}, and this session plays {game.name}: "
                f"'set game.variant {next(iter(entry.variants))}' goes over to it",
                field=kind,
            )
    return None
