"""A polite client beside an attack: how long it waits for an evaluation."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from subprocess import PIPE
from typing import Any

from gammond.tools.bench.load_client import compute_percentile
from tests.attacks import polite
from tests.attacks.positions import OPENING
from tests.attacks.server import Server
from tests.attacks.trial import Trial, expect
from tests.attacks.wire import ask_once, run_clients

POLITE_MS = 50.0
"""What a 0-ply evaluation of a polite client may take beside an attack, added to its time without one."""
_SMALL_MS = 250.0
"""The same of a small dose, which runs beside other tests."""

_FIRST_LINES = (
    "isready",
    "newgame",
    "dice 3 1",
    "moves",
    "legal",
    "go turn",
    "play 8/5 6/5",
    "cube",
    "take",
    "board",
    "nonsense",
    "set game.length 5",
    "eval",
    f'{{"id":1,"positions":["{OPENING}"],"dice":[3,1],"want":["eval","moves","cube"]}}',
)


def attack_beside_polite(trial: Trial, server: Server, attack: Callable[[], Coroutine[Any, Any, str]]) -> str:
    """Run an attack beside a polite client that waits as it may, and return the figures of both.

    The bound is for the 99th percentile; a small dose is too short for one, and has the median.

    Raises:
        AttackError: The attack found something, or the polite client waited too long.
    """
    run_clients(warm_up(server.port))
    with _be_polite(server.port) as alone:
        time.sleep(1.0 if trial.is_small else 3.0)
    with _be_polite(server.port) as times:
        figures = run_clients(attack())
    expect(times, "the polite client got no answer")
    alone_ms, beside_ms = (compute_ms(each, trial.dose(50, 99)) for each in (alone, times))
    expect(
        beside_ms <= alone_ms + (_SMALL_MS if trial.is_small else POLITE_MS),
        f"{figures}; the polite client waited {beside_ms:.1f} ms, without the attack {alone_ms:.1f} ms",
    )
    p50_ms, p99_ms = (compute_ms(times, percent) for percent in (50, 99))
    return f"{figures}; polite p50 {p50_ms:.1f}, p99 {p99_ms:.1f} ms (alone {compute_ms(alone, 99):.1f})"


def compute_ms(seconds: Sequence[float], percent: int) -> float:
    """Return a percentile of times, in milliseconds."""
    return 1000 * compute_percentile(seconds, percent)


@contextmanager
def _be_polite(port: int) -> Iterator[list[float]]:
    """Keep a polite client beside what the block does; its times in seconds are there after the block."""
    times: list[float] = []
    process = subprocess.Popen(
        [sys.executable, polite.__file__, str(port)], stdin=PIPE, stdout=PIPE, text=True
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()  # it has had its first answer
        yield times
        out, _ = process.communicate(timeout=2 * polite.TIMEOUT_S)
        times.extend(map(float, out.split()))
    finally:
        process.kill()
        process.communicate()


async def warm_up(port: int) -> None:
    """Ask for everything that is loaded at its first use."""
    await ask_once(port, *_FIRST_LINES)
