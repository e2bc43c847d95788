"""``help``: the commands in groups, and what each of them does."""

from __future__ import annotations

from engine.rules.rules import BACKGAMMON, Variant
from protocol.commands.table import COMMANDS
from protocol.core.arguments import Argument
from protocol.repl.answers.sentences import describe_variant
from protocol.repl.dialogue import gnubg_words
from protocol.repl.dialogue.command import ReplCommand
from protocol.repl.dialogue.commands import REPL_COMMANDS
from protocol.repl.dialogue.other_games import LEAVE_VARIANT
from protocol.repl.game.repl_game import ReplGame

HELP_GROUPS = {
    "play": (
        *("new", "play", "roll", "double", "take", "drop", "beaver", "resign", "accept", "reject"),
        *("undo", "redo", "leave"),
    ),
    "ask": (*("hint", "best", "eval", "opinion", "legal", "cube", "chances", "matrix", "rollout"),),
    "match": (
        *("open", "next", "previous", "first", "last", "game", "move", "back", "comment"),
        *("match", "close", "save", "log"),
    ),
    "judge": ("tutor", "keep", "review", "analyse", "errors", "error"),
    "look": ("board", "pip", "score", "id", "show"),
    "set up": ("position", "edit", "dice", "newgame"),
    "prefer": ("config", "level", "plies", "set", "get", "keys", "quit"),
}
"""The groups of ``help``, with commands of the terminal and of the line protocol."""

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
    "all": "every command with its meaning",
    "wire": "the commands of the line protocol",
    "games": "other games",
}


def show_overview(variant: Variant) -> list[str]:
    """Return what ``help`` shows: all commands by name, in groups; less than a screen.

    Args:
        variant: What is played: said in a line of its own unless it is backgammon.
    """
    groups = [f"  {group:<8}{' '.join(names)}" for group, names in HELP_GROUPS.items()]
    topics = ", ".join(f"'help {name}': {meaning}" for name, meaning in _TOPICS.items())
    return [
        "A play is typed as it is: 8/5 6/5, bar/22*, 6/off(2). A position is pasted in any form.",
        *groups,
        f"'help WORD' explains a command; {topics}.",
        "Tab completes, Ctrl-C cancels, Ctrl-D leaves.",
        *([] if variant is BACKGAMMON else [f"You play {describe_variant(variant)} {LEAVE_VARIANT}."]),
    ]


def show_topic(name: str) -> list[str] | None:
    """Return the help about a command of the terminal, or a topic; None for anything else."""
    if name in REPL_COMMANDS:
        word = REPL_COMMANDS[name]
        return [_explain(word), *(f"  {_label(each)}: {each.meaning}" for each in word.arguments)]
    if name == "all":
        return ["Commands of the terminal:", *map(_explain, REPL_COMMANDS.values()), *_list_wire_commands()]
    if name == "wire":
        return _list_wire_commands()
    if name == "rules":
        return [
            *(f"  {rule:<10}{meaning}" for rule, meaning in _RULES.items()),
            "'show rules': those in force.",
        ]
    if rule := next((rule for rule in _RULES if name.lower() in (rule, rule.rstrip("s"))), ""):
        return [f"  {rule}: {_RULES[rule]}"]
    return gnubg_words.list_words() if name == "gnubg" else None


def _list_wire_commands() -> list[str]:
    others = [command for command in COMMANDS if command not in REPL_COMMANDS]
    return [f"Commands of the line protocol ('help COMMAND' explains one): {', '.join(others)}."]


def _label(argument: Argument) -> str:
    return f"{argument.name}={argument.metavar}" if argument.is_named else argument.metavar


def _explain(word: ReplCommand[ReplGame]) -> str:
    return f"  {word.usage} : {word.summary}"
