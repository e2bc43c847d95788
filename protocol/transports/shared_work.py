"""What the listeners of one process share: its rounds and workers, what is held for clients, and its end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field

from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.state.service import Service
from gammond.protocol.transports.connection_log import ClientNumbers
from gammond.protocol.transports.held_memory import HeldMemory
from gammond.protocol.transports.idle_deepening import IdleDeepening
from gammond.protocol.transports.rounds import Rounds
from gammond.protocol.transports.systemd import notify
from gammond.protocol.transports.workers import LAST_WORK_S, WorkerPool


@dataclass(frozen=True)
class SharedWork:
    """What all listeners of a process share.

    Attributes:
        pool: Does what takes long.
        rounds: The turns of clients in the thread that serves them.
        memory: What is held for clients.
        clock: Seconds of a clock that never goes back.
        loop: The event loop that serves the clients.
        stop_event: Ends the process when it is set.
        tell_clients: Told how many clients there are in all.
        numbers: Numbers the clients.
        listener_count: How many listeners there are.
    """

    pool: WorkerPool
    rounds: Rounds
    memory: HeldMemory
    clock: Callable[[], float]
    loop: asyncio.AbstractEventLoop
    stop_event: asyncio.Event
    tell_clients: Callable[[int], None] = lambda clients: None
    numbers: ClientNumbers = field(default_factory=ClientNumbers)
    listener_count: int = 1
    _clients: dict[object, int] = field(default_factory=dict)
    _listening: set[object] = field(default_factory=set)

    @property
    def is_alone(self) -> bool:
        """Whether there is one client."""
        return sum(self._clients.values()) == 1

    def call_here(self, act: Callable[..., object], *values: object) -> None:
        """Call a function in the thread of the event loop, soon; from any thread."""
        with suppress(RuntimeError):  # the loop is closed: nobody waits for anything any more
            self.loop.call_soon_threadsafe(act, *values)

    def count_clients(self, listener: object, clients: int) -> None:
        """Take in how many clients a listener has."""
        self._clients[listener] = clients
        self.tell_clients(sum(self._clients.values()))

    def note_listening(self, listener: object) -> None:
        """Note that a listener takes clients in; once all do, tell the supervisor."""
        self._listening.add(listener)
        if len(self._listening) == self.listener_count:
            notify("READY=1")


Listener = Callable[[SharedWork], Awaitable[None]]
"""Serves clients until the stop event is set, then drains."""


def _do_nothing(is_busy: Callable[[], bool]) -> AbstractContextManager[None]:
    return nullcontext()


async def serve_listeners(
    listeners: Sequence[Listener],
    *,
    threads: int | None,
    clock: Callable[[], float],
    held_bytes: int,
    started_bytes: int = ClientLimits.started_bytes,
    stop_event: asyncio.Event | None = None,
    tell_clients: Callable[[int], None] = lambda clients: None,
    beside: Callable[[Callable[[], bool]], AbstractContextManager[None]] = _do_nothing,
) -> None:
    """Serve clients of several listeners until SIGTERM, SIGINT, SIGHUP or the stop event, then drain.

    Args:
        listeners: Serve the clients; where one cannot listen, the others end too.
        threads: As for `WorkerPool`.
        clock: Seconds of a clock that never goes back.
        held_bytes: As for `HeldMemory`.
        started_bytes: As for `WorkerPool`.
        stop_event: Ends the listeners when it is set.
        tell_clients: Told how many clients there are, whenever one comes or goes.
        beside: What is done meanwhile, given what tells whether long work is under way.

    Raises:
        GammondError: As for `WorkerPool`, and what a listener raises.
    """
    loop, ending = asyncio.get_running_loop(), stop_event or asyncio.Event()
    pool = WorkerPool(threads, started_bytes=started_bytes, clock=clock)
    rounds, memory = Rounds(loop.call_soon, clock), HeldMemory(loop, held_bytes)
    shared = SharedWork(
        pool, rounds, memory, clock, loop, ending, tell_clients, listener_count=len(listeners)
    )
    with beside(pool.is_busy):
        tasks = [asyncio.ensure_future(listener(shared)) for listener in listeners]
        try:
            await asyncio.gather(*tasks)
        finally:
            ending.set()
            await asyncio.wait(tasks)
    pool.close()
    pool.join(LAST_WORK_S)


async def serve_service(
    service: Service,
    listeners: Sequence[Listener],
    *,
    threads: int | None,
    held_bytes: int,
    stop_event: asyncio.Event | None = None,
    deepening: IdleDeepening | None = None,
) -> None:
    """Serve clients of one service; as for `serve_listeners`.

    Args:
        service: What the clients share.
        listeners: As there.
        threads: As there.
        held_bytes: As there.
        stop_event: As there.
        deepening: What is done while no client asks for anything.
    """

    def tell_clients(clients: int) -> None:
        service.client_count = clients

    await serve_listeners(
        listeners,
        threads=threads,
        clock=service.clock,
        held_bytes=held_bytes,
        started_bytes=service.limits.started_bytes,
        stop_event=stop_event,
        tell_clients=tell_clients,
        beside=_do_nothing if deepening is None else deepening.beside,
    )
