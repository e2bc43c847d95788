"""What a task of a cluster costs besides its work, measured with a cluster of processes of this machine."""

from __future__ import annotations

import secrets
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from gammond.engine.errors import LimitError, StateError
from gammond.tools.cluster.model import ClusterCosts
from gammond.tools.parallel.cluster import LOOPBACK, ClusterExecutor

_START_S = 120.0
_LEAST_PORT, _PORTS = 20_000, 12_000
"""Below those that systems give to connections."""

_STRETCH_S = 0.1
_LARGE_MB = 1.0
_LARGE_SHARE = 4
"""For each so many tasks without a result, one has a large one."""


@dataclass(frozen=True)
class ProcessCluster:
    """A cluster of processes of its own on this machine.

    Attributes:
        executor: Connected to it.
        scheduler: The process of the scheduler.
        workers: That which starts the workers.
    """

    executor: ClusterExecutor
    scheduler: subprocess.Popen[bytes]
    workers: subprocess.Popen[bytes]

    def read_times_s(self) -> tuple[float, float, float]:
        """Return the processor time that scheduler, this process and all workers have used."""
        import psutil

        parts = psutil.Process(self.workers.pid).children(recursive=True)
        spent = [
            sum(each.cpu_times()[:2])
            for each in (psutil.Process(self.scheduler.pid), psutil.Process(), *parts)
        ]
        return spent[0], spent[1], sum(spent[2:])


@contextmanager
def start_cluster(workers: int) -> Iterator[ProcessCluster]:
    """Start a scheduler and workers, as `gammond cluster` does, and end them with the block.

    Args:
        workers: How many.

    Raises:
        LimitError: They did not start in two minutes.
    """
    address = f"{LOOPBACK}:{_LEAST_PORT + secrets.randbelow(_PORTS)}"
    with ExitStack() as stack:
        scheduler = stack.enter_context(_start("start", "--port", address.rpartition(":")[2]))
        processes = stack.enter_context(_start("worker", address, "--threads", str(workers)))
        executor = stack.enter_context(_connect(address))
        end_s = time.monotonic() + _START_S
        while executor.count_workers() < workers:
            if time.monotonic() > end_s:
                raise LimitError(f"{workers} workers did not start in {_START_S:g} s", field="workers")
            time.sleep(0.05)
        deque(executor.map(sleep_for, [0.0] * 4 * workers), 0)  # which loads the program
        yield ProcessCluster(executor, scheduler, processes)


def measure_costs(cluster: ProcessCluster, tasks: int) -> ClusterCosts:
    """Measure what a task costs each part: one without work, and one with a megabyte as its result."""
    small = _measure(cluster, [0.0] * tasks)
    large = _measure(cluster, [_LARGE_MB] * (tasks // _LARGE_SHARE))
    more = [max(0.0, one - other) / _LARGE_MB for one, other in zip(large, small, strict=True)]
    return ClusterCosts(*small, *more)


def time_tasks(cluster: ProcessCluster, chunk_s: float, tasks: int) -> float:
    """Return how long tasks take that sleep."""
    began_s = time.perf_counter()
    deque(cluster.executor.map(sleep_for, [chunk_s] * tasks), 0)
    return time.perf_counter() - began_s


def measure_stretch() -> float:
    """Return how much longer a second of processor time takes by the clock, since others have it too."""
    began_s, spent_s = time.perf_counter(), time.thread_time()
    while time.thread_time() - spent_s < _STRETCH_S:
        pass
    return max(1.0, (time.perf_counter() - began_s) / (time.thread_time() - spent_s))


def sleep_for(seconds: float) -> None:
    """Sleep, as a task."""
    time.sleep(seconds)


def make_bytes(megabytes: float) -> bytes:
    """Return so many megabytes, as a task."""
    return bytes(int(megabytes * 1e6))


def _measure(cluster: ProcessCluster, sizes: list[float]) -> list[float]:
    """Return the processor time of each part for a task, whose results have these sizes."""
    before = cluster.read_times_s()
    deque(cluster.executor.map(make_bytes, sizes), 0)
    after = cluster.read_times_s()
    return [(late - early) / len(sizes) for early, late in zip(before, after, strict=True)]


@contextmanager
def _start(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "gammond", "cluster", *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.terminate()


@contextmanager
def _connect(address: str) -> Iterator[ClusterExecutor]:
    """Connect to a scheduler that is starting."""
    end_s = time.monotonic() + _START_S
    while True:
        try:
            executor = ClusterExecutor(address).__enter__()
            break
        except StateError:
            if time.monotonic() > end_s:
                raise
            time.sleep(0.1)
    try:
        yield executor
    finally:
        executor.__exit__(None, None, None)
