"""Deepening in a server: what clients ask often is searched deeper while none of them asks for anything."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from gammond.engine.analysis.engine import Engine
from gammond.engine.errors import CancelledWork, DataFileError
from gammond.engine.runtime.threads import yield_to_other_work
from gammond.engine.store.database import DepthTiers
from gammond.protocol.core.fault_log import FAULT_LOG
from gammond.protocol.state.service import Service

if TYPE_CHECKING:
    from gammond.engine.analysis.deepening import Deepening

_LOOK_EVERY_S = 0.5
"""How often is looked whether clients ask for something, and four times while they need be idle at least."""

_END_S = 1.0
"""How long a server that ends waits for the search at work."""

_NICENESS = 19
"""The lowest priority that the system has."""


@runtime_checkable
class Deepened(Protocol):
    """What a game shares between its clients (`Service.share`), and has searched deeper."""

    def list_deepenings(self) -> list[Deepening]:
        """Return what deepens it; nothing before a client has asked."""
        ...


class IdleDeepening:
    """A thread that searches while a server has nothing to do, and stops at the first request.

    Args:
        service: Has the engines, and counts the requests.
        idle_s: How long no client has asked for anything before it begins.
        tiers: How deep, by visits.
        say: Tells the operator, once, that it began.
        clock: Seconds of a clock that never goes back.
    """

    def __init__(
        self,
        service: Service,
        idle_s: float,
        tiers: DepthTiers,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._service = service
        self._idle_s = idle_s
        self._tiers = tiers
        self._say = say
        self._clock = clock
        self._is_busy: Callable[[], bool] = lambda: False
        self._is_ending = threading.Event()
        self._loops: dict[Engine, Deepening] = {}
        self._has_said = False
        self._seen_requests = service.request_count

    @contextmanager
    def beside(self, is_busy: Callable[[], bool]) -> Iterator[None]:
        """Search during the block.

        Args:
            is_busy: Whether a search or a rollout of a client is under way.
        """
        self._is_busy = is_busy
        thread = threading.Thread(target=self._run, name="deepening", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._is_ending.set()
            thread.join(_END_S)

    def _run(self) -> None:
        yield_to_other_work(_NICENESS)
        since_s, is_done = self._clock(), True
        look_every_s = min(_LOOK_EVERY_S, max(_LOOK_EVERY_S / 20, self._idle_s / 4))
        while not self._is_ending.wait(look_every_s):
            if self._is_asked() or self._is_busy():
                self._seen_requests = self._service.request_count
                since_s, is_done = self._clock(), False
            elif not is_done and self._clock() - since_s >= self._idle_s:
                is_done = self._deepen()

    def _is_asked(self) -> bool:
        """Return whether a client asked for something, or the server is to end."""
        return self._service.request_count != self._seen_requests or self._is_ending.is_set()

    def _deepen(self) -> bool:
        """Search until a client asks for something, or nothing is due; return whether nothing is."""
        try:
            return self._search_deeper()
        except Exception as error:  # and again once somebody has asked
            FAULT_LOG.log("the store was not deepened", error)
            return True

    def _search_deeper(self) -> bool:
        for loop in self._list_loops():
            try:
                with loop.alone() as is_alone:
                    while is_alone and (due := loop.step(self._is_asked)):
                        self._tell_once(
                            "no client asks: what was asked often is searched deeper, first at "
                            f"{due.plies}-ply (see gammond store status; never with --store deepen=off)"
                        )
            except CancelledWork:
                return False
            except DataFileError as error:
                self._tell_once(f"no deepening: {error.message}")
            except Exception as error:
                FAULT_LOG.log("deepening failed", error)
        return True

    def _list_loops(self) -> list[Deepening]:
        """Return what deepens the stores that were asked: of the engines, and of other games."""
        from gammond.engine.analysis.deepening import Deepening  # takes 30 ms, and most servers need none

        loops = []
        for engine in self._service.list_engines():
            if engine.store is None or not engine.store.is_open:
                continue
            if engine not in self._loops:
                store, identity = engine.store.store, engine.store.identity
                # By the time that it works: others may have the processor meanwhile.
                self._loops[engine] = Deepening(
                    store, engine.search_entry, identity, self._tiers, clock=time.thread_time
                )
            loops.append(self._loops[engine])
        for shared in self._service.list_shared():
            if isinstance(shared, Deepened):
                loops += shared.list_deepenings()
        return loops

    def _tell_once(self, line: str) -> None:
        if not self._has_said:
            self._has_said = True
            self._say(line)
