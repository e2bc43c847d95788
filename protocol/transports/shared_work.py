"""What the listeners of one process share: its rounds and workers, and what is held for clients."""

from __future__ import annotations

import asyncio
import ctypes
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from gammond.engine.errors import GammondError, LimitError
from gammond.protocol.core.jobs import Job
from gammond.protocol.state.service import Service
from gammond.protocol.transports.connection_log import ClientNumbers
from gammond.protocol.transports.rounds import Rounds
from gammond.protocol.transports.systemd import notify
from gammond.protocol.transports.workers import WorkerPool

_RETURN_BYTES = 32 * 1024 * 1024
"""What is no longer held for clients before the system gets it back: a large answer or two."""
_RETURN_AFTER_S = 0.5
"""How much later: then work that was stopped has ended too."""


class Holder(Protocol):
    """A client for which something is held.

    Attributes:
        held_bytes: How much, as counted last; set by `HeldMemory`.
    """

    held_bytes: int

    @property
    def is_cut_off(self) -> bool:
        """Whether it gets nothing more than an error."""
        ...

    def cut_off(self, error: GammondError) -> None:
        """End it with an error in place of all that it has not read."""
        ...

    def abort(self) -> None:
        """Drop it at once."""
        ...


class HeldMemory:
    """The account of what is held for clients, those of all listeners together.

    Args:
        loop: The event loop that serves them.
        most_bytes: The cap; the clients with the most are disconnected until it is met.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, most_bytes: int) -> None:
        self._loop = loop
        self._most_bytes = most_bytes
        self._holders: dict[Holder, None] = {}
        self._held_bytes = self._released_bytes = 0
        self._is_freeing = False

    @property
    def held_bytes(self) -> int:
        """What is held for all clients."""
        return self._held_bytes

    def count(self, holder: Holder, held_bytes: int) -> None:
        """Count what is held for a client; if all is too much, those with the most are disconnected."""
        more = held_bytes - holder.held_bytes
        holder.held_bytes = held_bytes
        if held_bytes:
            self._holders[holder] = None
        else:
            self._holders.pop(holder, None)
        self._held_bytes += more
        self._released_bytes += max(0, -more)
        if self._released_bytes > _RETURN_BYTES:
            self._released_bytes = 0
            self._loop.call_later(_RETURN_AFTER_S, self._return_memory)
        if self._held_bytes > self._most_bytes and not self._is_freeing:
            self._is_freeing = True
            self._free()
            self._is_freeing = False

    @staticmethod
    def _return_memory() -> None:
        threading.Thread(target=return_free_memory, name="free memory", daemon=True).start()

    def _free(self) -> None:
        """Disconnect the clients for which the most is held, until all have no more than the cap."""
        excess = self._held_bytes - self._most_bytes
        for holder in sorted(self._holders, key=lambda holder: holder.held_bytes, reverse=True):
            if excess <= 0:
                break
            excess -= holder.held_bytes
            if holder.is_cut_off:  # it has not read its error either
                holder.abort()
                continue
            holder.cut_off(
                LimitError(
                    f"the server holds more than {self._most_bytes} bytes for its clients, "
                    f"{holder.held_bytes} for this one: ask for less at a time, read answers as they come",
                    field="unread",
                )
            )
            excess += holder.held_bytes


def return_free_memory() -> None:
    """Give the system back what the allocator keeps, where it can be asked to (glibc); takes milliseconds.

    It keeps what lies below memory in use: after some large answers, as much again as is in use.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)


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

    def submit(self, client: object, job: Job, take: Callable[[Any], object]) -> None:
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
