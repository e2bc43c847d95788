"""Find the best action in one position: ranked plays, the cube decision, or the answer to an offer.

    gammond hint 4HPwATDgc/ABMA --dice 3 1
    gammond hint "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10" --plies 2

With dice, in the position or as --dice, it ranks the plays; without dice it says whether to double; where a
double or a resignation is pending, how to answer it.
"""

from __future__ import annotations

import argparse

from engine.errors import UnsupportedError
from protocol.repl.answers.analysis import show_hint
from protocol.repl.dialogue.commands import DEFAULT_HINT_COUNT
from protocol.state.game_state import GameState
from tools.ask.question import add_question_arguments, answer_question, run_query

SUMMARY = "best plays of a roll, cube decision, or answer to an offer"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_question_arguments(parser, has_dice=True, has_filter=True)
    parser.add_argument(
        "--plays",
        type=int,
        default=DEFAULT_HINT_COUNT,
        metavar="N",
        help="plays to show (default %(default)s)",
    )


def main(args: argparse.Namespace) -> int:
    """Run the tool; its errors are those of `answer_question`, and a number of plays below 1."""
    if args.plays < 1:
        raise UnsupportedError(f"--plays: expected 1 or more, got {args.plays}", field="plays")
    return answer_question(
        args,
        lambda session, control: show_hint(session, {"n": args.plays}, control),
        lambda session, control: run_query(session, control, _make_query(session.game, args.plays)),
        has_dice=True,
    )


def _make_query(game: GameState, plays: int) -> dict[str, object]:
    if game.match.roll is not None:
        return {"want": ["moves"], "max_moves": plays}
    return {"want": ["eval", "cube"], "cubeful": True}
