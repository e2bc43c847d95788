"""Draw one position, with its pip counts and its IDs.

    gammond board "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"
    gammond board 4HPwATDgc/ABMA --match 5 --score 2 1 --dice 3 1

The side on roll is at the bottom. `gammond convert` writes the IDs alone, for many positions too.
"""

from __future__ import annotations

import argparse
import json
import sys

from gammond.protocol.games import OTHER_GAMES
from gammond.protocol.repl.answers.checkers import show_ids
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.repl.game.views import show_pips
from gammond.protocol.state.session import Session
from gammond.tools.ask.question import add_json_argument, draw_table, open_table, show_lines
from gammond.tools.common.position_arguments import add_assumed, add_position_arguments, read_position
from gammond.tools.common.position_fields import list_position_fields

SUMMARY = "draw a position, with pip counts and IDs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_position_arguments(parser, has_dice=True, other_games=OTHER_GAMES)
    add_json_argument(parser)


def main(args: argparse.Namespace) -> int:
    """Run the tool.

    Raises:
        GammondError: The position or an option is wrong.
    """
    if args.variant in OTHER_GAMES:
        from gammond.tools.ask import other_games  # questions about backgammon do without it

        return other_games.answer_other_game(args, "board", {"want": ["pieces"]})
    session = open_table(args, *read_position(args, has_dice=True))
    if args.json:
        sys.stdout.write(add_assumed(args, json.dumps(_describe_board(session))) + "\n")
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
