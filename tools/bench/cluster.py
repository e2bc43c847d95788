"""Benchmarks of clusters: what it costs to hand chunks of a second to workers of this machine."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean, stdev
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.cubeful import CUBELESS_GAME
from gammond.engine.errors import UnsupportedError
from gammond.engine.rollout.settings import RolloutSettings
from gammond.engine.rollout.trials import TrialBlock
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.engine.wording import format_count
from gammond.tools.bench.measure import BenchmarkSubject, Measurement, check_answer
from gammond.tools.parallel.cluster import ClusterExecutor, format_workers
from gammond.tools.parallel.rollout_blocks import RolloutPlayers, RolloutTask, play_block

CHUNK_S = 1.0
CHUNKS_PER_WORKER = 4
ROUNDS = 10
WORKERS = (1, 2)
EMPTY_TASKS = 1_000

_FIRST_TRIALS = 72
_WARM_UP_TRIALS = 36


class _Chunk(NamedTuple):
    """Work that was done: by which process, when it began and ended by the clock, and the scores."""

    process: int
    begin_s: float
    end_s: float
    scores: NDArray[np.float64]


@dataclass(frozen=True)
class _Timing:
    """A run of all chunks.

    Attributes:
        took_s: By the clock.
        spent_s: Processor time of all processes.
        chunks: All of them.
    """

    took_s: float
    spent_s: float
    chunks: list[_Chunk]

    @property
    def margins_s(self) -> float:
        """How long no chunk was at work, before the first and after the last."""
        return (
            self.took_s - max(each.end_s for each in self.chunks) + min(each.begin_s for each in self.chunks)
        )

    @property
    def gaps_s(self) -> list[float]:
        """How long each process waited between each two chunks."""
        chunks = sorted(self.chunks, key=lambda each: each[:3])
        return [
            after.begin_s - before.end_s
            for before, after in pairwise(chunks)
            if after.process == before.process
        ]


def bench_cluster(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure chunks of a rollout in threads and by workers, in turns, and tasks without work."""
    try:
        ClusterExecutor("local:1")
    except UnsupportedError as error:
        yield Measurement("chunks of a rollout", None, "%", error.message)
        return
    players = RolloutPlayers(subject.net, STANDARD_RULES, 0, 0)
    trials = _choose_trials(players)
    for workers in WORKERS:
        began_s = time.perf_counter()
        with ClusterExecutor(f"local:{workers}") as executor:
            first = _make_tasks(players, min(_WARM_UP_TRIALS, trials), 4 * workers)
            deque(executor.map(_run_task, first), 0)
            who = format_workers(workers)
            start_s = time.perf_counter() - began_s
            yield Measurement(f"start of {who}, nets loaded", start_s, "s", "once a command")
            yield from _compare(executor, _make_tasks(players, trials, CHUNKS_PER_WORKER * workers), workers)
            yield _bench_empty_tasks(executor, who)


def _compare(executor: ClusterExecutor, tasks: Sequence[RolloutTask], workers: int) -> Iterator[Measurement]:
    """Measure tasks in threads and by as many workers that are started, in turns."""
    pairs = [(_run_here(tasks, workers), _run_there(executor, tasks)) for _ in range(ROUNDS)]
    for here, there in pairs:
        both = zip(here.chunks, there.chunks, strict=True)
        same = all(np.array_equal(own.scores, other.scores) for own, other in both)
        check_answer(same, "workers of a cluster roll out otherwise than threads")
    runs = [there for _, there in pairs]
    who = format_workers(workers)
    what = f"{who} over {format_count(workers, 'thread')}"
    chunk_s = mean(here.spent_s for here, _ in pairs) / len(tasks)
    note = f"{len(tasks)} chunks of {chunk_s:.2f} s, {ROUNDS} times in turns"
    for kind, ratios in (
        ("time", [there.took_s / here.took_s for here, there in pairs]),
        ("processor time", [there.spent_s / here.spent_s for here, there in pairs]),
    ):
        extra = [100 * (ratio - 1) for ratio in ratios]
        error = f"standard error {stdev(extra) / ROUNDS**0.5:.1f}" if ROUNDS > 1 else "once"
        yield Measurement(f"{kind}, {what}", mean(extra), "%", f"{error}; {note}")
    gap_s = mean(gap for each in runs for gap in each.gaps_s)
    yield Measurement(f"wait between chunks, {who}", 1000 * gap_s, "ms")
    margin_s = mean(each.margins_s for each in runs)
    yield Measurement(f"start and end of a job, {who}", 1000 * margin_s, "ms", "no chunk at work")


def _bench_empty_tasks(executor: ClusterExecutor, who: str) -> Measurement:
    began_s = time.perf_counter()
    found = list(executor.map(_do_nothing, range(EMPTY_TASKS)))
    each_s = (time.perf_counter() - began_s) / EMPTY_TASKS
    check_answer(found == list(range(EMPTY_TASKS)), "results of a cluster come in another order")
    return Measurement(f"a task without work, {who}", 1000 * each_s, "ms")


def _choose_trials(players: RolloutPlayers) -> int:
    """Return how many trials take a second of processor time."""
    (task,) = _make_tasks(players, _FIRST_TRIALS, 1)
    play_block(task)
    began_s = time.thread_time()
    play_block(task)
    return max(1, round(_FIRST_TRIALS * CHUNK_S / (time.thread_time() - began_s)))


def _make_tasks(players: RolloutPlayers, trials: int, count: int) -> list[RolloutTask]:
    """Return tasks with so many trials each of the opening position."""
    board = STANDARD_RULES.starting_position.board[None]
    settings = RolloutSettings(trials=trials * count, stop_jsd=0.0)
    return [
        RolloutTask(
            players,
            TrialBlock(board, range(first, first + trials), settings, CUBELESS_GAME),
        )
        for first in range(0, trials * count, trials)
    ]


def _run_here(tasks: Sequence[RolloutTask], threads: int) -> _Timing:
    with ThreadPoolExecutor(threads) as pool:
        return _time_run(lambda: pool.map(_run_task, tasks))


def _run_there(executor: ClusterExecutor, tasks: Sequence[RolloutTask]) -> _Timing:
    return _time_run(lambda: executor.map(_run_task, tasks))


def _time_run(run: Callable[[], Iterable[_Chunk]]) -> _Timing:
    began_s, spent_s = time.time(), _read_spent_s()
    chunks = list(run())
    took_s, spent_s = time.time() - began_s, _read_spent_s() - spent_s
    since = [each._replace(begin_s=each.begin_s - began_s, end_s=each.end_s - began_s) for each in chunks]
    return _Timing(took_s, spent_s, since)


def _read_spent_s() -> float:
    """Return the processor time of this process and those that it started."""
    import psutil

    own = psutil.Process()
    return sum(sum(each.cpu_times()[:2]) for each in (own, *own.children(recursive=True)))


def _run_task(task: RolloutTask) -> _Chunk:
    began_s = time.time()
    scores, _ = play_block(task)
    return _Chunk(os.getpid(), began_s, time.time(), scores)


def _do_nothing(number: int) -> int:
    return number
