"""Analyse the cube decision of one position before the roll: double or not, take or pass.

    gammond cube "XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:-1:63:0:0:0:3:8"
    gammond cube 2M7IATDgdw8GAA --match 7 --score 3 2

Dice in the position do not count. `gammond matrix` shows the decision at every score.
"""

from __future__ import annotations

from gammond.protocol.repl.answers.analysis import show_cube_decision
from gammond.tools.ask.question import ScoredQuestionOptions, answer_question
from gammond.tools.common.command_options import ToolCommand

SUMMARY = "whether to double, and whether to take"


def run(options: ScoredQuestionOptions) -> int:
    """Run the tool; its errors are those of `answer_question`."""
    return answer_question(options, show_cube_decision, lambda _: {"want": ["eval", "cube"]})


COMMAND = ToolCommand(ScoredQuestionOptions, run)
