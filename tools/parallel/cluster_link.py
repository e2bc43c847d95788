"""The connection of a server to a cluster, made and looked after by a thread: no client waits for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress

from gammond.engine.analysis.engine import Engine
from gammond.engine.errors import GammondError, StateError
from gammond.engine.match_analysis.analysis import AnalysisSettings, DecisionAnalyser
from gammond.nets.catalogue import SHIPPED
from gammond.protocol.core.fault_log import FAULT_LOG
from gammond.tools.common.opponents import collect_net_hashes
from gammond.tools.parallel.cluster import ClusterExecutor, ClusterGoneError, format_workers
from gammond.tools.parallel.rollout_blocks import ExecutorBlocks, RolloutPlayers
from gammond.tools.parallel.shared_decisions import SharedDecisions

_LOOK_EVERY_S = 0.5
"""How often workers are counted."""

_REST_S = 10.0
"""After a failure, how long this process does its work itself before the cluster is tried again."""

_END_S = 3.0
"""How long a server that ends waits for the connection to close."""


class ClusterLink:
    """A cluster for long work of a server's clients: `gammond.protocol.state.cluster_work.ClusterWork`.

    Args:
        address: As for `ClusterExecutor`.
        say: Tells the operator.

    Raises:
        ValueRangeError: The address is none.
        UnsupportedError: The library is missing.
    """

    def __init__(self, address: str, say: Callable[[str], None]) -> None:
        ClusterExecutor(address)
        self._address = address
        self._say = say
        self._is_ending = threading.Event()
        self._executor: ClusterExecutor | None = None
        self._workers = 0
        self._rests_until_s = 0.0
        self._said = ""
        self._nets: dict[str, Mapping[str, str]] = {}

    @contextmanager
    def keep_open(self) -> Iterator[None]:
        """Connect during the block, again and again if need be."""
        thread = threading.Thread(target=self._run, name="cluster", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._is_ending.set()
            thread.join(_END_S)

    def count_workers(self) -> int:
        """Return how many workers there are now; 0 while there is no connection."""
        return self._workers

    def make_blocks(self, engine: Engine, plies: int, leaf_plies: int) -> ExecutorBlocks | None:
        """Make what plays the trials of a rollout; None if nobody can at present."""
        executor = self._find_executor(engine)
        players = RolloutPlayers(engine.name, engine.rules, plies, leaf_plies)
        return None if executor is None else ExecutorBlocks(executor, players)

    def make_analyser(
        self, engine: Engine, settings: AnalysisSettings, cancelled: Callable[[], bool]
    ) -> DecisionAnalyser | None:
        """Make what analyses the decisions of matches; None if nobody can at present."""
        executor = self._find_executor(engine)
        if executor is None:
            return None
        return SharedDecisions(executor, engine.name, settings, cancelled).analyse_all

    def check(self) -> None:
        """Do nothing while there are workers.

        Raises:
            ClusterGoneError: There are none any more.
        """
        if not self._workers:
            raise ClusterGoneError(f"the cluster at {self._address} has no workers", field="cluster")

    def covers(self, error: GammondError) -> bool:
        """Return whether this process is to go on with work after an error, and the cluster to rest."""
        is_refusal = isinstance(error, StateError) and error.field == "cluster"
        if is_refusal:
            self._rest(error.message)
        return is_refusal or isinstance(error, ClusterGoneError)

    def _find_executor(self, engine: Engine) -> ClusterExecutor | None:
        """Return what hands out work that an engine does; None if nobody can do it."""
        executor, name = self._executor, engine.name
        if executor is None or not self._workers or name not in SHIPPED.list_evaluators():
            return None
        if name not in self._nets:
            self._nets[name] = collect_net_hashes(name)
        return executor.for_nets({name: self._nets[name]})

    def _run(self) -> None:
        while not self._is_ending.is_set():
            try:
                with ClusterExecutor(self._address) as executor:
                    self._follow(executor)
            except GammondError as error:
                self._rest(error.message)
            except Exception as error:  # of the library: the cluster is tried again
                FAULT_LOG.log("the connection to the cluster failed", error)
                self._rest(f"the cluster at {self._address} cannot be used: {error}")
            self._is_ending.wait(max(0.0, self._rests_until_s - time.monotonic()))

    def _follow(self, executor: ClusterExecutor) -> None:
        """Let a cluster work while it answers.

        Raises:
            ClusterGoneError: It does no more.
        """
        self._executor = executor
        try:
            while not self._is_ending.wait(_LOOK_EVERY_S):
                executor.check_connection()
                rests = time.monotonic() < self._rests_until_s
                self._workers = 0 if rests else executor.count_workers()
                if self._workers:
                    self._tell(f"long work goes to {format_workers(self._workers)} at {self._address}")
                elif not rests:
                    self._tell(f"the cluster at {self._address} has no workers: long work is done here")
        finally:
            self._executor, self._workers = None, 0

    def _rest(self, reason: str) -> None:
        self._workers, self._rests_until_s = 0, time.monotonic() + _REST_S
        self._tell(f"{reason}; long work is done here meanwhile")

    def _tell(self, line: str) -> None:
        if line != self._said:
            self._said = line
            with suppress(OSError):
                self._say(line)
