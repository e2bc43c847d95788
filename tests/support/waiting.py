"""Waiting for other threads, and never for ever."""

from __future__ import annotations

import threading
import time

MOST_S = 60.0


def wait_until(holds):
    """Wait until a condition holds."""
    end_s = time.monotonic() + MOST_S
    while not holds():
        assert time.monotonic() < end_s, "it does not come to hold"
        time.sleep(0.01)


def in_time(work):
    """Return what work in a thread of its own returns, or raise what it raises."""
    done, errors = [], []

    def run():
        try:
            done.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(MOST_S)
    assert done or errors, "it still waits"
    if errors:
        raise errors[0]
    return done[0]
