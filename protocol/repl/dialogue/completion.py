"""Completion as a pure function: the text before the cursor and the table in, suggestions out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from gammond.engine.analysis.levels import LEVELS
from gammond.engine.rules.notation import format_play
from gammond.protocol.commands.table import COMMANDS
from gammond.protocol.core.arguments import Argument
from gammond.protocol.repl.dialogue.command import summarize_commands
from gammond.protocol.repl.dialogue.commands import AGAINST_PREFIX, REPL_COMMANDS
from gammond.protocol.repl.dialogue.suggestions import (
    Suggestion,
    list_setting_values,
    suggest_arguments,
    suggest_matching,
    takes,
)
from gammond.protocol.repl.game.played_game import OPPONENT
from gammond.protocol.state.offers import list_responses
from gammond.protocol.state.session import Session
from gammond.protocol.state.settings import SETTINGS

_AGAINST = re.compile(rf"\s*{AGAINST_PREFIX}\s*(\S*)")
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
        commands = _list_commands(_list_current_actions(session))
        return [*_suggest_plays(text, session), *suggest_matching(text, commands)]
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


def _list_commands(first: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """List commands with what they do; those that come first, then in the order of their tables."""
    summaries = summarize_commands(REPL_COMMANDS, COMMANDS)
    return ((name, summaries[name]) for name in dict.fromkeys([*first, *summaries]))


def _suggest_arguments(
    name: str, arguments: Sequence[Argument], text: str, session: Session
) -> Iterator[Suggestion]:
    """Suggest values of the argument that the cursor is in."""

    def list_players() -> Iterator[tuple[str, str]]:
        return ((player, "") for player in list_setting_values(SETTINGS["engine.player"], session))

    first: dict[str, Callable[[], Iterable[tuple[str, str]]]] = {"COMMAND": _list_commands}
    if name == "play" and (found := _AGAINST.fullmatch(text)):
        return suggest_matching(found[1], list_players())
    if takes(arguments, "PLAY"):
        return _suggest_plays(text.lstrip(), session)
    if name == "best":
        first["PLAYER"] = lambda: ((OPPONENT, ""), *list_players())
    return suggest_arguments(name, arguments, text, session, first, _LEVEL_MEANINGS)


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
