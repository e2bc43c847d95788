"""How many cores there are to work on."""

from __future__ import annotations

import os

MAX_THREADS = 256
"""The most threads that anything can be asked to work with."""


def count_usable_cores() -> int:
    """Return how many cores this process may use, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1
