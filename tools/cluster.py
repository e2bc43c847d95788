"""`gammond cluster`: begin a cluster for `--cluster`, add workers to it, and look at it.

    gammond cluster start             on one machine: the scheduler
    gammond cluster worker HOST:PORT  on each machine: a worker for each core
    gammond cluster status HOST:PORT  who works, and which program they run

They speak TLS, and only who has the key is let in, which the first `start` puts into the data folder; other
machines need a copy of that file (docs/guide/cluster.md).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Struct

from gammond.engine.errors import StateError, UnsupportedError
from gammond.engine.runtime.exit_codes import EXIT_FAULTS, EXIT_OK
from gammond.protocol.transports.listening import check_host
from gammond.tools.common.command_group import CommandGroup
from gammond.tools.common.command_options import CORES, ToolCommand, argument, option, threads_option
from gammond.tools.common.pulse import PULSE
from gammond.tools.common.reports import format_table
from gammond.tools.parallel.cluster import (
    LOOPBACK,
    ClusterExecutor,
    add_scheme,
    format_workers,
    import_distributed,
    read_local_count,
    use_dask_settings,
)
from gammond.tools.parallel.cluster_key import find_key_file, make_key_file
from gammond.tools.parallel.identity import read_identity

SUMMARY = "begin a cluster for --cluster, add workers to it, look at it"

DEFAULT_PORT = 8786
"""The library's own."""

_QUIET = "--no-dashboard", "--dashboard-address", f"{LOOPBACK}:0"
"""No page of the library, and its answers about its health at a free port of this machine alone."""

MAX_WORKER_WAIT_S = 60
"""How long a worker looks for a scheduler that does not answer."""


class _StartOptions(Struct, frozen=True, kw_only=True):
    """Where a scheduler listens."""

    host: Annotated[str, option("where to listen")] = LOOPBACK
    port: Annotated[int, option("its port", ge=1, le=65535)] = DEFAULT_PORT
    allow_remote: Annotated[bool, option("allow a host that other machines reach")] = False


class _WorkOptions(Struct, frozen=True, kw_only=True):
    """For which cluster this machine works, and with how many processes."""

    address: Annotated[str, argument("HOST:PORT", "of the scheduler, as `start` says it")]
    threads: Annotated[int, threads_option("processes that work")] = CORES
    host: Annotated[str, option("where this machine listens (default as the scheduler reaches it)")] = ""


class _StatusOptions(Struct, frozen=True, kw_only=True):
    """The cluster that is described."""

    address: Annotated[str, argument("HOST:PORT", "of the scheduler")]


def _start(given: _StartOptions) -> int:
    """Begin a cluster.

    Raises:
        UnsupportedError: The library is missing, or others could reach the cluster and that was not allowed.
    """
    import_distributed()
    from distributed.cli.dask_scheduler import main as run_scheduler

    check_host(given.host, allow_remote=given.allow_remote)
    address, key = f"{given.host}:{given.port}", make_key_file()
    with use_dask_settings(key):
        sys.stderr.write(
            f"gammond: the cluster is at {address}; on each machine that works for it: "
            f"gammond cluster worker {address}\n"
            f"gammond: other machines need a copy of its key, {key}, in their data folder\n"
        )
        sys.stderr.flush()
        options = ["--host", given.host, "--port", str(given.port), "--protocol", "tls"]
        return _run(run_scheduler, [*options, *_QUIET])


def _work(given: _WorkOptions) -> int:
    """Work for a cluster.

    Raises:
        UnsupportedError: The library is missing, or the address is none of a scheduler.
        StateError: No scheduler answers.
    """
    import_distributed()
    from distributed.cli.dask_worker import main as run_worker

    if read_local_count(given.address):
        raise UnsupportedError(f"expected HOST:PORT of a scheduler, got {given.address}", field="address")
    options = [add_scheme(given.address), "--nworkers", str(given.threads), "--nthreads", "1", *_QUIET]
    options += ["--memory-limit", "0", "--preload", "gammond", "--death-timeout", str(MAX_WORKER_WAIT_S)]
    if given.host or LOOPBACK in given.address:
        options += ["--host", given.host or LOOPBACK]
    with use_dask_settings(find_key_file()):
        sys.stderr.write(f"gammond: {format_workers(given.threads)} for {given.address}: {read_identity()}\n")
        sys.stderr.flush()
        return _run(run_worker, options)


def _run(command: Any, options: Sequence[str]) -> int:  # noqa: ANN401  (a command of the library)
    """Run a command of the library until a signal ends it."""
    PULSE.stop()
    try:
        command.main(list(options), standalone_mode=False)
    except (KeyboardInterrupt, SystemExit):
        pass
    except (OSError, TimeoutError) as error:
        raise StateError(f"the cluster cannot go on: {error}", field="cluster") from error
    return 0


def _show(given: _StatusOptions) -> int:
    """Show who works for a cluster; return 1 where one runs another program.

    Raises:
        UnsupportedError: The library is missing.
        StateError: No scheduler answers.
    """
    import_distributed()
    with ClusterExecutor(given.address) as executor:
        own, found = read_identity(), executor.list_workers()
    rows = [
        (address, str(tasks), "the same program" if identity == own else str(identity))
        for address, tasks, identity in found
    ]
    sys.stdout.write(f"{given.address}: {format_workers(len(found))}; here {own}\n")
    if rows:
        sys.stdout.write(format_table(("worker", "tasks", "program"), rows))
    return EXIT_OK if all(identity == own for _, _, identity in found) else EXIT_FAULTS


COMMAND = CommandGroup(
    {
        "start": ToolCommand(
            _StartOptions, _start, "begin a cluster: its scheduler, which lasts until Ctrl-C"
        ),
        "worker": ToolCommand(
            _WorkOptions,
            _work,
            "work for a cluster until Ctrl-C",
            "A worker that is killed is started again.",
        ),
        "status": ToolCommand(
            _StatusOptions, _show, "show who works for a cluster, and whether all run the same program"
        ),
    },
    "ACTION",
)
