"""What the listeners of one process share: its rounds and workers, and what is held for clients."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from gammond.protocol.core.jobs import Job, JobResult
from gammond.protocol.state.service import Service
from gammond.protocol.transports.connection_log import ClientNumbers
from gammond.protocol.transports.held_memory import HeldMemory
from gammond.protocol.transports.rounds import Rounds
from gammond.protocol.transports.systemd import notify
from gammond.protocol.transports.workers import WorkerPool


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
        service: What the clients share, which counts them; None for clients of something else.
        numbers: Numbers the clients.
        listener_count: How many listeners there are.
    """

    pool: WorkerPool
    rounds: Rounds
    memory: HeldMemory
    clock: Callable[[], float]
    loop: asyncio.AbstractEventLoop
    stop_event: asyncio.Event
    service: Service | None = None
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

    def submit(self, client: object, job: Job, take: Callable[[JobResult], object]) -> None:
        """Have a worker do a job; its result, but not its progress, is taken in the thread of the loop.

        Args:
            client: By whom shares of the workers are counted.
            job: The job.
            take: Takes the result.
        """
        self.pool.submit(client, job, lambda *_: None, lambda _, result: self.call_here(take, result))

    async def wait_while(self, goes_on: Callable[[], object], seconds: float) -> None:
        """Wait while something is true, but not longer than some seconds."""
        end_s = self.clock() + seconds
        while goes_on() and self.clock() < end_s:
            await asyncio.sleep(0.01)

    def count_clients(self, listener: object, clients: int) -> None:
        """Take in how many clients a listener has."""
        self._clients[listener] = clients
        if self.service is not None:
            self.service.client_count = sum(self._clients.values())

    def note_listening(self, listener: object) -> None:
        """Note that a listener takes clients in; once all do, tell the supervisor."""
        self._listening.add(listener)
        if len(self._listening) == self.listener_count:
            notify("READY=1")
