"""How often somebody may try: counts in a window of time."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable

from gammond.protocol.core.errors import BusyError

MAX_COUNTED = 10_000
"""Keys that are counted at a time; those counted longest ago are forgotten."""


class AttemptLimit:
    """Counts attempts by a key; safe to use from several threads.

    Args:
        most: How many there may be in the window.
        window_s: Its length.
        clock: Seconds that never go back.
    """

    def __init__(self, most: int, window_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._window_s = window_s
        self._clock = clock
        self._lock = threading.Lock()
        self._counted: OrderedDict[object, deque[float]] = OrderedDict()

    def count(self, key: object) -> None:
        """Count an attempt."""
        now_s = self._clock()
        with self._lock:
            times = self._counted.setdefault(key, deque(maxlen=self._most))
            times.append(now_s)
            self._counted.move_to_end(key)
            if len(self._counted) > MAX_COUNTED:
                self._counted.popitem(last=False)

    def take_back(self, key: object) -> None:
        """Count the last attempt no more: it was none that is limited."""
        with self._lock:
            if times := self._counted.get(key):
                times.pop()

    def compute_wait_s(self, key: object) -> float:
        """Return how long it is until the next attempt is allowed; 0 if it is."""
        with self._lock:
            times = self._counted.get(key)
            if times is None or len(times) < self._most:
                return 0.0
            return max(0.0, times[0] + self._window_s - self._clock())


def check_attempts(limited: Iterable[tuple[AttemptLimit, object]]) -> None:
    """Make sure that an attempt is allowed by all limits.

    Raises:
        BusyError: It is not; the message says for how long.
    """
    wait_s = max(limit.compute_wait_s(key) for limit, key in limited)
    if wait_s > 0:
        raise BusyError(f"too many attempts: try again in {max(1, round(wait_s / 60))} min", field="name")
