"""The last rollouts of sessions, kept so that they can be continued."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.rollout_requests import RolloutRequest
from gammond.engine.errors import CancelledWork, StateError
from gammond.engine.rollout import RolloutSettings, RolloutState

MAX_STORED_BYTES = 256 * 1024 * 1024
"""The most memory that the kept rollouts of all sessions take."""

_POLL_INTERVAL_S = 0.02


@dataclass(frozen=True)
class FinishedRollout:
    """A rollout that has ended.

    Attributes:
        request: What was asked.
        load_engine: Returns the engine that played and evaluated.
        settings: How it was rolled out.
        state: What was found.
    """

    request: RolloutRequest
    load_engine: Callable[[], Engine]
    settings: RolloutSettings
    state: RolloutState

    @property
    def size_bytes(self) -> int:
        """What the scores take."""
        return sum(scores.nbytes for scores in self.state.scores)


class RolloutSlot:
    """Where a rollout leaves its record. Made when its request comes, read by later ones; for any thread.

    Args:
        store: Bounds what is kept.
    """

    def __init__(self, store: RolloutStore) -> None:
        self._store = store
        self._rollout: FinishedRollout | None = None
        self._earlier: RolloutSlot | None = None
        self._is_evicted = False
        self._has_ended = threading.Event()

    def finish(self, rollout: FinishedRollout | None) -> None:
        """Leave the record; None if the rollout came to nothing."""
        self._rollout = rollout
        if rollout is not None:
            self._store.add(self, rollout.size_bytes)
        self._has_ended.set()

    def finish_as(self, earlier: RolloutSlot) -> None:
        """Leave what an earlier rollout leaves, which may still be at work: nothing was added to it."""
        self._earlier = earlier
        self._has_ended.set()

    def evict(self) -> None:
        """Release the record."""
        self._is_evicted = True
        self._rollout = None

    def wait_for_rollout(self, is_cancelled: Callable[[], bool]) -> FinishedRollout:
        """Wait for the end of the rollout, and return its record.

        Args:
            is_cancelled: Asked some fifty times a second.

        Raises:
            CancelledWork: It said so.
            StateError: The rollout came to nothing, or was forgotten.
        """
        slot: RolloutSlot | None = self
        while slot is not None:
            while not slot._has_ended.wait(_POLL_INTERVAL_S):
                if is_cancelled():
                    raise CancelledWork("stopped while the rollout to continue was still running")
            last, slot = slot, slot._earlier
        record = last._rollout
        if record is None:
            fate = "was removed to make room for others" if last._is_evicted else "did not finish"
            raise StateError(f"the last rollout {fate}: send 'rollout' again", field="what")
        return record


class RolloutStore:
    """Keeps the records of all sessions within bounds: the oldest are forgotten first. For any thread.

    Slots that nobody can ask any more count for nothing.

    Args:
        max_bytes: The most that all records take, unless the newest alone takes more.
    """

    def __init__(self, max_bytes: int = MAX_STORED_BYTES) -> None:
        self._max_bytes = max_bytes
        self._sizes: WeakKeyDictionary[RolloutSlot, int] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def add(self, slot: RolloutSlot, size_bytes: int) -> None:
        """Count the record of a slot, and forget the oldest others if there are too many bytes."""
        with self._lock:
            others = list(self._sizes.items())
            self._sizes[slot] = size_bytes
            total = size_bytes + sum(size for _, size in others)
            for other, size in others:
                if total <= self._max_bytes:
                    break
                other.evict()
                del self._sizes[other]
                total -= size
