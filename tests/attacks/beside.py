"""A polite client beside an attack: how long it waits for an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from tests.attacks.polite import measure_alone, polite_client
from tests.attacks.positions import OPENING
from tests.attacks.server import Server
from tests.attacks.trial import Trial, expect
from tests.attacks.wire import Client, run_clients

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
    alone = measure_alone(server.port, 1.0 if trial.is_small else 3.0)
    with polite_client(server.port) as times:
        figures = run_clients(attack())
    expect(times.seconds, "the polite client got no answer")
    alone_ms, beside_ms = ((each.p50_ms if trial.is_small else each.p99_ms) for each in (alone, times))
    expect(
        beside_ms <= alone_ms + (_SMALL_MS if trial.is_small else POLITE_MS),
        f"{figures}; the polite client waited {beside_ms:.1f} ms, without the attack {alone_ms:.1f} ms",
    )
    return f"{figures}; polite p50 {times.p50_ms:.1f}, p99 {times.p99_ms:.1f} ms (alone {alone.p99_ms:.1f})"


async def warm_up(port: int) -> None:
    """Ask for everything that is loaded at its first use."""
    client = await Client.open(port)
    await client.ask(*_FIRST_LINES)
    client.close()
