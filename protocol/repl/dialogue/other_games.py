"""Going from one game to another at the terminal, and what the words of another game are told."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gammond.engine.options import MAX_QUOTED_CHARS
from gammond.engine.rules.rules import VARIANTS
from gammond.protocol.commands.session_game import explain_foreign_value
from gammond.protocol.games import GAMES, list_variants
from gammond.protocol.repl.answers.sentences import describe_variant
from gammond.protocol.repl.dialogue.talk import Talk

_GO_OVER = re.compile(r"(?:(?:play|new|game|variant)\s+)?(\w+)", re.IGNORECASE)
_LIST = re.compile(r"(?:help\s+)?(?:games|variants?)", re.IGNORECASE)
_HELP = re.compile(r"help\s+(\w+)", re.IGNORECASE)

LEAVE_VARIANT = "'set game.variant backgammon' goes back"


def find_variant(line: str) -> str | None:
    """Return the ``game.variant`` that a line names, such as ``barca`` or ``play barca``; or None."""
    found = _GO_OVER.fullmatch(line)
    return found[1].lower() if found and found[1].lower() in list_variants() else None


def explain_games(line: str) -> list[str]:
    """Return the answer to ``help games`` or ``help`` with the name of a game; nothing for other lines."""
    if _LIST.fullmatch(line):
        return [
            "Games, and their variants:",
            *(f"  {entry.name:<12}{', '.join(entry.variants)}" for entry in GAMES.values()),
            f"{' or '.join(map(repr, GAMES))} goes over to that game; each waits as it was left.",
            "'set game.variant NAME' sets a variant; a game of another one is set aside.",
        ]
    found = _HELP.fullmatch(line)
    if found is None or found[1].lower() not in list_variants():
        return []
    name = found[1].lower()
    if name in GAMES:
        return [f"  {name!r} goes over to it; 'help' there explains it"]
    about = [f"  {describe_variant(VARIANTS[name])}"] if name in VARIANTS else []
    return [f"  {explain_variant(name)}, and 'play' begins a game; {LEAVE_VARIANT}", *about]


def explain_variant(name: str) -> str:
    """Say how to go over to a variant, for which a game of another one is set aside."""
    return f"'set game.variant {name}' goes over to {name}"


def explain_foreign(text: str, talk: Talk, others: Iterable[Talk]) -> str:
    """Return what a command or level of another game is told; empty for other lines.

    Args:
        text: What was typed.
        talk: The talk about the game that is played.
        others: Talks about other games.
    """
    name, *rest = text.split()
    if name.lower() == "level" and len(rest) == 1:
        hint = explain_foreign_value(talk.name, "engine.level", rest[0])
        return f"{rest[0][:MAX_QUOTED_CHARS]!r} is no level of {talk.name} but {hint}" if hint else ""
    for other in others:
        if other.knows(name) and not talk.knows(name):
            word = next(iter(GAMES[other.name].variants))
            return (
                f"{name!r} is a command of {other.name}, and this session plays {talk.name}: "
                f"{word!r} goes over to it"
            )
    return ""
