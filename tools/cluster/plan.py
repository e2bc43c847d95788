"""`gammond cluster plan`: how many workers a job can use, computed from small measurements made here."""

from __future__ import annotations

import argparse
import json
import secrets
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from gammond.engine.errors import LimitError, StateError, ValueRangeError
from gammond.engine.runtime.exit_codes import EXIT_OK
from gammond.engine.runtime.machine import count_usable_cores
from gammond.tools.cluster.model import ClusterCosts, PlannedJob, SharedMachine, simulate_job
from gammond.tools.common.progress import write_message
from gammond.tools.common.text_table import format_table
from gammond.tools.parallel.cluster import LOOPBACK, ClusterExecutor, format_workers

DEFAULT_WORKERS = (10, 100, 1000)
DEFAULT_CHUNKS_S = (0.1, 0.5, 1.0, 5.0, 20.0)
CHECKED_WORKERS = (1, 2, 4)
CHECKED_CHUNKS_S = (0.0, 0.02, 0.1)
"""Of the tasks that sleep, by which the model is checked."""

MAX_WORKERS = 10_000

_MEASURED_TASKS = 400
_CHECKED_S = 2.0
"""About how long a check takes."""

_CHECK_NAMES = ("workers", "chunk_s", "measured_tasks_per_s", "model_tasks_per_s")
"""What a check of the model has."""

_TASKS_PER_WORKER = 12
_SPREAD = 0.25
_RESULT_MB = 0.02
_REDUCTION_S = 0.0002
"""Of a block of rollout trials."""

_START_S = 120.0
_LEAST_PORT, _PORTS = 20_000, 12_000
"""Below those that systems give to connections."""

_STRETCH_S = 0.1
_LARGE_MB = 1.0
_LARGE_SHARE = 4
"""For each so many tasks without a result, one has a large one."""


def add_plan_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--sizes",
        type=int,
        nargs="+",
        default=list(DEFAULT_WORKERS),
        metavar="N",
        help="numbers of workers to compute (default 10 100 1000)",
    )
    parser.add_argument(
        "--chunks",
        type=float,
        nargs="+",
        default=list(DEFAULT_CHUNKS_S),
        metavar="SECONDS",
        help="work of a task (default .1 .5 1 5 20)",
    )
    parser.add_argument(
        "--result-mb", type=float, default=_RESULT_MB, metavar="MB", help="size of a result (default .02)"
    )
    parser.add_argument(
        "--reduction-ms",
        type=float,
        default=1000 * _REDUCTION_S,
        metavar="MS",
        help="what the command does with each result (default .2)",
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object in place of the tables")


def show_plan(args: argparse.Namespace) -> int:
    """Measure, check the model, and write the plan.

    Returns:
        0.

    Raises:
        ValueRangeError: A number is out of range.
        UnsupportedError: A package is missing.
        LimitError: The cluster here did not start.
    """
    _check(args)
    checks: list[dict[str, float]] = []
    costs = None
    for workers in CHECKED_WORKERS:
        write_message("gammond cluster plan", f"measures with {format_workers(workers)}")
        with start_cluster(workers) as cluster:
            if costs is None:
                costs = measure_costs(cluster, _MEASURED_TASKS)
            for chunk_s in CHECKED_CHUNKS_S:
                tasks = _choose_count(costs, chunk_s, workers)
                before = measure_stretch()
                took_s = time_tasks(cluster, chunk_s, tasks)
                machine = SharedMachine(count_usable_cores(), (before + measure_stretch()) / 2)
                course = simulate_job(costs, PlannedJob(tasks, chunk_s), workers, machine)
                rates = tasks / took_s, tasks / course.took_s
                checks.append(dict(zip(_CHECK_NAMES, (workers, chunk_s, *rates), strict=True)))
    assert costs is not None
    plan = list(compute_plan(costs, args.sizes, args.chunks, args.result_mb, args.reduction_ms / 1000))
    if args.json:
        sys.stdout.write(json.dumps({"costs": asdict(costs), "checks": checks, "plan": plan}) + "\n")
    else:
        sys.stdout.write("\n".join((_format_costs(costs), _format_checks(checks), _format_plan(plan))))
    return EXIT_OK


def compute_plan(
    costs: ClusterCosts,
    workers: Sequence[int],
    chunks_s: Sequence[float],
    result_mb: float = _RESULT_MB,
    reduction_s: float = _REDUCTION_S,
) -> Iterator[dict[str, Any]]:
    """Yield how jobs go with each number of workers and each size of chunks, as rows.

    Args:
        costs: Of a task.
        workers: The numbers of workers.
        chunks_s: The work of a task.
        result_mb: Megabytes of a result.
        reduction_s: What the command does with each result.
    """
    for chunk_s in chunks_s:
        for count in workers:
            job = PlannedJob(_TASKS_PER_WORKER * count, chunk_s, _SPREAD, result_mb, reduction_s)
            course = simulate_job(costs, job, count)
            yield {"chunk_s": chunk_s, "workers": count, **asdict(course), "limit": course.limit}


def _check(args: argparse.Namespace) -> None:
    for name, values, most in (("sizes", args.sizes, MAX_WORKERS), ("chunks", args.chunks, 1e6)):
        for value in values:
            if not 0 < value <= most:
                raise ValueRangeError(
                    f"--{name}: expected numbers above 0, at most {most:,g}, got {value:g}", field=name
                )
    for name in ("result_mb", "reduction_ms"):
        if not 0 <= getattr(args, name) <= 1e4:
            raise ValueRangeError(
                f"--{name.replace('_', '-')}: expected 0 to 10,000, got {getattr(args, name):g}", field=name
            )


def _choose_count(costs: ClusterCosts, chunk_s: float, workers: int) -> int:
    """Return how many tasks take some seconds."""
    each_s = max(chunk_s / workers, costs.scheduler_s, costs.client_s)
    return max(4 * workers, int(_CHECKED_S / each_s))


def _format_costs(costs: ClusterCosts) -> str:
    rows = [
        (part, f"{1000 * task_s:.2f}", f"{1000 * mb_s:.1f}")
        for part, task_s, mb_s in (
            ("scheduler", costs.scheduler_s, costs.scheduler_mb_s),
            ("command", costs.client_s, costs.client_mb_s),
            ("worker", costs.worker_s, costs.worker_mb_s),
        )
    ]
    return format_table(("processor time here", "ms a task", "ms a MB of results"), rows)


def _format_checks(checks: Sequence[dict[str, float]]) -> str:
    rows = []
    for each in checks:
        workers, chunk_s, *rates = (each[name] for name in _CHECK_NAMES)
        rows.append((f"{workers:.0f}", f"{chunk_s:g}", *(f"{rate:.0f}" for rate in rates)))
    return format_table(("workers", "s asleep", "tasks/s here", "tasks/s by the model"), rows)


def _format_plan(plan: Sequence[dict[str, Any]]) -> str:
    counts = list(dict.fromkeys(each["workers"] for each in plan))
    found = {(each["chunk_s"], each["workers"]): each for each in plan}
    rows = []
    for chunk_s in dict.fromkeys(each["chunk_s"] for each in plan):
        cells = [found[chunk_s, count] for count in counts]
        shares = [f"{100 * each['efficiency']:.0f} % {each['limit']}".strip() for each in cells]
        rows.append((f"{chunk_s:g}", *shares))
    return format_table(("s a task", *(f"{count:,} workers" for count in counts)), rows)


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
        end_s = time.monotonic() + _START_S
        executor = _connect(address, end_s, stack)
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


def _connect(address: str, end_s: float, stack: ExitStack) -> ClusterExecutor:
    """Connect to a scheduler that is starting, until the stack is left.

    Raises:
        StateError: It does not answer by that time.
    """
    while True:
        try:
            return stack.enter_context(ClusterExecutor(address))
        except StateError:
            if time.monotonic() > end_s:
                raise
            time.sleep(0.1)
