"""Run by gnubg's own Python: its values of the cube decisions in a file, written to another.

The paths of the questions and of the answers come in the environment variables ``QUESTIONS`` and ``ANSWERS``.
The questions are the path of the match equity table, the look-ahead and the decisions.
"""

from __future__ import annotations

import json
import os
from pathlib import Path


def main() -> None:
    """Answer the questions."""
    import gnubg

    questions = json.loads(Path(os.environ["QUESTIONS"]).read_text())
    gnubg.command(f"set met {questions['table']}")
    settings = gnubg.evalcontext(1, questions["plies"], 1, 1, 0.0)
    answers = []
    for case in questions["decisions"]:
        board = gnubg.positionfromid(case["position_id"])
        cube = gnubg.cubeinfo(
            case["cube"], case["owner"], 0, case["length"], tuple(case["score"]), case["crawford"], 0
        )
        cube["jacoby"], cube["beavers"] = case["jacoby"], 0
        _, no_double, take, _, _, verdict = gnubg.cfevaluate(board, cube, settings)
        answers.append([no_double, take, verdict])
    Path(os.environ["ANSWERS"]).write_text(json.dumps(answers))


if __name__ == "__main__":
    main()
