"""Tests that are coroutines, and waiting for what other threads do, on a machine of any speed."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Callable

import pytest

MOST_S = 180.0
_MOST_SLOW_S = 300.0


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine, which a conftest with this hook allows."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    most_s = _MOST_SLOW_S if "slow" in pyfuncitem.keywords else MOST_S

    async def run() -> None:
        await asyncio.wait_for(pyfuncitem.obj(**given), most_s)

    asyncio.run(run())
    return True


def wait_for(is_true: Callable[[], object], seconds: float, poll_s: float = 0.05) -> bool:
    """Wait until something is true, for so long at most; return whether it is."""
    ends_s = time.monotonic() + seconds
    while not (found := is_true()) and time.monotonic() < ends_s:
        time.sleep(poll_s)
    return bool(found)


def wait_until(is_true: Callable[[], object]) -> None:
    """Wait until something is true."""
    assert wait_for(is_true, MOST_S, 0.01), "it has not become true"


async def wait_in_loop(is_true: Callable[[], object]) -> None:
    """Wait until something is true, while the event loop goes on."""
    ends_s = time.monotonic() + MOST_S
    while not is_true():
        assert time.monotonic() < ends_s, "it has not become true"
        await asyncio.sleep(0.01)


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


class LeapingClock:
    """The machine's clock, which a test puts forward: what is to take long takes no time."""

    def __init__(self) -> None:
        self._ahead_s = 0.0

    def __call__(self) -> float:
        """Return the time in seconds."""
        return time.monotonic() + self._ahead_s

    def leap(self, seconds: float) -> None:
        """Put the clock forward."""
        self._ahead_s += seconds
