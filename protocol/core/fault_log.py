"""The log of what an operator is to mend: each kind once a minute, however often a client repeats it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from gammond.engine.errors import DataFileError, GammondError

_LOG = logging.getLogger(__name__)

REPEAT_AFTER_S = 60.0
"""How long a fault of the same kind and place is only counted."""

MAX_KINDS = 100
"""Kinds of faults that are told apart; the others count as one."""


class FaultLog:
    """Logs faults, those of the program with their traceback, and counts repetitions.

    Safe to use from several threads.

    Args:
        clock: Seconds that never go back; for tests.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._logged_s: dict[str, float] = {}
        self._repetitions: dict[str, int] = {}

    def log_own(self, what: str, error: Exception) -> None:
        """Log an error that is the server's: a fault of the program, a file of which clients see no path.

        Args:
            what: What failed.
            error: What was raised.
        """
        if not isinstance(error, GammondError):
            self.log(what, error)
        elif isinstance(error, DataFileError) and error.public_message is not None:
            self.log(f"{what}: {error.message}", error)

    def log(self, what: str, fault: BaseException) -> None:
        """Log a fault, or count it.

        Args:
            what: What failed.
            fault: What was raised.
        """
        kind = f"{what} {_describe_place(fault)}"
        now_s = self._clock()
        with self._lock:
            if kind not in self._logged_s and len(self._logged_s) >= MAX_KINDS:
                kind = "others"
            is_due = now_s - self._logged_s.get(kind, -REPEAT_AFTER_S) >= REPEAT_AFTER_S
            if not is_due:
                self._repetitions[kind] = self._repetitions.get(kind, 0) + 1
                return
            self._logged_s[kind] = now_s
            repeated = self._repetitions.pop(kind, 0)
        more = f" ({repeated:,} more like it since the last report)" if repeated else ""
        _LOG.error("%s%s", what, more, exc_info=None if isinstance(fault, GammondError) else fault)


def _describe_place(fault: BaseException) -> str:
    """Return the type of a fault and the line that raised it."""
    trace = fault.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else ""
    return f"{type(fault).__name__} {place}"


FAULT_LOG = FaultLog()
"""The log of this process."""
