"""Run by gnubg's own Python: its values of the cube decisions in a file, written to another.

The paths of the decisions, of the answers and of the match equity table come in the environment variables
``DECISIONS``, ``ANSWERS`` and ``TABLE``, the look-ahead in ``PLIES``.
"""

from __future__ import annotations

import json
import os
from pathlib import Path


def main() -> None:
    """Answer the questions."""
    import gnubg

    gnubg.command(f"set met {os.environ['TABLE']}")
    settings = gnubg.evalcontext(1, int(os.environ["PLIES"]), 1, 1, 0.0)
    answers = []
    for case in json.loads(Path(os.environ["DECISIONS"]).read_text()):
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
