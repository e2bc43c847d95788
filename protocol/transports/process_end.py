"""The end of a server's process."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from contextlib import suppress
from typing import NoReturn


def list_ending_signals() -> tuple[signal.Signals, ...]:
    """Return the signals after which a server takes no more, answers what it has, and ends.

    They are SIGTERM, SIGINT and, where it exists and is not ignored (as under ``nohup``), SIGHUP; on Windows
    SIGBREAK, of a console that is closed.
    """
    hang_up = getattr(signal, "SIGHUP", None) or getattr(signal, "SIGBREAK", None)
    if hang_up is None or signal.getsignal(hang_up) == signal.SIG_IGN:
        return signal.SIGTERM, signal.SIGINT
    return signal.SIGTERM, signal.SIGINT, hang_up


def end_process(status: int) -> NoReturn:
    """End the process of a server that has answered all it will, whatever its threads are at.

    The interpreter's own end waits for the threads of pools, ten seconds where one compiles a kernel, and may
    crash in others that are in compiled code. What was registered for the end is done; files are safe, since
    all that outlive the process are written under another name first.
    """
    atexit._run_exitfuncs()
    with suppress(OSError, ValueError):  # it is closed, or nobody reads
        sys.stdout.flush()
    os._exit(status)
