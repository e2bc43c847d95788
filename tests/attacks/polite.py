"""A polite client in a process of its own: asks for an evaluation, waits for the answer, pauses, asks again.

Run as ``python polite.py PORT``; it ends with its standard input, and then writes its times in seconds, one a
line. It imports nothing that takes time.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

PAUSE_S = 0.02
TIMEOUT_S = 60.0


@dataclass
class PoliteTimes:
    """What a polite client met.

    Attributes:
        seconds: From each request to its answer; filled in when the client has ended.
    """

    seconds: list[float] = field(default_factory=list)

    @property
    def p50_ms(self) -> float:
        """The median."""
        return self._find(50)

    @property
    def p99_ms(self) -> float:
        """The 99th percentile."""
        return self._find(99)

    def _find(self, percent: int) -> float:
        ordered = sorted(self.seconds)
        return 1000 * ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] if ordered else 0.0


@contextmanager
def polite_client(port: int) -> Iterator[PoliteTimes]:
    """Keep a polite client beside what the block does; its times are there after the block."""
    times = PoliteTimes()
    process = subprocess.Popen(
        [sys.executable, __file__, str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()  # it has had its first answer
        yield times
        out, _ = process.communicate(timeout=2 * TIMEOUT_S)
        times.seconds.extend(map(float, out.split()))
    finally:
        process.kill()
        process.communicate()


def measure_alone(port: int, seconds: float) -> PoliteTimes:
    """Return the times of a polite client whom nobody disturbs but the machine's other work."""
    with polite_client(port) as times:
        time.sleep(seconds)
    return times


def main(arguments: Sequence[str]) -> int:
    """Be a polite client until standard input ends."""
    ending = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ending.set()), daemon=True).start()
    seconds = []
    with socket.create_connection(("127.0.0.1", int(arguments[0])), TIMEOUT_S) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        reader = connection.makefile("rb")
        connection.sendall(b"newgame\neval\n")
        reader.readline()
        reader.readline()
        sys.stdout.write("\n")
        sys.stdout.flush()
        while not ending.wait(PAUSE_S):
            asked_s = time.perf_counter()
            connection.sendall(b"eval\n")
            if not reader.readline().startswith(b"eval "):
                return 1
            seconds.append(time.perf_counter() - asked_s)
    sys.stdout.write("".join(f"{value}\n" for value in seconds))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
