"""The lists of players, computed now and then: with many matches that takes seconds."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from math import inf

from gammond.protocol.archive.archive import GameArchive
from gammond.protocol.archive.players import list_players

LEAST_AGE_S = 2.0
"""How long a list is given again at least."""

PERIODS_S = {"all": inf, "week": 7 * 86_400.0}
"""How long ago the matches of a list may have ended, in seconds, by the word for it."""

_AGE_FACTOR = 20.0
"""A list is given again for so many times what it took to compute: lists take a twentieth of a core."""


class Leaderboard:
    """Gives the lists of an archive; safe to use from several threads, of which one at a time computes.

    Args:
        archive: The archive.
        clock: Seconds that never go back.
        wall_clock: Seconds of the Unix epoch.
    """

    def __init__(
        self,
        archive: GameArchive,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._archive = archive
        self._clock = clock
        self._wall_clock = wall_clock
        self._lock = threading.Lock()
        self._lists: dict[tuple[str, str], tuple[float, dict[str, object]]] = {}

    def get(self, variant: str, period: str = "all") -> dict[str, object]:
        """Return the lists of a variant, as `list_players`.

        Args:
            variant: One of those that there are.
            period: One of `PERIODS_S`.

        Raises:
            DataFileError: The archive cannot be read.
        """
        with self._lock:
            until_s, lists = self._lists.get((variant, period), (-1.0, {}))
            began_s = self._clock()
            if began_s >= until_s:
                since_s = max(self._wall_clock() - PERIODS_S[period], 0.0)
                lists = self._archive.read(lambda database: list_players(database, variant, since_s))
                now_s = self._clock()
                self._lists[variant, period] = (
                    now_s + max(LEAST_AGE_S, _AGE_FACTOR * (now_s - began_s)),
                    lists,
                )
            return lists
