"""`gammond cluster plan`: how many workers a job can use, computed from small measurements made here."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from gammond.engine.errors import ValueRangeError
from gammond.engine.runtime.exit_codes import EXIT_OK
from gammond.engine.runtime.machine import count_usable_cores
from gammond.tools.cluster.costs import measure_costs, measure_stretch, start_cluster, time_tasks
from gammond.tools.cluster.model import ClusterCosts, JobCourse, PlannedJob, SharedMachine, simulate_job
from gammond.tools.common.progress import write_message
from gammond.tools.common.text_table import format_table

DEFAULT_WORKERS = (10, 100, 1000)
DEFAULT_CHUNKS_S = (0.1, 0.5, 1.0, 5.0, 20.0)
CHECKED_WORKERS = (1, 2, 4)
CHECKED_CHUNKS_S = (0.0, 0.02, 0.1)
"""Of the tasks that sleep, by which the model is checked."""

MAX_WORKERS = 10_000

_MEASURED_TASKS = 400
_CHECKED_S = 2.0
"""About how long a check takes."""

_TASKS_PER_WORKER = 12
_SPREAD = 0.25
_RESULT_MB = 0.02
_REDUCTION_S = 0.0002
"""Of a block of rollout trials."""


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
        _say(f"measures with {workers} worker{'s'[: workers != 1]}")
        with start_cluster(workers) as cluster:
            if costs is None:
                costs = measure_costs(cluster, _MEASURED_TASKS)
            for chunk_s in CHECKED_CHUNKS_S:
                tasks = _choose_count(costs, chunk_s, workers)
                before = measure_stretch()
                took_s = time_tasks(cluster, chunk_s, tasks)
                machine = SharedMachine(count_usable_cores(), (before + measure_stretch()) / 2)
                course = simulate_job(costs, PlannedJob(tasks, chunk_s), workers, machine)
                checks.append(_make_check(workers, chunk_s, tasks, took_s, course))
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


def _make_check(
    workers: int, chunk_s: float, tasks: int, took_s: float, course: JobCourse
) -> dict[str, float]:
    return {
        "workers": workers,
        "chunk_s": chunk_s,
        "measured_tasks_per_s": tasks / took_s,
        "model_tasks_per_s": tasks / course.took_s,
    }


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
    rows = [
        (
            f"{each['workers']:.0f}",
            f"{each['chunk_s']:g}",
            f"{each['measured_tasks_per_s']:.0f}",
            f"{each['model_tasks_per_s']:.0f}",
        )
        for each in checks
    ]
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


def _say(text: str) -> None:
    write_message("gammond cluster plan", text)
