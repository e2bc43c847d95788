"""Usable processor cores."""

from __future__ import annotations

import os

MAX_THREADS = 256
"""The largest number of threads that any setting allows."""


def count_usable_cores() -> int:
    """Return the number of cores that this process may use, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1
