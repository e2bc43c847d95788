"""Memory that is free in this process and of use to others."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress


def return_free_memory() -> None:
    """Give the system back what the allocator keeps, where it can be asked to (glibc); takes milliseconds.

    It keeps what lies below memory in use: after some large answers, as much again as is in use.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)
