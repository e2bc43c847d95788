"""Benchmarks of clusters: what it costs to hand chunks of a second to workers of this machine."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from engine.errors import UnsupportedError
from engine.rollout.runner import TrialBlock
from engine.rollout.settings import RolloutSettings
from engine.rollout.trial_scoring import TrialCubes, TrialScoring
from engine.rules.rules import STANDARD_RULES
from tools.bench.measure import BenchmarkSubject, Measurement, check_answer
from tools.parallel.cluster import ClusterExecutor
from tools.parallel.rollout_blocks import RolloutPlayers, RolloutTask, play_block

CHUNK_S = 1.0
CHUNKS_PER_WORKER = 4
ROUNDS = 3
WORKERS = (1, 2)
EMPTY_TASKS = 1_000

_FIRST_TRIALS = 72


@dataclass(frozen=True)
class _Timing:
    """A run of all chunks: by the clock and in processor time, with their scores."""

    took_s: float
    spent_s: float
    scores: list[NDArray[np.float64]]


def bench_cluster(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure chunks of a rollout in threads and by workers, in turns, and tasks without work."""
    try:
        ClusterExecutor("local:1")
    except UnsupportedError as error:
        yield Measurement("cluster", "chunks of a rollout", None, "%", error.message)
        return
    players = RolloutPlayers(subject.net, STANDARD_RULES, 0, 0)
    trials = _choose_trials(players)
    for workers in WORKERS:
        tasks = _make_tasks(players, trials, CHUNKS_PER_WORKER * workers)
        with ClusterExecutor(f"local:{workers}") as executor:
            deque(executor.map(_run_task, _make_tasks(players, min(36, trials), 4 * workers)), 0)
            pairs = [(_run_here(tasks, workers), _run_there(executor, tasks)) for _ in range(ROUNDS)]
            for here, there in pairs:
                same = all(map(np.array_equal, here.scores, there.scores))
                check_answer(same, "workers of a cluster roll out otherwise than threads")
            what = f"more than {workers} thread{'s'[: workers != 1]}, {workers} worker{'s'[: workers != 1]}"
            note = f"{len(tasks)} chunks of {pairs[0][0].spent_s / len(tasks):.2f} s, {ROUNDS} times in turns"
            for kind, ratios in (
                ("time", [there.took_s / here.took_s for here, there in pairs]),
                ("processor time", [there.spent_s / here.spent_s for here, there in pairs]),
            ):
                yield Measurement("cluster", f"{kind} {what}", 100 * (median(ratios) - 1), "%", note)
            yield _bench_empty_tasks(executor, workers)


def _bench_empty_tasks(executor: ClusterExecutor, workers: int) -> Measurement:
    began_s = time.perf_counter()
    found = list(executor.map(_do_nothing, range(EMPTY_TASKS)))
    each_s = (time.perf_counter() - began_s) / EMPTY_TASKS
    check_answer(found == list(range(EMPTY_TASKS)), "results of a cluster come in another order")
    return Measurement("cluster", f"a task without work, {workers} workers", 1000 * each_s, "ms")


def _choose_trials(players: RolloutPlayers) -> int:
    """Return how many trials take a second of processor time."""
    (task,) = _make_tasks(players, _FIRST_TRIALS, 1)
    play_block(task)
    began_s = time.thread_time()
    play_block(task)
    return max(1, round(_FIRST_TRIALS * CHUNK_S / (time.thread_time() - began_s)))


def _make_tasks(players: RolloutPlayers, trials: int, count: int) -> list[RolloutTask]:
    """Return tasks with so many trials each of the opening position."""
    board, scoring = STANDARD_RULES.starting_position.board[None], TrialScoring()
    settings = RolloutSettings(trials=trials * count, stop_jsd=0.0)
    return [
        RolloutTask(
            players,
            TrialBlock(board, TrialCubes.make_initial(1), range(first, first + trials), settings, scoring),
        )
        for first in range(0, trials * count, trials)
    ]


def _run_here(tasks: Sequence[RolloutTask], threads: int) -> _Timing:
    began_s, spent_s = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(threads) as pool:
        scores = [found for found, _ in pool.map(play_block, tasks)]
    return _Timing(time.perf_counter() - began_s, time.process_time() - spent_s, scores)


def _run_there(executor: ClusterExecutor, tasks: Sequence[RolloutTask]) -> _Timing:
    began_s, spent_s = time.perf_counter(), time.process_time()
    found = list(executor.map(_run_task, tasks))
    took_s, here_s = time.perf_counter() - began_s, time.process_time() - spent_s
    return _Timing(took_s, here_s + sum(each for _, each in found), [scores for scores, _ in found])


def _run_task(task: RolloutTask) -> tuple[NDArray[np.float64], float]:
    """Return the scores, and the processor time of the worker."""
    began_s = time.process_time()
    scores, _ = play_block(task)
    return scores, time.process_time() - began_s


def _do_nothing(number: int) -> int:
    return number
