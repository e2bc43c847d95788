"""Evaluate one position before the roll: winning chances and equities.

    gammond eval 4HPwATDgc/ABMA
    gammond eval "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10" --plies 2

Dice in the position do not count: `gammond hint` ranks their plays. Without a score in the position, --match
and the options beside it set one. A file of positions is for `gammond batch`.
"""

from __future__ import annotations

import argparse

from protocol.repl.answers.analysis import show_evaluation
from tools.ask.question import add_question_arguments, answer_question, run_query

SUMMARY = "winning chances and equities of a position"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_question_arguments(parser)


def main(args: argparse.Namespace) -> int:
    """Run the tool; its errors are those of `answer_question`."""
    return answer_question(
        args,
        lambda session, control: show_evaluation(session, {}, control),
        lambda session, control: run_query(session, control, {"want": ["eval"]}),
    )
