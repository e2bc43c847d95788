"""The end of a server's process."""

from __future__ import annotations

import signal


def list_ending_signals() -> tuple[signal.Signals, ...]:
    """Return the signals after which a server takes no more, answers what it has, and ends.

    They are SIGTERM, SIGINT and, where it exists and is not ignored (as under ``nohup``), SIGHUP.
    """
    hang_up = getattr(signal, "SIGHUP", None)
    if hang_up is None or signal.getsignal(hang_up) == signal.SIG_IGN:
        return signal.SIGTERM, signal.SIGINT
    return signal.SIGTERM, signal.SIGINT, hang_up
