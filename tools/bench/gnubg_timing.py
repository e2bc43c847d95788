"""The peer of `gammond bench`: gnubg's nets, searches and rollouts on the same questions, where installed."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from functools import lru_cache
from pathlib import Path

from gammond.engine.errors import LimitError
from gammond.engine.formats.position_id import encode_position_ids
from gammond.engine.rules.outcome import WIN
from gammond.engine.rules.position import Board
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.tools.bench.measure import BenchmarkSubject, Measurement, check_answer
from gammond.tools.gnubg import find_gnubg
from gammond.tools.gnubg.console import ask_gnubg_python

GNUBG_TIME_NOTE = "its CPU time, one thread"

_CALIBRATION = re.compile(r"Calibration result: *([\d.]+)")
_OPENING = "4HPwATDgc/ABMA"
_SCRIPT = Path(__file__).with_name("gnubg_script.py")
_TIMEOUT_S = 120.0


def bench_gnubg(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Report gnubg's own calibration, where it is installed."""
    program = find_gnubg()
    if program is None:
        yield Measurement("gnubg, calibrate", None, "positions/s", "skipped: gnubg is not installed")
    else:
        yield _run_calibration(program)


def bench_gnubg_nets(subject: BenchmarkSubject) -> Measurement:
    """Measure gnubg's nets on the same positions, where the package gnubg-nn is installed."""
    what = "gnubg-nn, 0-ply"
    try:
        import gnubg_nn as peer
    except ImportError:
        return Measurement(what, None, "positions/s", "skipped: gnubg-nn is not installed")
    win = peer.probabilities(peer.board_from_position_id(_OPENING), 0)[WIN]
    ours = float(subject.evaluator.evaluate(STANDARD_RULES.starting_position.board[None])[0, WIN])
    check_answer(
        abs(win - ours) < 0.1, f"gnubg gives the opening {win:.3f} wins, {subject.evaluator.name} {ours:.3f}"
    )
    return Measurement(
        what,
        measure_gnubg_rate(subject.boards),
        "positions/s",
        f"called one by one; {GNUBG_TIME_NOTE}",
    )


def measure_gnubg_rate(boards: Board) -> float:
    """Measure positions per second of CPU time of gnubg's nets, called one by one.

    Args:
        boards: ``int8[n, 2, 26]``. gnubg-nn caches evaluations, so each distinct position is evaluated once;
            the rate is right if this process has not evaluated them before.

    Raises:
        ImportError: The package gnubg-nn is missing.
    """
    import gnubg_nn as peer

    asked = [peer.board_from_position_id(text) for text in dict.fromkeys(encode_position_ids(boards))]
    started_s = time.process_time()
    for board in asked:
        peer.probabilities(board, 0)
    return len(asked) / (time.process_time() - started_s)


def _run_calibration(program: str) -> Measurement:
    what = "gnubg, calibrate"
    try:
        ended = subprocess.run(
            [program, "-t", "-q"],
            input="calibrate 3\n",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Measurement(what, None, "positions/s", "skipped: no result within 60 s")
    found = _CALIBRATION.search(ended.stdout)
    if found is None:
        return Measurement(what, None, "positions/s", "skipped: it printed no result")
    return Measurement(what, float(found[1]), "positions/s", "static evaluations by its own count")


@dataclass(frozen=True)
class TimedRollout:
    """A rollout of the opening position by gnubg: trials, variance reduction, truncation after 7 plies."""

    trials: int
    uses_variance_reduction: bool
    is_truncated: bool


@lru_cache(maxsize=8)
def time_gnubg(
    plays: tuple[tuple[str, tuple[int, int]], ...] = (),
    values: tuple[str, ...] = (),
    rollouts: tuple[TimedRollout, ...] = (),
) -> dict[str, list[float]] | str:
    """Time gnubg's plays and evaluations at 2-ply, and its rollouts of the opening position.

    Args:
        plays: GNU position IDs and rolls.
        values: GNU position IDs.
        rollouts: Of the opening position.

    Returns:
        The CPU seconds of each, in lists of ``plays``, ``values`` and ``rollouts``; or why there are none.
    """
    program = find_gnubg()
    if program is None:
        return "skipped: gnubg is not installed"
    asked = [(_OPENING, *astuple(each)) for each in rollouts]
    questions = {"plays": plays, "values": values, "rollouts": asked}
    try:
        times: dict[str, list[float]] | None = ask_gnubg_python(program, _SCRIPT, questions, _TIMEOUT_S)
    except LimitError:
        return f"skipped: no result within {_TIMEOUT_S:.0f} s"
    return times or "skipped: this gnubg has no Python inside"
