"""A client with a connection on a listening server: its turns, work and caps, however its bytes come."""

from __future__ import annotations

import asyncio
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from gammond.engine.errors import GammondError
from gammond.protocol.core.connection import Connection
from gammond.protocol.transports.listening import ListeningServer
from gammond.protocol.transports.rounds import RoundClient
from gammond.protocol.transports.tcp_limits import ClientActivity

_KERNEL_BUFFER_BYTES = 64 * 1024
"""What the system holds of a client's output. It takes more only once about a third of that is read: with the
megabytes that it would choose itself, a slow reader looks like none for minutes."""

PIECE_BYTES = 64 * 1024
"""How much output is handed to a socket at a time; the rest waits in the connection, which can drop it."""


def limit_output(transport: asyncio.Transport) -> None:
    """Let the system and the event loop hold little of what a client has not read."""
    connection = transport.get_extra_info("socket")
    if connection is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _KERNEL_BUFFER_BYTES)
    transport.set_write_buffer_limits(high=PIECE_BYTES)


class ConnectedClient(ABC):
    """Moves work between a connection and the workers, and ends the client that exceeds a cap.

    Args:
        server: Has admitted it.
        connection: The client's side of the protocol.

    Attributes:
        connection: As given.
        held_bytes: What is held for the client, as counted last.
    """

    def __init__(self, server: ListeningServer[Any], connection: Connection) -> None:
        self._server = server
        self.connection = connection
        shared = server.shared
        self._turns = RoundClient(
            connection, shared.pool, self._call_in_loop, self._pump, shared.rounds.served_s
        )
        self.held_bytes = self._answer_bytes = 0
        self._end_reason = ""
        self._activity = ClientActivity(server.limits, connection, server.clock())

    @property
    @abstractmethod
    def unsent_bytes(self) -> int:
        """How much of the output that was taken from the connection the client has not read."""

    @abstractmethod
    def abort(self) -> None:
        """Drop the client at once."""

    @abstractmethod
    def _pump(self) -> None:
        """Send what there is to send, and go on with what that makes room for."""

    @property
    def is_leaving(self) -> bool:
        """Whether the server has decided to end the connection, though it may still send."""
        return self.connection.is_ending

    @property
    def is_cut_off(self) -> bool:
        """Whether the client gets nothing more than an error."""
        return self._activity.is_cut_off

    @property
    def is_here(self) -> bool:
        """Whether the server has the client among its own."""
        return self in self._server.clients

    def awaits_request(self, *, is_new: bool) -> bool:
        """Return whether a request of it is on its way: begun, not read yet, or its first if it is new."""
        connection = self.connection
        is_first = is_new and not connection.request_count and not self.is_leaving
        return is_first or connection.has_lines or connection.has_partial_line

    def end(self) -> None:
        """Take no further requests, since the server is to end."""
        self._end_reason = "the server ends"
        self._apply(self.connection.close)

    def stop_work(self) -> None:
        """Let unfinished work end with what it has."""
        self._apply(self.connection.stop_all)

    def abandon(self) -> None:
        """Answer everything that is unfinished with an error."""
        self._turns.drop()
        self._apply(self.connection.abandon)

    def cut_off(self, error: GammondError) -> None:
        """End the connection with an error in place of all that the client has not read."""
        if not self.is_cut_off:
            self._activity.mark_cut_off(self._server.clock())
            self._turns.drop()
            self.connection.cut_off(error)
            self._pump()
            self._count_held_bytes()

    def check_timeouts(self, now: float) -> None:
        """Disconnect the client if it exceeds a cap, or was idle or did not read for too long."""
        self._activity.look(now, self.unsent_bytes)
        self._count_held_bytes(self._turns.count_answer_bytes())
        if self._activity.is_stuck(now):
            self._end_reason = f"it read nothing for {self._server.limits.stuck_writer_s:g} s"
            self.abort()
        elif self.is_cut_off or self._is_lingering:
            return
        elif fault := self._activity.find_reading_fault(now, self.held_bytes):
            self.cut_off(fault)
        elif fault := self._activity.find_sending_fault(now):
            self.connection.close_with_error(fault)
            self._pump()

    @property
    def _is_lingering(self) -> bool:
        """Whether all is answered, and what is still sent is not read."""
        return False

    def _take_data(self, data: bytes) -> None:
        """Take in bytes."""
        shared = self._server.shared
        self.connection.receive_data(data)
        shared.rounds.add(self._turns, at_once=shared.is_alone)
        if self.connection.held_bytes > PIECE_BYTES:
            self._count_held_bytes()

    def _forget(self, broken: str) -> None:
        """Forget the client and stop its work.

        Args:
            broken: Why it is gone, if nothing else was the reason.
        """
        if self.is_here:
            self._server.forget(self, self.connection.end_reason or self._end_reason or broken)
            self._server.shared.memory.count(self, 0)
            self._turns.drop()
            self.connection.drop()

    def _apply(self, act: Callable[[], object]) -> None:
        """Act on the connection on the server's behalf, and send what comes of it."""
        act()
        self._pump()

    def _count_held_bytes(self, answer_bytes: int = 0) -> None:
        """Count what is held for the client; what is short, and comes and goes between two looks, is not.

        Args:
            answer_bytes: Of answers under way.
        """
        self._answer_bytes = answer_bytes
        if self.is_here:
            held_bytes = self.connection.held_bytes + self.unsent_bytes + answer_bytes
            self._server.shared.memory.count(self, held_bytes)

    def _count_less(self) -> None:
        """Count anew what was held for the client: some of it may have been served."""
        if self.held_bytes:
            self._count_held_bytes(self._answer_bytes)

    def _call_in_loop(self, act: Callable[..., None], *values: object) -> None:
        self._server.shared.call_here(self._run_in_loop, act, *values)

    def _run_in_loop(self, act: Callable[..., None], *values: object) -> None:
        act(*values)
        self._pump()
        self._count_held_bytes()
