"""What all clients of one process share: the judges, the caps and a clock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.analyst import Analyst
from engine.cores import usable_cores
from engine.errors import ValueRangeError
from protocol.arguments import SHOWN
from protocol.limits import Limits
from protocol.players import Players
from protocol.rollout_memory import KeptRollouts

AUTHOR = "the gammond authors"


@dataclass(frozen=True)
class Judges:
    """Where analysts come from. Nothing is looked up before it is asked for.

    Attributes:
        default: The name of the evaluator that a session starts with.
        names: Lists the names that `load` knows, the default's own name first.
        load: Makes the analyst around the evaluator of a name; may take seconds. Raises DataFileError.
        nets: Describes the nets behind them, as JSON objects.
    """

    default: str
    names: Callable[[], Sequence[str]]
    load: Callable[[str], Analyst]
    nets: Callable[[], Sequence[dict[str, object]]]


class Service:
    """What all clients of one process share.

    Args:
        judges: Where analysts come from.
        limits: Caps for each client.
        clock: Seconds of a clock that never goes back.
        threads: How many threads work on one answer, unless a session sets it otherwise.
    """

    def __init__(
        self,
        judges: Judges,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
        threads: int = 1,
    ) -> None:
        self.judges = judges
        self.limits = limits or Limits()
        self.clock = clock
        self.threads = threads
        self.kept_rollouts = KeptRollouts()
        self.players = Players(self._evaluator_names, self.analyst)
        self.clients = 0
        self._started = clock()
        self._loaded: dict[tuple[str, int], Analyst] = {}
        self._lock = threading.Lock()

    @property
    def uptime_s(self) -> float:
        """Seconds since the service was made."""
        return self.clock() - self._started

    def check_judge(self, name: str) -> str:
        """Return a name that `analyst` knows.

        Raises:
            ValueRangeError: It is none.
        """
        if name not in self._evaluator_names():
            known = "|".join(self._evaluator_names())
            raise ValueRangeError(f"expected one of {known}, got {name[:SHOWN]!r}", field="engine.net")
        return name

    def analyst(self, name: str, threads: int = 1) -> Analyst:
        """Return the analyst of a name; loads it at the first call, for all clients. May block.

        Args:
            name: One that `check_judge` lets through.
            threads: How many threads work on one answer; never more than there are cores. There is one
                analyst for each number, and all of a name share one cache.

        Raises:
            DataFileError: A file of it is missing or damaged.
        """
        threads = min(threads, usable_cores())
        found = self._loaded.get((name, threads))
        if found is None:
            with self._lock:
                found = self._loaded[name, threads] = self._prepared(self._own_name(name), threads)
        return found

    def _prepared(self, name: str, threads: int) -> Analyst:
        """Find or make an analyst; `name` is the evaluator's own."""
        if (name, 1) not in self._loaded:
            self._loaded[name, 1] = self.judges.load(name)
        if (name, threads) not in self._loaded:
            self._loaded[name, threads] = self._loaded[name, 1].with_threads(threads)
        return self._loaded[name, threads]

    def _evaluator_names(self) -> list[str]:
        return list(dict.fromkeys([self.judges.default, *self.judges.names()]))

    def _own_name(self, name: str) -> str:
        """Return the name that an evaluator itself has; the default goes by two."""
        return next(iter(self.judges.names()), name) if name == self.judges.default else name


def shipped_judges() -> Judges:
    """Return the analysts of the manifest's evaluators; no net is touched before it is asked for."""

    def names() -> Sequence[str]:
        from nets.loading import evaluator_names

        return evaluator_names()

    def load(name: str) -> Analyst:
        from nets.loading import load_analyst

        return load_analyst(name)

    def nets() -> Sequence[dict[str, object]]:
        from nets.manifest import read_manifest

        return [
            {"name": net.name, "phase": net.phase, "encoder": net.encoder, "sha256": net.sha256}
            for net in read_manifest().evaluator_nets
        ]

    return Judges("default", names, load, nets)
