"""Evaluate one position before the roll: winning chances and equities.

    gammond eval 4HPwATDgc/ABMA
    gammond eval 4HPwATDgc/ABMA --player phase-net
    gammond eval "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10" --plies 2

Dice in the position do not count: `gammond hint` ranks their plays. Without a score in the position, --match
and the options beside it set one. A file of positions is for `gammond batch`.

    gammond eval --variant barca startpos moves e2-e5 e9-e6 --plies 3
"""

from __future__ import annotations

from gammond.protocol.games import OTHER_GAMES
from gammond.protocol.repl.answers.analysis import show_evaluation
from gammond.tools.ask.question import AnyGameOptions, answer_opinion, answer_question
from gammond.tools.common.command_options import ToolCommand

SUMMARY = "winning chances and equities of a position"


def run(options: AnyGameOptions) -> int:
    """Run the tool; its errors are those of `answer_question`."""
    if options.variant in OTHER_GAMES:
        from gammond.tools.ask import other_games  # questions about backgammon do without it

        return other_games.answer_question(options, "eval", {"want": ["eval"]}, options.plies or None)
    if options.player is not None:
        return answer_opinion(options, options.player, 1)
    return answer_question(options, show_evaluation, lambda _: {"want": ["eval"]})


COMMAND = ToolCommand(AnyGameOptions, run)
