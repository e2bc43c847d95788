"""Turns: whose lines are served next in the thread that serves the clients.

A line can take microseconds or, with 500 kB of words, 4 ms. So turns are given by time, not by lines:
whatever others send, a client that takes little of it waits for one round and one line of somebody else's.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from typing import Any, Protocol

ROUND_S = 0.0025
"""Seconds after which no further client is served before the next round."""

_MAX_TURN_S = 0.1
"""A turn counts for no more: one that takes longer loads code, for all clients."""

_CREDIT_S = 0.05
"""How far a client that comes back is ahead of those that went on, if it took so much less."""


class TurnTaker(Protocol):
    """A client with lines.

    Attributes:
        served_s: The time that its lines took, and those of others while it had none.
    """

    served_s: float

    def serve_lines(self, *, is_first: bool) -> None:
        """Serve lines for a turn; the first turn, before anybody waits, is shorter."""
        ...


class TurnQueue:
    """The clients that wait for a turn, the one that took the least time first.

    Lines are served as they come while nobody waits and the round has time left.

    Args:
        call_soon: Calls a function in the thread that serves the clients, in its next round.
        clock: Seconds.
    """

    def __init__(self, call_soon: Callable[[Callable[[], None]], Any], clock: Callable[[], float]) -> None:
        self._call_soon = call_soon
        self._clock = clock
        self._order: list[tuple[float, int, TurnTaker]] = []
        self._waiting: set[TurnTaker] = set()
        self._entries = itertools.count()
        self._served: TurnTaker | None = None
        self._has_more = False
        self._served_s = 0.0
        self._round_s = 0.0
        self._is_due = False

    def serve(self, client: TurnTaker) -> None:
        """Serve a client now, or in a turn if others wait or this round is over."""
        if self._waiting or self._round_s >= ROUND_S:
            self.add(client)
        else:
            self._give_turn(client, is_first=True)

    def add(self, client: TurnTaker) -> None:
        """Give a client a turn when nobody waits who took less time, unless it waits already."""
        if client is self._served:
            self._has_more = True
        elif client not in self._waiting:
            client.served_s = max(client.served_s, self._served_s - _CREDIT_S)
            self._waiting.add(client)
            heapq.heappush(self._order, (client.served_s, next(self._entries), client))
            self._plan_round()

    def _plan_round(self) -> None:
        if not self._is_due:
            self._is_due = True
            self._call_soon(self._run_round)

    def _run_round(self) -> None:
        self._is_due = False
        self._round_s = 0.0
        while self._order and self._round_s < ROUND_S:
            self._served_s, _, client = heapq.heappop(self._order)
            self._waiting.discard(client)
            self._give_turn(client, is_first=False)
        if self._order:
            self._plan_round()

    def _give_turn(self, client: TurnTaker, *, is_first: bool) -> None:
        """Serve a client; time that nobody waits for is not counted."""
        began_s = self._clock()
        self._served, self._has_more = client, False
        try:
            client.serve_lines(is_first=is_first)
        finally:
            self._served = None
            took_s = self._clock() - began_s
            self._round_s += took_s
            if not is_first:
                client.served_s += min(took_s, _MAX_TURN_S)
            if self._round_s >= ROUND_S:
                self._plan_round()
        if self._has_more:
            self.add(client)
