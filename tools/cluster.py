"""`gammond cluster`: begin a cluster for `--cluster`, add workers to it, and look at it.

    gammond cluster start             on one machine: the scheduler
    gammond cluster worker HOST:PORT  on each machine: a worker for each core
    gammond cluster status HOST:PORT  who works, and which program they run

They speak TLS, and only who has the key is let in, which the first `start` puts into the data folder; other
machines need a copy of that file (docs/guide/cluster.md).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from gammond.engine.errors import StateError, UnsupportedError
from gammond.engine.runtime.exit_codes import EXIT_FAULTS, EXIT_OK
from gammond.engine.runtime.machine import MAX_THREADS, count_usable_cores
from gammond.protocol.transports.listening import check_host
from gammond.tools.common.options import check_number
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands and their options."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    start = actions.add_parser(
        "start",
        help="begin a cluster: its scheduler, which lasts until Ctrl-C",
        description="Begin a cluster: its scheduler, which lasts until Ctrl-C.",
    )
    start.add_argument("--host", default=LOOPBACK, help="where to listen (default %(default)s)")
    start.add_argument("--port", type=int, default=DEFAULT_PORT, help="its port (default %(default)s)")
    start.add_argument("--allow-remote", action="store_true", help="allow a host that other machines reach")
    worker = actions.add_parser(
        "worker",
        help="work for a cluster until Ctrl-C",
        description="Work for a cluster until Ctrl-C. A worker that is killed is started again.",
    )
    worker.add_argument("address", metavar="HOST:PORT", help="of the scheduler, as `start` says it")
    worker.add_argument(
        "--threads", type=int, metavar="N", help="processes that work (default one for each core)"
    )
    worker.add_argument("--host", help="where this machine listens (default as the scheduler reaches it)")
    status = actions.add_parser(
        "status",
        help="who works for a cluster, and whether all run the same program",
        description="Show who works for a cluster, and whether all run the same program as this one.",
    )
    status.add_argument("address", metavar="HOST:PORT", help="of the scheduler")


def main(args: argparse.Namespace) -> int:
    """Run the tool.

    Returns:
        0; 1 if `status` finds another program.

    Raises:
        UnsupportedError: The library is missing, or others could reach the cluster and that was not allowed.
        ValueRangeError: A number or an address is out of range.
        StateError: No scheduler answers.
    """
    import_distributed()
    act = {"start": _start, "worker": _work, "status": _show}[args.action]
    return act(args)


def _start(args: argparse.Namespace) -> int:
    from distributed.cli.dask_scheduler import main as run_scheduler

    check_host(args.host, allow_remote=args.allow_remote)
    check_number("port", args.port, 1, 65535)
    address, key = f"{args.host}:{args.port}", make_key_file()
    with use_dask_settings(key):
        sys.stderr.write(
            f"gammond: the cluster is at {address}; on each machine that works for it: "
            f"gammond cluster worker {address}\n"
            f"gammond: other machines need a copy of its key, {key}, in their data folder\n"
        )
        sys.stderr.flush()
        options = ["--host", args.host, "--port", str(args.port), "--protocol", "tls"]
        return _run(run_scheduler, [*options, *_QUIET])


def _work(args: argparse.Namespace) -> int:
    from distributed.cli.dask_worker import main as run_worker

    if read_local_count(args.address):
        raise UnsupportedError(f"expected HOST:PORT of a scheduler, got {args.address}", field="address")
    count = count_usable_cores() if args.threads is None else args.threads
    check_number("threads", count, 1, MAX_THREADS)
    options = [add_scheme(args.address), "--nworkers", str(count), "--nthreads", "1", *_QUIET]
    options += ["--memory-limit", "0", "--preload", "gammond", "--death-timeout", str(MAX_WORKER_WAIT_S)]
    if args.host is not None or LOOPBACK in args.address:
        options += ["--host", args.host or LOOPBACK]
    with use_dask_settings(find_key_file()):
        sys.stderr.write(f"gammond: {format_workers(count)} for {args.address}: {read_identity()}\n")
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


def _show(args: argparse.Namespace) -> int:
    with ClusterExecutor(args.address) as executor:
        own, found = read_identity(), executor.list_workers()
    rows = [
        (address, str(tasks), "the same program" if identity == own else str(identity))
        for address, tasks, identity in found
    ]
    sys.stdout.write(f"{args.address}: {format_workers(len(found))}; here {own}\n")
    if rows:
        sys.stdout.write(format_table(("worker", "tasks", "program"), rows))
    return EXIT_OK if all(identity == own for _, _, identity in found) else EXIT_FAULTS
