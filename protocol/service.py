"""What all clients of one process share: the judges, the caps and a clock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.errors import ValueRangeError
from engine.evaluator import Evaluator
from protocol.arguments import SHOWN
from protocol.limits import Limits

AUTHOR = "the gammond authors"


@dataclass(frozen=True)
class Judges:
    """Where evaluators come from. Nothing is looked up before it is asked for.

    Attributes:
        default: The name of the evaluator that a session starts with.
        names: Lists the names that `load` knows, the default's own name first.
        load: Makes the evaluator of a name; may take seconds. Raises DataFileError.
        nets: Describes the nets behind them, as JSON objects.
    """

    default: str
    names: Callable[[], Sequence[str]]
    load: Callable[[str], Evaluator]
    nets: Callable[[], Sequence[dict[str, object]]]


class Service:
    """What all clients of one process share.

    Args:
        judges: Where evaluators come from.
        limits: Caps for each client.
        clock: Seconds of a clock that never goes back.
    """

    def __init__(
        self, judges: Judges, limits: Limits | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.judges = judges
        self.limits = limits or Limits()
        self.clock = clock
        self.clients = 0
        self._started = clock()
        self._loaded: dict[str, Evaluator] = {}
        self._lock = threading.Lock()

    @property
    def uptime_s(self) -> float:
        """Seconds since the service was made."""
        return self.clock() - self._started

    def check_judge(self, name: str) -> str:
        """Return a name that `judge` knows.

        Raises:
            ValueRangeError: It is none.
        """
        if name != self.judges.default and name not in self.judges.names():
            known = "|".join(dict.fromkeys([self.judges.default, *self.judges.names()]))
            raise ValueRangeError(f"expected one of {known}, got {name[:SHOWN]!r}", field="engine.net")
        return name

    def judge(self, name: str) -> Evaluator:
        """Return the evaluator of a name; loads it at the first call, for all clients. May block.

        Raises:
            DataFileError: A file of it is missing or damaged.
        """
        found = self._loaded.get(name)
        if found is None:
            with self._lock:
                own_name = self._own_name(name)
                found = self._loaded.get(own_name)
                if found is None:
                    found = self._loaded[own_name] = self.judges.load(own_name)
                self._loaded[name] = found
        return found

    def _own_name(self, name: str) -> str:
        """Return the name that an evaluator itself has; the default goes by two."""
        return next(iter(self.judges.names()), name) if name == self.judges.default else name


def shipped_judges() -> Judges:
    """Return the evaluators of the manifest; nothing of them is imported before it is asked for."""

    def names() -> Sequence[str]:
        from nets.loading import evaluator_names

        return evaluator_names()

    def load(name: str) -> Evaluator:
        from nets.loading import load_evaluator

        return load_evaluator(name)

    def nets() -> Sequence[dict[str, object]]:
        from nets.manifest import read_manifest

        return [
            {"name": net.name, "phase": net.phase, "encoder": net.encoder, "sha256": net.sha256}
            for net in read_manifest().nets
        ]

    return Judges("default", names, load, nets)
