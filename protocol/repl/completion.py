"""Completion as a pure function: the text before the cursor and the table in, suggestions out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.errors import GammondError
from engine.levels import LEVELS
from engine.notation import format_play
from protocol.arguments import Argument
from protocol.commands import COMMANDS
from protocol.offers import answers
from protocol.repl.words import AGAINST, WORDS
from protocol.session import Session
from protocol.settings import KEYS, Key


@dataclass(frozen=True)
class Suggestion:
    """A way to go on.

    Attributes:
        text: What to put there.
        replaces: How many characters before the cursor it takes the place of.
        meaning: A few words about it.
    """

    text: str
    replaces: int
    meaning: str = ""


def suggestions(text_before_cursor: str, session: Session) -> list[Suggestion]:
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
        return [*_plays(text, session), *_commands(text, _now(session))]
    found = WORDS.get(name) or COMMANDS.get(name)
    if found is None:
        return list(_plays(text, session))
    return list(_arguments(name, found.arguments, rest, session))


def _now(session: Session) -> tuple[str, ...]:
    """List the words that do something about what the seat to act must decide."""
    game = session.game
    if game.position is None or game.is_over:
        return ()
    if game.match.roll is None and not answers(game.match):
        return ("roll", "double") if game.may_double else ("roll",)
    return answers(game.match)


def _commands(prefix: str, first: Sequence[str] = ()) -> Iterator[Suggestion]:
    """Suggest words and commands; those that come first, then in the order of their tables."""
    tables = {name: row.summary for name, row in COMMANDS.items()} | {n: w.summary for n, w in WORDS.items()}
    order = dict.fromkeys([*first, *WORDS, *COMMANDS])
    return _beginning(prefix, ((name, tables[name]) for name in order))


def _beginning(prefix: str, rows: Iterable[tuple[str, str]]) -> Iterator[Suggestion]:
    """Suggest the rows, text and meaning, that begin with what was typed."""
    return (Suggestion(text, len(prefix), meaning) for text, meaning in rows if text.startswith(prefix))


def _arguments(name: str, arguments: Sequence[Argument], text: str, session: Session) -> Iterator[Suggestion]:
    """Suggest values of the argument that the cursor is in."""
    *before, prefix = text.lstrip().split(" ")
    before = [part for part in before if part]
    if name == "play" and before == [AGAINST.strip()]:
        yield from _beginning(prefix, ((player, "") for player in _players(session)))
    elif name == "play":
        yield from _plays(text.lstrip(), session)
    elif name == "help" and not before:
        yield from _commands(prefix)
    elif name in ("set", "get"):
        yield from _settings(name, before, prefix, session)
    else:
        positional = [argument for argument in arguments if not argument.is_named]
        if len(before) < len(positional):
            yield from _values(prefix, positional[len(before)].choices)
        for argument in arguments:
            if argument.is_named:
                yield from _named(prefix, argument)


def _values(prefix: str, values: Sequence[str]) -> Iterator[Suggestion]:
    """Suggest values, of which only levels need explaining."""
    meanings = {name: level.meaning for name, level in LEVELS.items()}
    return _beginning(prefix, ((value, meanings.get(value, "")) for value in values))


def _named(prefix: str, argument: Argument) -> Iterator[Suggestion]:
    """Suggest an argument by its name, or once that is written, its values."""
    name = f"{argument.name}="
    if not prefix.startswith(name):
        return _beginning(prefix, [(name, argument.meaning)])
    return _beginning(prefix, ((f"{name}{value}", "") for value in argument.choices))


def _settings(name: str, before: Sequence[str], prefix: str, session: Session) -> Iterator[Suggestion]:
    if not before:
        yield from _beginning(prefix, ((key.name, key.meaning) for key in KEYS.values()))
    elif name == "set" and len(before) == 1 and before[0] in KEYS:
        yield from _values(prefix, _key_values(KEYS[before[0]], session))


def _key_values(key: Key, session: Session) -> Sequence[str]:
    if key.name == "engine.net":
        judges = session.service.judges
        try:
            return [judges.default, *judges.names()]
        except GammondError:
            return []
    if key.name == "engine.player":
        return _players(session)
    if key.kind == "bool":
        return ["true", "false"]
    return key.values.split("|") if key.kind == "enum" else [key.get(session)]


def _players(session: Session) -> Sequence[str]:
    try:
        return session.service.players.names()
    except GammondError:
        return []


def _plays(typed: str, session: Session) -> Iterator[Suggestion]:
    """Suggest legal plays that begin with what was typed, in any order of parts, each with its number."""
    game = session.game
    if game.position is None or game.is_over or game.match.roll is None:
        return
    *done, prefix = typed.split(" ")
    tried = (_beginning_with(done, prefix, format_play(play).split(" ")) for play in session.plays())
    found = [written for written in tried if written]
    for number, written in enumerate(found, 1):
        yield Suggestion(written, len(typed), f"{number} of {len(found)} plays")


def _beginning_with(done: Sequence[str], prefix: str, parts: Sequence[str]) -> str:
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
