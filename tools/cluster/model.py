"""A model of a cluster at work: where scheduler, size of chunks or reduction limit what more workers bring.

The command sends tasks, a few ahead of the results, and takes these in the order of the tasks, as
`gammond.tools.parallel.cluster.ClusterExecutor.map` does. The scheduler and the command do one thing at a
time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

from gammond.engine.errors import missing_package
from gammond.tools.parallel.cluster import LEAST_AHEAD, TASKS_AHEAD

_SEED = 20
_MANY = 1_000_000
_FULL_SHARE = 0.9
"""From this share of its time on, a part counts as what limits the others."""


@dataclass(frozen=True)
class ClusterCosts:
    """What a task costs besides its work, in seconds of processor time.

    Attributes:
        scheduler_s: Of the scheduler, for each task.
        client_s: Of the process that hands out tasks.
        worker_s: Of the worker.
        scheduler_mb_s: Of the scheduler, for each megabyte of results.
        client_mb_s: Of the process that hands out tasks.
        worker_mb_s: Of the worker.
    """

    scheduler_s: float
    client_s: float
    worker_s: float
    scheduler_mb_s: float = 0.0
    client_mb_s: float = 0.0
    worker_mb_s: float = 0.0


@dataclass(frozen=True)
class PlannedJob:
    """A job whose course is computed.

    Attributes:
        tasks: How many.
        chunk_s: The mean work of a task.
        spread: The standard deviation of that, as a share of the mean.
        result_mb: Megabytes of a result.
        reduction_s: What the command does with each result.
    """

    tasks: int
    chunk_s: float
    spread: float = 0.0
    result_mb: float = 0.0
    reduction_s: float = 0.0


@dataclass(frozen=True)
class JobCourse:
    """How a job went.

    Attributes:
        took_s: From the first task to the last result.
        efficiency: The share of the workers' time that was work.
        scheduler_share: The share of the time in which the scheduler was busy.
        client_share: The same of the process that hands out tasks.
    """

    took_s: float
    efficiency: float
    scheduler_share: float
    client_share: float

    @property
    def limit(self) -> str:
        """What keeps more workers from bringing more: ``scheduler``, ``command`` or nothing."""
        share, name = max((self.scheduler_share, "scheduler"), (self.client_share, "command"))
        return name if share >= _FULL_SHARE else ""


@dataclass(frozen=True)
class SharedMachine:
    """A machine that a whole cluster shares with other work.

    Attributes:
        cores: How many it has.
        stretch: How much longer a second of processor time takes by the clock, for one process.
    """

    cores: int
    stretch: float

    @property
    def processes(self) -> int:
        """How many of the cluster get that much of it at a time."""
        return max(1, round(self.cores * self.stretch))


def simulate_job(
    costs: ClusterCosts, job: PlannedJob, workers: int, machine: SharedMachine | None = None
) -> JobCourse:
    """Compute the course of a job, the same each time.

    Args:
        costs: Of a task.
        job: The job, whose tasks sleep where there is a machine.
        workers: How many there are.
        machine: Has all parts of the cluster; None where each has a processor of its own.

    Raises:
        UnsupportedError: The package simpy is missing.
    """
    return _Simulation(costs, job, workers, machine).run()


class _Simulation:
    """A cluster at work on a job."""

    def __init__(
        self, costs: ClusterCosts, job: PlannedJob, workers: int, machine: SharedMachine | None
    ) -> None:
        try:
            import simpy
        except ModuleNotFoundError as error:
            raise missing_package("a plan needs", "simpy", "cluster", "plan") from error
        self._job = job
        self._count = workers
        self._world = simpy.Environment()
        self._scheduler = simpy.Resource(self._world)
        self._workers = simpy.Resource(self._world, workers)
        self._stretch = 1.0 if machine is None else machine.stretch
        self._processors = simpy.Resource(self._world, _MANY if machine is None else machine.processes)
        self._send_s = costs.client_s / 2
        self._take_s = costs.client_s / 2 + job.result_mb * costs.client_mb_s + job.reduction_s
        self._assign_s = costs.scheduler_s / 2
        self._pass_on_s = costs.scheduler_s / 2 + job.result_mb * costs.scheduler_mb_s
        self._extra_s = costs.worker_s + job.result_mb * costs.worker_mb_s

    def run(self) -> JobCourse:
        job = self._job
        self._world.run(self._world.process(self._hand_out()))
        took_s = float(self._world.now)
        return JobCourse(
            took_s,
            float(sum(self._draw_chunks()) / (self._count * took_s)),
            job.tasks * (self._assign_s + self._pass_on_s) / took_s,
            job.tasks * (self._send_s + self._take_s) / took_s,
        )

    def _draw_chunks(self) -> Iterator[float]:
        """Yield the work of each task: log-normal."""
        job = self._job
        if not job.spread:
            yield from repeat(job.chunk_s, job.tasks)
            return
        variance = np.log1p(job.spread**2)
        random = np.random.default_rng(_SEED)
        yield from job.chunk_s * random.lognormal(-variance / 2, variance**0.5, job.tasks)

    def _hand_out(self) -> Generator[Any, Any, None]:
        """Send the tasks, and take the results in their order."""
        window = max(LEAST_AHEAD, (1 + TASKS_AHEAD) * self._count)
        waiting: deque[Any] = deque()
        for chunk_s in self._draw_chunks():
            yield from self._compute(self._send_s)
            waiting.append(self._world.process(self._do_task(chunk_s)))
            if len(waiting) >= window:
                yield waiting.popleft()
                yield from self._compute(self._take_s)
        for result in waiting:
            yield result
            yield from self._compute(self._take_s)

    def _do_task(self, chunk_s: float) -> Generator[Any, Any, None]:
        with self._scheduler.request() as turn:
            yield turn
            yield from self._compute(self._assign_s)
        with self._workers.request() as turn:
            yield turn
            yield self._world.timeout(chunk_s)
            yield from self._compute(self._extra_s)
        with self._scheduler.request() as turn:
            yield turn
            yield from self._compute(self._pass_on_s)

    def _compute(self, seconds: float) -> Generator[Any, Any, None]:
        """Use a processor for so many seconds of its time."""
        with self._processors.request() as turn:
            yield turn
            yield self._world.timeout(seconds * self._stretch)
