"""Run by gnubg's own Python: times its searches and rollouts of the questions in a file, in CPU seconds.

The paths of the questions and of the answers come in the environment variables ``QUESTIONS`` and ``ANSWERS``.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_SETTINGS = """\
set threads 1
set automatic roll off
set automatic game off
set automatic move off
set automatic bearoff off
set player 0 human
set player 1 human
set evaluation chequerplay evaluation plies 2
set rollout cubeful off
set rollout quasirandom on
set rollout chequerplay plies 0
set rollout cubedecision plies 0
set rollout limit enable off
set rollout jsd stop off
set rollout seed 1
set rollout truncation plies 7
set rollout truncation chequerplay plies 0
set rollout truncation cubedecision plies 0
new game
set turn 1"""


def main() -> None:
    """Answer the questions."""
    import gnubg

    questions = json.loads(Path(os.environ["QUESTIONS"]).read_text())
    for line in _SETTINGS.splitlines():
        gnubg.command(line)
    answers = {
        "plays": [_time_play(gnubg, position, dice) for position, dice in questions["plays"]],
        "values": [_time_evaluation(gnubg, position) for position in questions["values"]],
        "rollouts": [_time_rollout(gnubg, *rollout) for rollout in questions["rollouts"]],
    }
    Path(os.environ["ANSWERS"]).write_text(json.dumps(answers))


def _time_play(gnubg: Any, position: str, dice: list[int]) -> float:  # noqa: ANN401  (the module has no types)
    gnubg.command(f"set board {position}")
    gnubg.command(f"set dice {dice[0]} {dice[1]}")
    return _measure_cpu_s(lambda: gnubg.command("hint"))


def _time_evaluation(gnubg: Any, position: str) -> float:  # noqa: ANN401
    board = gnubg.positionfromid(position)
    cube = gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0, 0)
    return _measure_cpu_s(lambda: gnubg.evaluate(board, cube, gnubg.evalcontext(0, 2, 1, 1, 0.0)))


def _time_rollout(
    gnubg: Any,  # noqa: ANN401
    position: str,
    trials: int,
    uses_variance_reduction: bool,
    is_truncated: bool,
) -> float:
    gnubg.command("set turn 1")
    gnubg.command(f"set board {position}")
    gnubg.command(f"set rollout trials {trials}")
    gnubg.command(f"set rollout varredn {'on' if uses_variance_reduction else 'off'}")
    gnubg.command(f"set rollout truncation enable {'on' if is_truncated else 'off'}")
    return _measure_cpu_s(lambda: gnubg.command("rollout"))


def _measure_cpu_s(work: Callable[[], object]) -> float:
    started_s = time.process_time()
    work()
    return time.process_time() - started_s


if __name__ == "__main__":
    main()
