"""Suggestions for the line at the prompt, and those that every talk makes alike."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from protocol.core.arguments import Argument
from protocol.state.session import Session
from protocol.state.settings import Setting

FILE_COMMANDS = ("open", "save")
"""Commands whose argument is the name of a file."""


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


def suggest_argument_values(
    arguments: Sequence[Argument], before: Sequence[str], prefix: str, meanings: Mapping[str, str]
) -> Iterator[Suggestion]:
    """Suggest values of the argument that the cursor is in, and named ones.

    Args:
        arguments: Those of the command.
        before: The words before the one that the cursor is in.
        prefix: The beginning of that one.
        meanings: What some values mean.
    """
    positional = [argument for argument in arguments if not argument.is_named]
    if len(before) < len(positional):
        choices = positional[len(before)].choices
        yield from suggest_matching(prefix, ((value, meanings.get(value, "")) for value in choices))
    for argument in arguments:
        if argument.is_named:
            yield from _suggest_named(prefix, argument)


def _suggest_named(prefix: str, argument: Argument) -> Iterator[Suggestion]:
    """Suggest an argument by its name, or once that is written, its values."""
    name = f"{argument.name}="
    if not prefix.startswith(name):
        return suggest_matching(prefix, [(name, argument.meaning)])
    return suggest_matching(prefix, ((f"{name}{value}", "") for value in argument.choices))


def suggest_settings(
    name: str,
    before: Sequence[str],
    prefix: str,
    settings: Mapping[str, Setting],
    list_values: Callable[[Setting], Iterable[tuple[str, str]]],
) -> Iterator[Suggestion]:
    """Suggest keys after ``set`` and ``get``, and values after ``set KEY``.

    Args:
        name: ``set`` or ``get``.
        before: The words before the one that the cursor is in.
        prefix: The beginning of that one.
        settings: The keys there are.
        list_values: Lists values of a key, each with what it means.
    """
    if not before:
        yield from suggest_matching(prefix, ((key.name, key.meaning) for key in settings.values()))
    elif name == "set" and len(before) == 1 and before[0] in settings:
        yield from suggest_matching(prefix, list_values(settings[before[0]]))


def list_setting_values(setting: Setting, session: Session) -> Sequence[str]:
    """List values that a setting can have: all, or the present one where there are too many."""
    if setting.kind == "bool":
        return ["true", "false"]
    return setting.values.split("|") if setting.kind == "enum" else [setting.get(session)]
