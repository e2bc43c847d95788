"""Find the best action in one position: ranked plays, the cube decision, or the answer to an offer.

    gammond hint 4HPwATDgc/ABMA --dice 3 1
    gammond hint "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10" --plies 2

With dice, in the position or as --dice, it ranks the plays; without dice it says whether to double; where a
double or a resignation is pending, how to answer it. In Barca it ranks the moves, at 5 plies unless told.

    gammond hint --variant barca startpos moves e2-e5 e9-e6 --plies 3
"""

from __future__ import annotations

import argparse

from gammond.engine.analysis.levels import DEFAULT_CANDIDATES
from gammond.protocol.games import OTHER_GAMES
from gammond.protocol.repl.answers.analysis import show_hint
from gammond.protocol.state.game_state import GameState
from gammond.tools.ask.question import (
    add_opinion_argument,
    add_question_arguments,
    answer_opinion,
    answer_question,
)
from gammond.tools.common.options import check_number

SUMMARY = "best plays of a roll, cube decision, or answer to an offer"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_question_arguments(parser, has_dice=True, has_filter=True, other_games=OTHER_GAMES)
    add_opinion_argument(parser)
    parser.add_argument(
        "--plays",
        type=int,
        default=DEFAULT_CANDIDATES,
        metavar="N",
        help="plays to show (default %(default)s)",
    )


def main(args: argparse.Namespace) -> int:
    """Run the tool; its errors are those of `answer_question`, and a number of plays below 1."""
    check_number("plays", args.plays, 1)
    if args.variant in OTHER_GAMES:
        from gammond.tools.ask import other_games  # questions about backgammon do without it

        depth = other_games.HINT_PLIES if args.plies is None else args.plies
        fields = {"want": ["eval", "moves"], "max_moves": args.plays, "depth": depth}
        return other_games.answer_other_game(args, f"hint {args.plays} depth={depth}", fields)
    if args.player is not None:
        return answer_opinion(args, args.plays, has_dice=True)
    return answer_question(
        args,
        lambda session, control: show_hint(session, control, args.plays),
        lambda session: _make_query(session.game, args.plays),
        has_dice=True,
    )


def _make_query(game: GameState, plays: int) -> dict[str, object]:
    if game.match.roll is not None:
        return {"want": ["moves"], "max_moves": plays}
    return {"want": ["eval", "cube"], "cubeful": True}
