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


class Bucket:
    """Things that may come at once; more come with time.

    Args:
        rate: How many a second.
        most: How many at once.
        now: The time, in seconds.
    """

    def __init__(self, rate: float, most: float, now: float) -> None:
        self._rate, self._most = rate, most
        self._left, self._filled_s = most, now

    def find_wait(self, now: float, share: float = 1.0) -> float:
        """Return how long it takes until one, or what counts for a share of one, may come, in seconds."""
        self._left = min(self._most, self._left + (now - self._filled_s) * self._rate)
        self._filled_s = now
        return 0.0 if self._left >= share else (share - self._left) / self._rate

    def take(self, share: float = 1.0) -> None:
        """Count one that comes, or what counts for a share of one."""
        self._left -= share


class UnreadOutput:
    """Whether a client reads what is sent to it, as seen in looks at it from time to time.

    Args:
        now: The time, in seconds.

    Attributes:
        read_bytes: How much of what was written it had read at the last look.
    """

    def __init__(self, now: float) -> None:
        self.read_bytes = 0
        self._since_s = now

    def look(self, now: float, unread_bytes: int, written_bytes: int = 0) -> bool:
        """Note how much is not read; return whether the client has read since the last look.

        Args:
            now: The time.
            unread_bytes: How much of the output waits for the client's socket.
            written_bytes: How much was handed to it so far; 0 if nobody knows.
        """
        read_bytes = written_bytes - unread_bytes
        has_read = read_bytes > self.read_bytes
        if has_read or not unread_bytes:
            self._since_s = now
        self.read_bytes = read_bytes
        return has_read

    def compute_wait_s(self, now: float) -> float:
        """Return for how long something has waited of which the client has read nothing."""
        return now - self._since_s


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
        self._seen_requests = self._window_bytes = 0
        self._active_s = self._line_started_s = self._window_s = now
        self._unread = UnreadOutput(now)
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
        connection = self._connection
        has_sent = connection.request_count != self._seen_requests
        has_read = self._unread.look(now, unread_bytes, self.written_bytes)
        read_bytes = self._unread.read_bytes
        if has_sent or has_read or self._was_busy or not connection.is_idle:
            self._active_s = now
        if has_sent or not (connection.has_partial_line or connection.has_lines):
            self._line_started_s = now  # of bytes not looked at yet, nobody knows whether they end a line
        if not unread_bytes or read_bytes - self._window_bytes >= self._limits.least_read_bytes:
            self._window_s, self._window_bytes = now, read_bytes
        self._seen_requests = connection.request_count
        self._was_busy = not connection.is_idle

    def is_stuck(self, now: float) -> bool:
        """Return whether the client has read nothing, or not its last error, for too long."""
        waited_s = max(self._unread.compute_wait_s(now), now - self._cut_off_s)
        return waited_s > self._limits.stuck_writer_s

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
                f"got {self._unread.read_bytes - self._window_bytes}: read answers as they come",
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
