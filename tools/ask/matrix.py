"""Analyse the cube decision of one position at every score of a match.

    gammond matrix 2M7IATDgdw8GAA
    gammond matrix 2M7IATDgdw8GAA --away 5 --plies 2

Letters give the proper action at each score; below are the equities of no double and of a double with the
proper response. Score and cube of the position do not count: the cube is in the centre, or with --cube-value
at a higher value in the hands of the side on roll.
"""

from __future__ import annotations

import argparse

from gammond.protocol.commands.cube import DEFAULT_MATRIX_AWAY, MAX_MATRIX_AWAY
from gammond.protocol.repl.answers.analysis import show_matrix
from gammond.tools.ask.question import add_question_arguments, answer_question

SUMMARY = "the cube decision at every score"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_question_arguments(parser, has_cube=False, has_score=False)
    parser.add_argument(
        "--away",
        type=int,
        choices=range(2, MAX_MATRIX_AWAY + 1),
        default=DEFAULT_MATRIX_AWAY,
        metavar="N",
        help=f"the largest number of points away, 2 to {MAX_MATRIX_AWAY} (default %(default)s)",
    )
    parser.add_argument(
        "--cube-value", type=int, default=1, metavar="VALUE", help="value of the cube (default %(default)s)"
    )
    parser.add_argument("--letters", action="store_true", help="show the letters without the equities")


def main(args: argparse.Namespace) -> int:
    """Run the tool; its errors are those of `answer_question`."""
    values = {"away": args.away, "cube": args.cube_value, "equities": not args.letters}
    return answer_question(
        args,
        lambda session, control: show_matrix(session, control, **values),
        lambda _: {"want": ["matrix"], **values},
    )
