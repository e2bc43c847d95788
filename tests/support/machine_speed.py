"""The speed of the machine at the moment, in which tests state their bounds of time."""

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


def measure_stretch(work_s=0.1):
    """Return how many times as long as it works this thread takes at the moment: it shares the cores.

    Args:
        work_s: The processor time that is measured.
    """
    began_s, worked_s = time.perf_counter(), time.thread_time()
    while time.thread_time() - worked_s < work_s:
        pass
    return (time.perf_counter() - began_s) / work_s
