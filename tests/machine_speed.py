"""The speed of the machine at the moment, in which tests state their bounds of processor time."""

from __future__ import annotations

import time


def measure_loop_s(tries=20):
    """Return the least processor time of this thread that 10,000 additions in Python take."""
    least_s = 1e9
    for _ in range(tries):
        began_s, total = time.thread_time(), 0
        for number in range(10_000):
            total += number
        least_s = min(least_s, time.thread_time() - began_s)
    return least_s
