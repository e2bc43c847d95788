"""Work on a cluster of Dask: tasks go to its workers, results come back in the order of the tasks.

The scheduler gives a task whose worker is gone to another one. It forgets everything when it ends itself, so
whoever wants to go on later keeps each result as it comes. Programs and nets of workers are compared with
those here before they do anything, since only the same ones give the same results.
"""

from __future__ import annotations

import math
import os
import secrets
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from itertools import count as count_up
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from gammond.engine.errors import LimitError, StateError, ValueRangeError, missing_package
from gammond.engine.options import MAX_QUOTED_CHARS
from gammond.engine.runtime.machine import MAX_THREADS
from gammond.tools.parallel.cluster_key import find_key_file
from gammond.tools.parallel.executor import do_nothing, map_ahead
from gammond.tools.parallel.identity import ProgramIdentity, check_identity, check_nets, read_identity

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")

LOCAL_PREFIX = "local:"
"""Before the number of workers of a cluster on this machine, which lasts as long as the command."""

TLS_PREFIX = "tls://"
"""Before all addresses of the library: nothing else is spoken."""

LOOPBACK = "127.0.0.1"

_CONNECT_S = 10
_COUNT_EVERY_S = 1.0
"""How often a job asks the scheduler for the number of workers."""

TASKS_AHEAD = 2
"""Tasks that each worker has besides the one at hand, so that it never waits."""

LEAST_AHEAD = 8
"""Tasks that are out at a time, however few workers there are."""

_MOST_DEATHS = 5
"""Workers that may die of one task before it counts as the cause."""

_MOST_TASK_CHARS = 500
"""Of a task in a message."""

_LOG_LEVEL = "DASK_LOGGING__DISTRIBUTED", "critical"

DASK_CONFIG = {
    "distributed.scheduler.allowed-failures": _MOST_DEATHS - 1,
    "distributed.comm.timeouts.connect": f"{_CONNECT_S}s",
    "distributed.worker.daemon": False,
    "distributed.worker.profile.enabled": False,
    "distributed.admin.log-length": 100,
    "distributed.admin.tick.interval": "1s",  # 20 ms took 2 % of a core of each worker, and 4 % of one here
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.scheduler.active-memory-manager.start": False,  # no result is copied
    # 64 kB made workers ask the system for the same memory again and again: 4 to 7 % of a rollout
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None,
    "distributed.deploy.lost-worker-timeout": "365 days",  # one that dies is started again
    "distributed.comm.require-encryption": True,
    "distributed.comm.default-scheme": "tls",
    "distributed.scheduler.http.routes": [],  # pages without a key would tell anybody what goes on
    "distributed.worker.http.routes": [],
}
"""Settings of the library for schedulers, workers and those who ask them."""


class ClusterGoneError(LimitError):
    """The scheduler is gone, with all tasks that it had: go on elsewhere with what is finished."""


@dataclass(frozen=True)
class ClusterJob:
    """What all tasks of a job have in common.

    Attributes:
        identity: The program.
        nets: Name of a player or evaluator -> sha256 of its nets by their names.
    """

    identity: ProgramIdentity
    nets: Mapping[str, Mapping[str, str]]

    def run(self, work: Callable[[_Task], _Result], task: _Task) -> _Result:
        """Do work on a task, in a worker: not for another program or with other nets.

        Raises:
            StateError: The program or a net differs.
        """
        check_identity(self.identity)
        check_nets(self.nets)
        return work(task)


class ClusterExecutor:
    """An `Executor` whose work is done by the workers of a cluster.

    Args:
        address: Of the scheduler, as ``HOST:PORT``; or ``local:N`` for N workers of this machine.
        nets: As `ClusterJob`.

    Raises:
        ValueRangeError: The address is none.
        UnsupportedError: The library is missing.
    """

    def __init__(self, address: str, nets: Mapping[str, Mapping[str, str]] | None = None) -> None:
        self._address = address
        self._local_count = read_local_count(address)
        self._distributed = import_distributed()
        self._job = ClusterJob(read_identity(), nets or {})
        self._name = f"gammond-{secrets.token_hex(8)}"
        self._numbers = count_up()
        self._stack = ExitStack()
        self._client: Any = None
        self._counted, self._counted_s = 0, -math.inf

    @property
    def count(self) -> int:
        """How many workers there were in the last second, 1 at least."""
        now_s = time.monotonic()
        if now_s - self._counted_s > _COUNT_EVERY_S:
            self._counted, self._counted_s = self.count_workers(), now_s
        return max(1, self._counted)

    @property
    def runs_here(self) -> bool:
        """Never."""
        return False

    @property
    def note(self) -> str:
        """How many workers there are."""
        workers = self.count_workers()
        return format_workers(workers) if workers else "waits for workers"

    def __enter__(self) -> ClusterExecutor:
        """Connect.

        Raises:
            StateError: No scheduler answers there, or there is no key.
            DataFileError: The key cannot be used.
        """
        with ExitStack() as stack:
            if self._local_count:
                stack.enter_context(use_dask_settings())
                address = stack.enter_context(start_local_workers(self._local_count))
            else:
                stack.enter_context(use_dask_settings(find_key_file()))
                address = add_scheme(self._address)
            self._client = stack.enter_context(self._connect(address))
            self._stack = stack.pop_all()
        return self

    def _connect(self, address: Any) -> Any:  # noqa: ANN401  (the library's)
        try:
            return self._distributed.Client(address, timeout=_CONNECT_S, set_as_default=False)
        except (OSError, ValueError) as error:
            raise StateError(
                f"no cluster of the same key answers at {self._address[:MAX_QUOTED_CHARS]}: `gammond cluster "
                "start` begins one, says its address, and where its key is that all machines need",
                field="cluster",
            ) from error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client = None
        self._stack.close()

    def check_connection(self) -> None:
        """Do nothing while the scheduler answers.

        Raises:
            ClusterGoneError: It does not.
        """
        if self._client is None or self._client.status != "running":
            raise self._make_gone_error()

    def list_workers(self) -> list[tuple[str, int, ProgramIdentity]]:
        """List the workers: address, how many tasks each has, and what it runs."""
        found = self._client.run(read_identity)
        tasks = self._client.processing()
        return [(name, len(tasks.get(name, ())), found[name]) for name in sorted(found)]

    def for_nets(self, nets: Mapping[str, Mapping[str, str]]) -> ClusterExecutor:
        """Return an executor for other nets with the same connection, which this one opens and closes.

        Args:
            nets: As `ClusterJob`.
        """
        other = copy(self)
        other._job = replace(self._job, nets=nets)
        return other

    def map(
        self, work: Callable[[_Task], _Result], tasks: Iterable[_Task], check: Callable[[], None] = do_nothing
    ) -> Iterator[_Result]:
        """Do work on each task; see `gammond.tools.parallel.executor.Executor`."""

        def count_ahead() -> int:
            return max(LEAST_AHEAD, (1 + TASKS_AHEAD) * self.count)

        return map_ahead(partial(self.submit, work), tasks, count_ahead, check)

    def submit(self, work: Callable[[_Task], _Result], task: _Task) -> Future[_Result]:
        """Do work on one task; see `gammond.tools.parallel.executor.Executor`.

        Raises:
            ClusterGoneError: The connection is lost.
        """
        answer: Future[_Result] = Future()
        key = f"{self._name}-{next(self._numbers)}"
        try:
            sent = self._client.submit(self._job.run, work, task, key=key, pure=False)
        except Exception as error:
            if self._client is not None and self._client.status == "running":
                raise
            raise self._make_gone_error() from error

        def pass_on(done: Any) -> None:  # noqa: ANN401  (a future of the library)
            if not answer.set_running_or_notify_cancel():
                return
            try:
                answer.set_result(self._await(task, done))
            except Exception as error:
                answer.set_exception(error)

        def drop(answered: Future[_Result]) -> None:
            if answered.cancelled() and self._client is not None and self._client.status == "running":
                self._client.cancel([sent])

        sent.add_done_callback(pass_on)
        answer.add_done_callback(drop)
        return answer

    def _await(self, task: object, future: Any) -> Any:  # noqa: ANN401  (the library's, and any result)
        """Return the result of a task.

        Raises:
            Exception: What the work raised.
            LimitError: It kills its workers.
            ClusterGoneError: The scheduler is gone.
        """
        distributed = self._distributed
        try:
            return future.result()
        except distributed.scheduler.KilledWorker as error:
            raise LimitError(
                f"{_MOST_DEATHS} workers died of the same task, so it was given up; it is "
                f"{shorten_task(task)}",
                field="cluster",
            ) from error
        except (distributed.client.FutureCancelledError, OSError) as error:
            raise self._make_gone_error() from error

    def _make_gone_error(self) -> ClusterGoneError:
        return ClusterGoneError(
            f"the cluster at {self._address} is gone: what is finished is kept; the same command goes on "
            "from there, with a cluster or without",
            field="cluster",
        )

    def count_workers(self) -> int:
        """Return how many workers there are now."""
        return 0 if self._client is None else int(self._client.scheduler_info(n_workers=0)["n_workers"])


def shorten_task(task: object) -> str:
    """Return a task in words, on one line and not too long."""
    return textwrap.shorten(str(task), _MOST_TASK_CHARS, placeholder=" ...")


def format_workers(count: int) -> str:
    """Format a number of workers with its noun."""
    return f"{count} worker{'s'[: count != 1]}"


def read_local_count(address: str) -> int:
    """Return the number of workers of ``local:N``; 0 for the address of a scheduler.

    Raises:
        ValueRangeError: The address is neither.
    """
    if address.startswith(LOCAL_PREFIX):
        digits = address.removeprefix(LOCAL_PREFIX)
        if digits.isascii() and digits.isdigit() and 1 <= int(digits) <= MAX_THREADS:
            return int(digits)
    else:
        host, _, port = address.removeprefix(TLS_PREFIX).rpartition(":")
        if host and "/" not in host and port.isascii() and port.isdigit() and 1 <= int(port) <= 65535:
            return 0
    raise ValueRangeError(
        f"expected HOST:PORT of a cluster's scheduler, or {LOCAL_PREFIX}N for N workers of this machine (1 "
        f"to {MAX_THREADS}), got {address[:MAX_QUOTED_CHARS]!r}",
        field="cluster",
    )


def add_scheme(address: str) -> str:
    """Return the address of a scheduler as the library takes it."""
    return TLS_PREFIX + address.removeprefix(TLS_PREFIX)


def start_local_workers(count: int, security: Any = None) -> Any:  # noqa: ANN401  (the library's)
    """Start a scheduler and workers of this machine, which end with the caller.

    Args:
        count: How many workers.
        security: The library's; None for a key that nobody else has.

    Returns:
        A cluster of the library, a context manager.
    """
    distributed = import_distributed()
    return distributed.LocalCluster(
        n_workers=count,
        threads_per_worker=1,
        processes=True,
        host=LOOPBACK,
        security=security or distributed.Security.temporary(),
        dashboard_address=f"{LOOPBACK}:0",
        memory_limit=0,
        silence_logs="ERROR",
        preload=["gammond"],
    )


@contextmanager
def use_dask_settings(key: Path | None = None) -> Iterator[None]:
    """Let the library have the settings of this program.

    Its files go to a folder that nobody else can write, since workers look for modules there.

    Args:
        key: Of `gammond.tools.parallel.cluster_key`; without one only what has its own can be spoken with.
    """
    import dask

    keys = {f"distributed.comm.tls.{role}.cert": str(key) for role in ("client", "scheduler", "worker")}
    tls = {"distributed.comm.tls.ca-file": str(key), **keys} if key else {}
    with (
        tempfile.TemporaryDirectory(prefix="gammond-cluster-", ignore_cleanup_errors=True) as scratch,
        dask.config.set({**DASK_CONFIG, **tls, "temporary-directory": scratch}),
    ):
        yield


def import_distributed() -> Any:  # noqa: ANN401  (a library without types of its own)
    """Return the library.

    Raises:
        UnsupportedError: It is missing, or what makes keys for it.
    """
    os.environ.setdefault(*_LOG_LEVEL)  # workers inherit it; what counts comes back as an error
    try:
        import cryptography  # noqa: F401  (makes keys)
        import distributed
    except ImportError as error:
        raise missing_package("--cluster needs", error.name or "distributed", "cluster", "cluster") from None
    return distributed
