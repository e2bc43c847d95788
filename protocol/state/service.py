"""What all clients of one process share: the engines, the caps and a clock."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar

from gammond.engine.analysis.engine import Engine
from gammond.engine.errors import ValueRangeError
from gammond.engine.options import MAX_QUOTED_CHARS
from gammond.engine.runtime.machine import count_usable_cores
from gammond.engine.store.options import NO_STORE, StoreOptions, check_store_file
from gammond.nets.catalogue import SHIPPED
from gammond.protocol.core.kept_answers import KeptAnswers
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.state.cluster_work import ClusterWork
from gammond.protocol.state.player_registry import NO_FILE_PLAYERS, FilePlayers, PlayerRegistry
from gammond.protocol.state.readiness import QuickWork
from gammond.protocol.state.rollout_store import RolloutStore

_SharedT = TypeVar("_SharedT")

AUTHOR = "the gammond authors"


@dataclass(frozen=True)
class EngineCatalogue:
    """The source of engines. Nothing is looked up before it is requested.

    Attributes:
        default: The name of the evaluator that a session starts with.
        list_names: Lists the names that `load` knows, the default's own name first.
        load: Makes the engine of an evaluator by its name; may take seconds. Raises DataFileError.
        describe_nets: Describes the nets behind them, as JSON objects.
        store: Where analyses are found and kept.
        file_players: Players and evaluators that name files.
    """

    default: str
    list_names: Callable[[], Sequence[str]]
    load: Callable[[str], Engine]
    describe_nets: Callable[[], Sequence[dict[str, object]]]
    store: StoreOptions = NO_STORE
    file_players: FilePlayers = NO_FILE_PLAYERS


class Service:
    """What all clients of one process share.

    Args:
        catalogue: The source of engines.
        limits: Caps for each client.
        clock: Seconds of a clock that never goes back.
        threads: How many threads work on one answer, unless a session sets it otherwise.
        has_log: Whether faults of files are logged, for who runs the server: clients see no paths. Else who
            runs it is the one client.
    """

    def __init__(
        self,
        catalogue: EngineCatalogue,
        limits: ClientLimits | None = None,
        clock: Callable[[], float] = time.monotonic,
        threads: int = 1,
        *,
        has_log: bool = True,
    ) -> None:
        self.has_log = has_log
        self.catalogue = catalogue
        self.limits = limits or ClientLimits()
        self.clock = clock
        self.threads = threads
        self.rollout_store = RolloutStore()
        self.kept_answers = KeptAnswers()
        self.players = PlayerRegistry(self._list_evaluator_names, self.get_engine, catalogue.file_players)
        self.cluster: ClusterWork | None = None
        """Does long work in place of this process's threads."""
        self.client_count = 0
        self.request_count = 0
        self.error_counts: Counter[str] = Counter()
        """How many errors of each code."""
        self._started_s = clock()
        self._engines: dict[tuple[str, int], Engine] = {}
        self.quick_work = QuickWork()
        """Which kinds of work have been seen to be quick, of engines with the engine."""
        self._shared: dict[Callable[[Service], Any], Any] = {}
        self._sharing = threading.Lock()
        self._loading = threading.Lock()
        """Held for seconds, so never waited for by the thread that serves the clients."""

    @property
    def uptime_s(self) -> float:
        """Seconds since the service was made."""
        return self.clock() - self._started_s

    def check_evaluator_name(self, name: str) -> str:
        """Return a name that `get_engine` knows.

        Raises:
            ValueRangeError: It is none, or one that clients may not name.
            DataFileError: It is one that cannot be used.
        """
        if self.catalogue.file_players.claims(name):
            self.catalogue.file_players.check_name(name, "engine.net")
        elif name not in self._list_evaluator_names():
            SHIPPED.find(name)  # an error tells of a net of this name that cannot be used
            known = "|".join(self._list_evaluator_names())
            raise ValueRangeError(
                f"expected one of {known}, got {name[:MAX_QUOTED_CHARS]!r}", field="engine.net"
            )
        return name

    def get_engine(self, name: str, threads: int = 1) -> Engine:
        """Return the engine of a name; the first call loads it for all clients. May block.

        Args:
            name: One that `check_evaluator_name` lets through.
            threads: How many threads work on one answer; never more than there are cores. There is one
                engine for each number, and all of a name share one cache.

        Raises:
            DataFileError: A file of it is missing or damaged.
        """
        threads = min(threads, count_usable_cores())
        found = self._engines.get((name, threads))
        if found is None:
            with self._loading:
                found = self._engines[name, threads] = self._load_engine(self._resolve_name(name), threads)
        return found

    def list_engines(self) -> list[Engine]:
        """Return the engines that are loaded, as they search with one thread."""
        loaded = list(self._engines.items())  # at once: another thread may be loading
        return list(dict.fromkeys(engine for (_, threads), engine in loaded if threads == 1))

    def share(self, make: Callable[[Service], _SharedT]) -> _SharedT:
        """Return what all clients of a game share, made at the first call.

        Args:
            make: Makes it, in microseconds; the same function each time.
        """
        with self._sharing:
            if make not in self._shared:
                self._shared[make] = make(self)
            found: _SharedT = self._shared[make]
            return found

    def list_shared(self) -> list[object]:
        """Return all that `share` has made."""
        with self._sharing:
            return list(self._shared.values())

    def find_quick_engine(self, name: str, threads: int, kind: Hashable) -> Engine | None:
        """Return the engine of a name if it is loaded and was seen to be quick.

        Args:
            name: The engine's name.
            threads: How many threads work on one answer.
            kind: As for `time_evaluation`.
        """
        engine = self._engines.get((name, threads))
        return engine if engine is not None and (engine, kind) in self.quick_work else None

    @contextmanager
    def time_evaluation(self, engine: Engine, kind: Hashable) -> Iterator[None]:
        """Time work on one position at 0-ply, or whose answer may be kept, for `find_quick_engine`.

        Args:
            engine: The engine. Copies of one for other rules do not count.
            kind: The kind of work, among those that need different code; None for work that is not timed.
        """
        is_timed = kind is not None and engine in self._engines.values()
        with self.quick_work.time((engine, kind)) if is_timed else nullcontext():
            yield

    def _load_engine(self, name: str, threads: int) -> Engine:
        """Find or make an engine; `name` is the evaluator's own."""
        if (name, 1) not in self._engines:
            self._engines[name, 1] = self.catalogue.load(name)
        if (name, threads) not in self._engines:
            self._engines[name, threads] = self._engines[name, 1].with_threads(threads)
        return self._engines[name, threads]

    def _list_evaluator_names(self) -> list[str]:
        return list(dict.fromkeys([self.catalogue.default, *self.catalogue.list_names()]))

    def _resolve_name(self, name: str) -> str:
        """Return the name that an evaluator itself has; the default goes by two."""
        return next(iter(self.catalogue.list_names()), name) if name == self.catalogue.default else name


def make_shipped_catalogue(
    store: StoreOptions = NO_STORE, file_players: FilePlayers = NO_FILE_PLAYERS
) -> EngineCatalogue:
    """Return the source of shipped and own evaluators; no net is read before it is requested.

    Args:
        store: Where their analyses are found and kept.
        file_players: Players and evaluators that name files.

    Raises:
        DataFileError: As `gammond.engine.store.options.check_store_file`.
    """
    check_store_file(store)

    def load(name: str) -> Engine:
        return file_players.catalogue.load_engine(name, store=store)

    def nets() -> Sequence[dict[str, object]]:
        found = map(SHIPPED.find_evaluator, SHIPPED.list_evaluators())
        entries = dict.fromkeys(net for each in found for net in each.nets.values())
        return [
            {"name": net.name, "phase": net.phase, "encoder": net.encoder, "sha256": net.sha256}
            for net in entries
        ]

    return EngineCatalogue("default", SHIPPED.list_evaluators, load, nets, store, file_players)
