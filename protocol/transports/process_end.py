"""The end of a server's process: the signals that ask for it, and threads that do not end in time."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress

WORKER_NAME = "-worker-"
"""Part of the names of all workers."""


def list_ending_signals() -> tuple[signal.Signals, ...]:
    """Return the signals after which a server takes no more, answers what it has, and ends.

    They are SIGTERM, SIGINT and, where it exists and is not ignored (as under ``nohup``), SIGHUP.
    """
    hang_up = getattr(signal, "SIGHUP", None)
    if hang_up is None or signal.getsignal(hang_up) == signal.SIG_IGN:
        return signal.SIGTERM, signal.SIGINT
    return signal.SIGTERM, signal.SIGINT, hang_up


def end_beside_threads(status: int) -> int:
    """End the process at once if workers are still at work; Python may crash when it ends beneath them.

    Args:
        status: The exit status.

    Returns:
        The status, where no worker is left.
    """
    if not any(WORKER_NAME in thread.name for thread in threading.enumerate()):
        return status
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or nobody reads
            stream.flush()
    os._exit(status)
