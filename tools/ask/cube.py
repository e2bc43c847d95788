"""Analyse the cube decision of one position before the roll: double or not, take or pass.

    gammond cube "XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:-1:63:0:0:0:3:8"
    gammond cube 2M7IATDgdw8GAA --match 7 --score 3 2

Dice in the position do not count. `gammond matrix` shows the decision at every score.
"""

from __future__ import annotations

import argparse

from gammond.protocol.repl.answers.analysis import show_cube_decision
from gammond.tools.ask.question import add_question_arguments, answer_question

SUMMARY = "whether to double, and whether to take"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_question_arguments(parser, has_cube=False)


def main(args: argparse.Namespace) -> int:
    """Run the tool; its errors are those of `answer_question`."""
    return answer_question(args, show_cube_decision, lambda _: {"want": ["eval", "cube"]})
