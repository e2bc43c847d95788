"""Suggestions for the line at the prompt, as pure functions: what was typed in, ways to go on out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gammond.engine.errors import GammondError
from gammond.engine.rules.notation import format_play
from gammond.protocol.commands.session_game import find_game
from gammond.protocol.core.arguments import Argument
from gammond.protocol.state.session import Session
from gammond.protocol.state.settings import Setting


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


def suggest_matching(prefix: str, rows: Iterable[tuple[str, str]]) -> Iterator[Suggestion]:
    """Suggest the rows, text and meaning, that begin with what was typed."""
    return (Suggestion(text, len(prefix), meaning) for text, meaning in rows if text.startswith(prefix))


def suggest_files(typed: str) -> Iterator[Suggestion]:
    """Suggest files and folders whose paths begin with what was typed; hidden ones where asked for."""
    folder, prefix = os.path.split(typed)
    try:
        with os.scandir(os.path.expanduser(folder) or ".") as entries:
            found = sorted((entry.name, entry.is_dir()) for entry in entries)
    except OSError:
        return
    shown = [row for row in found if row[0].isprintable() and (prefix or not row[0].startswith("."))]
    yield from suggest_matching(prefix, ((f"{name}{os.sep * is_folder}", "") for name, is_folder in shown))


def takes(arguments: Sequence[Argument], what: str) -> bool:
    """Return whether an argument without a name may be what a word says: ``FILE``, ``PLAY``, ``KEY``, ..."""
    return any(what in each.metavar.split("|") for each in arguments if not each.is_named)


def _suggest_argument_values(
    arguments: Sequence[Argument], before: Sequence[str], prefix: str, meanings: Mapping[str, str]
) -> Iterator[Suggestion]:
    """Suggest values of the argument that the cursor is in; named ones by their names, then their values."""
    positional = [argument for argument in arguments if not argument.is_named]
    if len(before) < len(positional):
        choices = positional[len(before)].choices
        yield from suggest_matching(prefix, ((value, meanings.get(value, "")) for value in choices))
    for argument in arguments:
        name = f"{argument.name}="
        if argument.is_named and prefix.startswith(name):
            yield from suggest_matching(prefix, ((f"{name}{value}", "") for value in argument.choices))
        elif argument.is_named:
            yield from suggest_matching(prefix, [(name, argument.meaning)])


def suggest_arguments(
    name: str,
    arguments: Sequence[Argument],
    typed: str,
    session: Session,
    first: Mapping[str, Callable[[], Iterable[tuple[str, str]]]],
    meanings: Mapping[str, str],
) -> Iterator[Suggestion]:
    """Suggest what the argument that the cursor is in may be: files, keys and values of settings, or words.

    Args:
        name: The command.
        arguments: Its arguments.
        typed: What was typed after it.
        session: The client.
        first: Lists words for the first argument, each with what it means, by what a command `takes`.
        meanings: What other values mean.
    """
    typed = typed.lstrip()
    *before, prefix = typed.split(" ")
    before = [part for part in before if part]
    if takes(arguments, "FILE"):
        return suggest_files(typed)
    if takes(arguments, "KEY"):
        return _suggest_settings(name, before, prefix, session, meanings)
    for what, list_words in first.items():
        if takes(arguments, what) and not before:
            return suggest_matching(prefix, list_words())
    return _suggest_argument_values(arguments, before, prefix, meanings)


def _suggest_settings(
    name: str, before: Sequence[str], prefix: str, session: Session, meanings: Mapping[str, str]
) -> Iterator[Suggestion]:
    """Suggest keys after ``set`` and ``get``, and values after ``set KEY``."""
    settings = find_game(session).settings
    if not before:
        yield from suggest_matching(prefix, ((key.name, key.meaning) for key in settings.values()))
    elif name == "set" and len(before) == 1 and before[0] in settings:
        values = list_setting_values(settings[before[0]], session)
        yield from suggest_matching(prefix, ((value, meanings.get(value, "")) for value in values))


def list_setting_values(setting: Setting, session: Session) -> Sequence[str]:
    """List values that a setting can have: all, or the present one where there are too many.

    Where they have to be looked up and that fails, there are none.
    """
    if setting.list_known is not None:
        try:
            return setting.list_known(session.service)
        except GammondError:
            return []
    if setting.kind == "bool":
        return ["true", "false"]
    return setting.values.split("|") if setting.kind == "enum" else [setting.get(session)]


def suggest_plays(typed: str, session: Session) -> Iterator[Suggestion]:
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
