"""The caps of a listening server, and which of them a client exceeds. No I/O and no clock here."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from gammond.engine.errors import LimitError
from gammond.protocol.core.connection import Connection


@dataclass(frozen=True)
class TcpLimits:
    """Caps of a listening server.

    Attributes:
        clients: Clients at a time; as many more may be on their way out.
        idle_s: Seconds without a line and without work before a client is disconnected.
        half_line_s: Seconds for a line from its first byte to its end.
        stuck_writer_s: Seconds in which a client must read some of what waits for it.
        read_window_s: Seconds in which a client for which output waits all the time must read
            `least_read_bytes`.
        least_read_bytes: How much that is. The system passes on what has been read in steps of some 45 kB.
        client_bytes: What may be held for one client: output that waits, answers under way, requests.
        held_bytes: The same for all clients together; the client with the most is disconnected first.
        grace_s: Seconds that work may continue after SIGTERM.
    """

    clients: int = 256
    idle_s: float = 3600.0
    half_line_s: float = 30.0
    stuck_writer_s: float = 30.0
    read_window_s: float = 120.0
    least_read_bytes: int = 64 * 1024
    client_bytes: int = 64 * 1024 * 1024
    held_bytes: int = 256 * 1024 * 1024
    grace_s: float = 5.0

    @property
    def watch_interval_s(self) -> float:
        """Seconds between two looks at the clients."""
        times_s = (self.idle_s, self.half_line_s, self.stuck_writer_s, self.read_window_s)
        return min(1.0, min(times_s) / 4)


class ClientActivity:
    """When a client sent and read last, as seen in looks at it from time to time.

    Args:
        limits: Caps.
        connection: The client's.
        now: The time, in seconds.

    Attributes:
        written_bytes: Output handed to the client's socket.
        is_cut_off: Whether the client is to get nothing more than an error.
    """

    def __init__(self, limits: TcpLimits, connection: Connection, now: float) -> None:
        self._limits = limits
        self._connection = connection
        self.written_bytes = 0
        self.is_cut_off = False
        self._seen_requests = self._read_bytes = self._window_bytes = 0
        self._active_s = self._line_started_s = self._stuck_since_s = self._window_s = now
        self._cut_off_s = inf
        self._was_busy = False

    def mark_cut_off(self, now: float) -> None:
        """Note that the client is to get nothing more; it has `stuck_writer_s` to read that."""
        self.is_cut_off, self._cut_off_s = True, now

    def look(self, now: float, unread_bytes: int) -> None:
        """Note what the client has sent and read; start the times of what it has done again.

        Args:
            now: The time.
            unread_bytes: How much of the output waits for the client's socket.
        """
        connection, read_bytes = self._connection, self.written_bytes - unread_bytes
        has_sent = connection.request_count != self._seen_requests
        has_read = read_bytes > self._read_bytes
        if has_sent or has_read or self._was_busy or not connection.is_idle:
            self._active_s = now
        if has_sent or not (connection.has_partial_line or connection.has_lines):
            self._line_started_s = now  # of bytes not looked at yet, nobody knows whether they end a line
        if has_read or not unread_bytes:
            self._stuck_since_s = now
        if not unread_bytes or read_bytes - self._window_bytes >= self._limits.least_read_bytes:
            self._window_s, self._window_bytes = now, read_bytes
        self._seen_requests, self._read_bytes = connection.request_count, read_bytes
        self._was_busy = not connection.is_idle

    def is_stuck(self, now: float) -> bool:
        """Return whether the client has read nothing, or not its last error, for too long."""
        return now - min(self._stuck_since_s, self._cut_off_s) > self._limits.stuck_writer_s

    def find_reading_fault(self, now: float, held_bytes: int) -> LimitError | None:
        """Return the error of a client that reads too little for what it asks, if it is one.

        Args:
            now: The time.
            held_bytes: What is held for it.
        """
        limits = self._limits
        if held_bytes > limits.client_bytes:
            return LimitError(
                f"expected at most {limits.client_bytes} bytes of unanswered requests and unread answers, "
                f"got {held_bytes}: ask for less at a time, and read answers as they come",
                field="unread",
            )
        if now - self._window_s > limits.read_window_s:
            return LimitError(
                f"expected {limits.least_read_bytes} bytes of answers read in {limits.read_window_s:g} s, "
                f"got {self._read_bytes - self._window_bytes}: read answers as they come",
                field="unread",
            )
        return None

    def find_sending_fault(self, now: float) -> LimitError | None:
        """Return the error of a client that was idle, or left a line unfinished, for too long."""
        limits = self._limits
        if self._connection.has_partial_line and now - self._line_started_s > limits.half_line_s:
            return LimitError(f"expected the end of the line within {limits.half_line_s:g} s", field="line")
        if self._connection.is_idle and now - self._active_s > limits.idle_s:
            return LimitError(f"expected a request within {limits.idle_s:g} s", field="idle")
        return None
