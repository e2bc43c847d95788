"""Standard input and output without a thread between a byte and its answer.

Where the system can wait for several things at once (POSIX), the serving thread itself waits for input and
for calls from other threads, and writes what fits at once. Elsewhere, and for output that does not fit,
threads do.
"""

from __future__ import annotations

import errno
import os
import queue
import select
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial

_READ_BYTES = 64 * 1024
_CAN_SELECT = os.name == "posix"
_AT_ONCE_BYTES = select.PIPE_BUF if _CAN_SELECT else 0
"""What a pipe that can be written to takes without blocking."""

TakeInput = Callable[[bytes], None]


class Inbox:
    """Calls for one thread from any thread, and its input, whichever comes first.

    Args:
        input_fd: File descriptor to read from.
    """

    def __init__(self, input_fd: int) -> None:
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._input_fd = _open_or_empty(input_fd)
        self._take_input: TakeInput | None = None
        self._may_read = threading.Semaphore(0)
        self._wake_fds: tuple[int, ...] = ()
        if _CAN_SELECT:
            self._wake_fds = os.pipe()
            for fd in self._wake_fds:
                os.set_blocking(fd, False)
        else:
            threading.Thread(target=self._read_on, name="read", daemon=True).start()

    def put(self, call: Callable[[], None]) -> None:
        """Add a call, from any thread or a signal handler."""
        self._calls.put(call)
        if self._wake_fds:
            with suppress(BlockingIOError):  # there are enough wake-up calls already
                os.write(self._wake_fds[1], b"\0")

    def put_here(self, call: Callable[[], None]) -> None:
        """Add a call from the thread that takes them."""
        self._calls.put(call)

    def request_input(self, take: TakeInput) -> None:
        """Ask for the next piece of input, once; empty at the end of it."""
        self._take_input = take
        if not self._wake_fds:
            self._may_read.release()

    def take(self, timeout_s: float | None) -> Callable[[], None]:
        """Wait for the next call.

        Args:
            timeout_s: How long; None for ever.

        Raises:
            queue.Empty: None came.
        """
        if not self._wake_fds:
            return self._calls.get(timeout=timeout_s)
        wake_fd = self._wake_fds[0]
        while True:
            if not self._calls.empty():
                return self._calls.get_nowait()
            fds = [wake_fd] if self._take_input is None else [wake_fd, self._input_fd]
            ready, _, _ = select.select(fds, [], [], timeout_s)
            if not ready:
                raise queue.Empty
            if wake_fd in ready:
                os.read(wake_fd, _READ_BYTES)
            elif self._take_input is not None:
                take, self._take_input = self._take_input, None
                return partial(take, self._read())

    def __del__(self) -> None:
        for fd in self._wake_fds:  # not before: workers may put results after the server has ended
            os.close(fd)

    def _read_on(self) -> None:
        data = b" "
        while data:
            self._may_read.acquire()
            data = self._read()
            assert self._take_input is not None
            self.put(partial(self._take_input, data))

    def _read(self) -> bytes:
        try:
            return os.read(self._input_fd, _READ_BYTES)
        except OSError:
            return b""


def _open_or_empty(fd: int) -> int:
    """Return a file descriptor, or if it is closed one without any input.

    The system would give the number of a closed one to the next file that is opened.
    """
    try:
        os.fstat(fd)
    except OSError:
        return os.open(os.devnull, os.O_RDONLY)
    return fd


class Outbox:
    """Output to a file descriptor: at once as far as it fits, the rest by a thread.

    Args:
        output_fd: File descriptor to write to.
        inbox: Gets the calls.
        on_broken: Called with the error when nothing more can be written.

    Attributes:
        unsent: Bytes that wait for the reader.
    """

    def __init__(self, output_fd: int, inbox: Inbox, on_broken: Callable[[OSError], None]) -> None:
        self.unsent = 0
        self._output_fd = output_fd
        self._inbox = inbox
        self._on_broken = on_broken
        self._pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._write_on, name="write", daemon=True).start()

    def write(self, data: bytes) -> None:
        """Write bytes, after those that wait."""
        if not self.unsent:
            data = self._write_at_once(data)
        if data:
            self.unsent += len(data)
            self._pieces.put(data)

    def check_reader(self) -> None:
        """Take it for broken output if nobody is left who could read, though nothing is to be written."""
        if _CAN_SELECT:
            watch = select.poll()
            watch.register(self._output_fd, 0)  # asks for nothing but what is always told: a closed other end
            # macOS says of terminals and devices that it cannot watch them, by POLLNVAL
            if any(said & (select.POLLERR | select.POLLHUP) for _, said in watch.poll(0)):
                self._on_broken(BrokenPipeError(errno.EPIPE, "nobody reads"))

    def _write_at_once(self, data: bytes) -> bytes:
        """Write what does not block; return the rest."""
        start = 0
        try:
            while _CAN_SELECT and start < len(data) and select.select([], [self._output_fd], [], 0)[1]:
                start += os.write(self._output_fd, data[start : start + _AT_ONCE_BYTES])
        except OSError as error:
            self._inbox.put_here(partial(self._on_broken, error))
            return b""
        return data[start:]

    def _write_on(self) -> None:
        while True:
            data = memoryview(self._pieces.get())
            size = len(data)
            try:
                while data:
                    data = data[os.write(self._output_fd, data) :]
            except OSError as error:
                self._inbox.put(partial(self._on_broken, error))
                return
            self._inbox.put(partial(self._count_written, size))

    def _count_written(self, size: int) -> None:
        self.unsent -= size
