"""A polite client in a process of its own: asks for an evaluation, waits for the answer, pauses, asks again.

Run as ``python polite.py PORT``; it ends with its standard input, and then writes its times in seconds, one a
line. It imports nothing that takes time.
"""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Sequence

PAUSE_S = 0.02
TIMEOUT_S = 60.0


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
