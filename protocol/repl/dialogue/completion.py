"""Completion as a pure function: the text before the cursor and the table in, suggestions out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from engine.analysis.levels import LEVELS
from engine.errors import GammondError
from engine.rules.notation import format_play
from protocol.commands.session_game import find_game
from protocol.commands.table import COMMANDS
from protocol.core.arguments import Argument
from protocol.repl.dialogue.commands import AGAINST_PREFIX, REPL_COMMANDS
from protocol.repl.dialogue.suggestions import (
    FILE_COMMANDS,
    Suggestion,
    list_setting_values,
    suggest_argument_values,
    suggest_files,
    suggest_matching,
    suggest_settings,
)
from protocol.repl.game.played_game import OPPONENT
from protocol.state.offers import list_responses
from protocol.state.session import Session
from protocol.state.settings import Setting

_LEVEL_MEANINGS = {name: level.meaning for name, level in LEVELS.items()}


def suggest_completions(text_before_cursor: str, session: Session) -> list[Suggestion]:
    """Suggest ways to go on with a line.

    Args:
        text_before_cursor: The line up to the cursor.
        session: The table, for the legal plays; it is only read.

    Returns:
        Suggestions, the likeliest first: legal plays, words and commands at the start of a line; after a
        command, what its next argument may be.
    """
    text = text_before_cursor.lstrip()
    name, blank, rest = text.partition(" ")
    if not blank:
        return [*_suggest_plays(text, session), *_suggest_commands(text, _list_current_actions(session))]
    found = REPL_COMMANDS.get(name) or COMMANDS.get(name)
    if found is None:
        return list(_suggest_plays(text, session))
    return list(_suggest_arguments(name, found.arguments, rest, session))


def _list_current_actions(session: Session) -> tuple[str, ...]:
    """List the words that do something about what the seat to act must decide."""
    game = session.game
    if game.position is None or game.is_over:
        return ()
    if game.match.roll is None and not list_responses(game.match):
        return ("roll", "double") if game.may_double else ("roll",)
    return list_responses(game.match)


def _suggest_commands(prefix: str, first: Sequence[str] = ()) -> Iterator[Suggestion]:
    """Suggest words and commands; those that come first, then in the order of their tables."""
    tables = {name: row.summary for name, row in COMMANDS.items()} | {
        n: w.summary for n, w in REPL_COMMANDS.items()
    }
    order = dict.fromkeys([*first, *REPL_COMMANDS, *COMMANDS])
    return suggest_matching(prefix, ((name, tables[name]) for name in order))


def _suggest_arguments(
    name: str, arguments: Sequence[Argument], text: str, session: Session
) -> Iterator[Suggestion]:
    """Suggest values of the argument that the cursor is in."""
    *before, prefix = text.lstrip().split(" ")
    before = [part for part in before if part]
    if name == "play" and before == [AGAINST_PREFIX.strip()]:
        yield from suggest_matching(prefix, ((player, "") for player in _list_players(session)))
    elif name == "best" and not before:
        yield from suggest_matching(prefix, ((player, "") for player in (OPPONENT, *_list_players(session))))
    elif name in ("play", "move", "rank"):
        yield from _suggest_plays(text.lstrip(), session)
    elif name in FILE_COMMANDS:
        yield from suggest_files(text.lstrip())
    elif name == "help" and not before:
        yield from _suggest_commands(prefix)
    elif name in ("set", "get"):
        yield from suggest_settings(
            name,
            before,
            prefix,
            find_game(session).settings,
            lambda setting: _explain_values(_list_values(setting, session)),
        )
    else:
        yield from suggest_argument_values(arguments, before, prefix, _LEVEL_MEANINGS)


def _explain_values(values: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Return values with what they mean; only levels need explaining."""
    return ((value, _LEVEL_MEANINGS.get(value, "")) for value in values)


def _list_values(setting: Setting, session: Session) -> Sequence[str]:
    if setting.name == "engine.net":
        catalogue = session.service.catalogue
        try:
            return [catalogue.default, *catalogue.list_names()]
        except GammondError:
            return []
    if setting.name == "engine.player":
        return _list_players(session)
    return list_setting_values(setting, session)


def _list_players(session: Session) -> Sequence[str]:
    try:
        return session.service.players.list_names()
    except GammondError:
        return []


def _suggest_plays(typed: str, session: Session) -> Iterator[Suggestion]:
    """Suggest legal plays that begin with what was typed, in any order of parts, each with its number."""
    game = session.game
    if game.position is None or game.is_over or game.match.roll is None:
        return
    *done, prefix = typed.split(" ")
    tried = (
        _complete_play(done, prefix, format_play(play).split(" ")) for play in session.list_legal_plays()
    )
    found = [written for written in tried if written]
    for number, written in enumerate(found, 1):
        yield Suggestion(written, len(typed), f"{number} of {len(found)} plays")


def _complete_play(done: Sequence[str], prefix: str, parts: Sequence[str]) -> str:
    """Write the parts of a play so that they begin as typed; nothing when they cannot."""
    left = list(parts)
    for part in done:
        if part not in left:
            return ""
        left.remove(part)
    following = next((part for part in left if part.startswith(prefix)), None)
    if following is None:
        return ""
    left.remove(following)
    return " ".join([*done, following, *left])
