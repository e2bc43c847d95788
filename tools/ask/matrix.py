"""Analyse the cube decision of one position at every score of a match.

    gammond matrix 2M7IATDgdw8GAA
    gammond matrix 2M7IATDgdw8GAA --away 5 --plies 2

Letters give the proper action at each score; below are the equities of no double and of a double with the
proper response. Score and cube of the position do not count: the cube is in the centre, or with --cube-value
at a higher value in the hands of the side on roll.
"""

from __future__ import annotations

from typing import Annotated

from gammond.protocol.commands.cube import DEFAULT_MATRIX_AWAY, MAX_MATRIX_AWAY
from gammond.protocol.repl.answers.analysis import show_matrix
from gammond.tools.ask.question import QuestionOptions, answer_question
from gammond.tools.common.command_options import ToolCommand, option

SUMMARY = "the cube decision at every score"


class MatrixOptions(QuestionOptions, frozen=True, kw_only=True):
    """The question for the cube decision at every score."""

    away: Annotated[
        int,
        option(f"the largest number of points away, 2 to {MAX_MATRIX_AWAY}", "N", ge=2, le=MAX_MATRIX_AWAY),
    ] = DEFAULT_MATRIX_AWAY
    cube_value: Annotated[int, option("value of the cube", "VALUE")] = 1
    letters: Annotated[bool, option("show the letters without the equities")] = False


def run(options: MatrixOptions) -> int:
    """Run the tool; its errors are those of `answer_question`."""
    away, cube, has_equities = options.away, options.cube_value, not options.letters
    return answer_question(
        options,
        lambda session, control: show_matrix(session, control, away, cube, equities=has_equities),
        lambda _: {"want": ["matrix"], "away": away, "cube": cube, "equities": has_equities},
    )


COMMAND = ToolCommand(MatrixOptions, run)
