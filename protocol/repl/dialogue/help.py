"""``help``: the commands in groups, and what each of them does."""

from __future__ import annotations

from gammond.engine.rules.rules import BACKGAMMON, Variant
from gammond.protocol.commands.table import COMMANDS
from gammond.protocol.repl.answers.sentences import describe_variant
from gammond.protocol.repl.dialogue import gnubg_words
from gammond.protocol.repl.dialogue.command import COMMON_TOPICS, explain_commands, format_overview
from gammond.protocol.repl.dialogue.commands import REPL_COMMANDS
from gammond.protocol.repl.dialogue.other_games import LEAVE_VARIANT

_RULES = {
    "crawford": "in a match nobody doubles in the Crawford game, the first in which a player is 1-away",
    "jacoby": "in money play gammons count only once the cube has been turned: 'set game.jacoby on' or 'off'",
    "beavers": "in money play who takes a double may turn the cube again at once, and keep it: "
    "'set game.beavers on' or 'off'",
    "raccoons": gnubg_words.EXPLANATIONS["raccoon"],
}
"""Rules of the cube, as ``help rules`` explains them."""

_TOPICS = {
    "rules": "the rules of the cube",
    "gnubg": "the words of GNU Backgammon's users",
    **COMMON_TOPICS,
}


def show_overview(variant: Variant) -> list[str]:
    """Return what ``help`` shows: all commands by name, in groups; less than a screen.

    Args:
        variant: What is played: said in a line of its own unless it is backgammon.
    """
    return [
        "A play is typed as it is: 8/5 6/5, bar/22*, 6/off(2). A position is pasted in any form.",
        *format_overview(_TOPICS, REPL_COMMANDS, COMMANDS),
        *([] if variant is BACKGAMMON else [f"You play {describe_variant(variant)} {LEAVE_VARIANT}."]),
    ]


def show_topic(name: str) -> list[str] | None:
    """Return the help about a command of the terminal, or a topic; None for anything else."""
    if lines := explain_commands(name, REPL_COMMANDS, COMMANDS):
        return lines
    if name == "rules":
        return [
            *(f"  {rule:<10}{meaning}" for rule, meaning in _RULES.items()),
            "'show rules': those in force.",
        ]
    if rule := next((rule for rule in _RULES if name.lower() in (rule, rule.rstrip("s"))), ""):
        return [f"  {rule}: {_RULES[rule]}"]
    return gnubg_words.list_words() if name == "gnubg" else None
