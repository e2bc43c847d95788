"""The option `--cluster`, and the executor that it or a number of processes means."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Annotated

from gammond.tools.common.command_options import option
from gammond.tools.common.opponents import collect_net_hashes
from gammond.tools.parallel.cluster import LOCAL_PREFIX, ClusterExecutor
from gammond.tools.parallel.executor import Executor
from gammond.tools.parallel.processes import ProcessPool

Cluster = Annotated[
    str,
    option(
        "let the workers of a cluster share the work: HOST:PORT of `gammond cluster start`, or "
        f"{LOCAL_PREFIX}N for N workers of this machine; the result is the same",
        "ADDRESS",
    ),
]
"""``--cluster``, which does not change the result."""


def make_executor(processes: int, cluster: str, nets: Mapping[str, Mapping[str, str]]) -> Executor:
    """Make the executor of a command, to be used as a context manager.

    Args:
        processes: How many processes of this machine share the work where there is no cluster.
        cluster: The value of ``--cluster``, empty for none.
        nets: Name of each player or evaluator that tasks name -> sha256 of its nets by their names, which
            workers must have; nothing for tasks that hold their nets themselves.

    Raises:
        ValueRangeError: The number or the address is out of range.
        UnsupportedError: A package is missing.
    """
    return ClusterExecutor(cluster, nets) if cluster else ProcessPool(processes)


def open_cluster(address: str, net: str) -> AbstractContextManager[Executor | None]:
    """Open the cluster whose workers share the work of a command that this process does with threads.

    Args:
        address: The value of ``--cluster``; empty for none, which gives None.
        net: The name of the evaluator that workers must have.

    Raises:
        ValueRangeError: The address is out of range.
        UnsupportedError: A package is missing.
        GammondError: There is no such evaluator.
    """
    return ClusterExecutor(address, {net: collect_net_hashes(net)}) if address else nullcontext()
