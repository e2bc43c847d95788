"""Benchmarks of rollouts: 1,296 trials of the opening position, in full and truncated."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gammond.engine.analysis.rollout_requests import make_rollout_evaluators
from gammond.engine.evaluation.results import Evaluation
from gammond.engine.rollout import RolloutEvaluators, RolloutSettings, roll_out_position
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.runtime.machine import count_usable_cores
from gammond.engine.statistics import ValueWithError
from gammond.tools.bench.gnubg_timing import GNUBG_TIME_NOTE, TimedRollout, time_gnubg
from gammond.tools.bench.measure import BenchmarkSubject, Measurement, check_answer

TRIALS = 1296
CHECK_TRIALS = 72
TRUNCATION = 7
GNUBG_TRIALS = {"full": 144, "full, less variance": 36, "7-ply truncated, less variance": 216}
"""Trials of each kind by gnubg; its times are scaled up."""

_FULL = RolloutSettings(trials=TRIALS, variance_reduction=False, stop_jsd=0.0)
_KINDS = {
    "full": _FULL,
    "full, less variance": replace(_FULL, variance_reduction=True),
    "7-ply truncated, less variance": replace(_FULL, variance_reduction=True, truncation=TRUNCATION),
}
_MAX_STANDARD_ERRORS = 4.5


def bench_rollouts(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure 0-ply rollouts of the opening position, threads, and gnubg."""
    evaluators = make_rollout_evaluators(subject.engine)
    check_rollouts(evaluators)
    for kind, settings in _KINDS.items():
        took_s, found = _time_rollout(evaluators, settings)
        assert found.error is not None
        note = f"{subject.engine.name}, equity {ValueWithError(found.equity, found.error):+.3f}"
        yield Measurement(f"{TRIALS} trials, {kind}", took_s, "s", note)
    yield _bench_threads(evaluators)
    yield from _bench_gnubg()


def check_rollouts(evaluators: RolloutEvaluators) -> None:
    """Check that threads change nothing, and that variance reduction changes no mean beyond the error.

    Raises:
        WrongAnswerError: One of them does.
    """
    few = {kind: replace(settings, trials=CHECK_TRIALS) for kind, settings in _KINDS.items()}
    start = STANDARD_RULES.starting_position
    (plain, alone), (reduced, _) = (
        roll_out_position(start, evaluators, few[kind]) for kind in ("full", "full, less variance")
    )
    _, shared = roll_out_position(start, evaluators, replace(few["full"], threads=2))
    same = np.array_equal(alone.state.scores[0], shared.state.scores[0])
    check_answer(same, "two threads roll out otherwise than one")
    apart = abs(plain.equity - reduced.equity)
    error = math.hypot(plain.error or 0.0, reduced.error or 0.0)
    check_answer(
        apart <= _MAX_STANDARD_ERRORS * error,
        f"less variance moves the equity by {apart:.3f}, error {error:.3f}",
    )


def _time_rollout(evaluators: RolloutEvaluators, settings: RolloutSettings) -> tuple[float, Evaluation]:
    """Roll out the opening position; return the seconds and the estimate."""
    roll_out_position(STANDARD_RULES.starting_position, evaluators, replace(settings, trials=CHECK_TRIALS))
    started_s = time.perf_counter()
    estimate, _ = roll_out_position(STANDARD_RULES.starting_position, evaluators, settings)
    return time.perf_counter() - started_s, estimate


def _bench_threads(evaluators: RolloutEvaluators) -> Measurement:
    what = "two threads against one"
    if count_usable_cores() < 2:
        return Measurement(what, None, "times", "skipped: there is one core")
    kind = "full, less variance"
    alone_s, shared_s = (
        _time_rollout(evaluators, replace(_KINDS[kind], threads=threads))[0] for threads in (1, 2)
    )
    return Measurement(what, alone_s / shared_s, "times", kind)


def _bench_gnubg() -> Iterator[Measurement]:
    asked = tuple(
        TimedRollout(trials, _KINDS[kind].variance_reduction, _KINDS[kind].truncation > 0)
        for kind, trials in GNUBG_TRIALS.items()
    )
    found = time_gnubg(rollouts=asked)
    for place, (kind, trials) in enumerate(GNUBG_TRIALS.items()):
        what = f"gnubg, {TRIALS} trials, {kind}"
        if isinstance(found, str):
            yield Measurement(what, None, "s", found)
        else:
            scaled_s = found["rollouts"][place] * TRIALS / trials
            yield Measurement(what, scaled_s, "s", f"{GNUBG_TIME_NOTE}, scaled up from {trials}")
