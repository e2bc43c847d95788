"""What a server holds for all its clients: counted, and cut off where it is most when it is too much."""

from __future__ import annotations

import asyncio
import ctypes
import sys
import threading
from contextlib import suppress
from typing import Protocol

from gammond.engine.errors import GammondError, LimitError

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
