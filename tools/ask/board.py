"""Draw one position, with its pip counts and its IDs.

    gammond board "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"
    gammond board 4HPwATDgc/ABMA --match 5 --score 2 1 --dice 3 1

The side on roll is at the bottom. `gammond convert` writes the IDs alone, for many positions too.
"""

from __future__ import annotations

import json
import sys

from gammond.protocol.games import OTHER_GAMES
from gammond.protocol.repl.answers.checkers import show_ids
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.repl.game.views import show_pips
from gammond.protocol.state.session import Session
from gammond.tools.ask.question import BoardOptions, draw_table, set_table, show_lines
from gammond.tools.common.command_options import ToolCommand
from gammond.tools.common.position_fields import list_position_fields

SUMMARY = "draw a position, with pip counts and IDs"


def run(options: BoardOptions) -> int:
    """Run the tool.

    Raises:
        GammondError: The position or an option is wrong.
    """
    if options.variant in OTHER_GAMES:
        from gammond.tools.ask import other_games  # questions about backgammon do without it

        return other_games.answer_question(options, "board", {"want": ["pieces"]})
    asked = options.read(options.score)
    session = set_table(options.open_session(), options.variant, asked)
    if options.json:
        sys.stdout.write(asked.add_assumed(json.dumps(_describe_board(session))) + "\n")
    else:
        show_lines([*draw_table(session), *show_pips(ReplGame(session)), *show_ids(session)])
    return 0


def _describe_board(session: Session) -> dict[str, object]:
    position, match = session.require_position(), session.game.match
    own, other = position.pips
    return {
        **list_position_fields(position, match),
        "pips": (own, other) if match.on_roll == 0 else (other, own),
        "board": draw_table(session),
    }


COMMAND = ToolCommand(BoardOptions, run)
