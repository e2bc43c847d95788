"""Requests that come while a server searches deeper what was asked often."""

from __future__ import annotations

import asyncio

from gammond.engine.rules.dice import ROLLS
from tests.attacks.beside import compute_ms
from tests.attacks.server import serve
from tests.attacks.trial import Attack, Trial, expect
from tests.attacks.wire import Client, run_clients
from tests.support.waiting import wait_for

_DEEPER = "searched deeper"
"""In the log where a server did."""

_IDLE_S = 0.1
_BEGINS_S = 60.0
_PAUSE_S = 0.5
"""Longer than a server takes to see that nobody asks."""


def attack_with_requests_amid_deepening(trial: Trial) -> str:
    """Ask now and then, each time when the server is at a search of its own; and so with deepening off."""
    amid: dict[str, float] = {}
    in_turn: dict[str, float] = {}
    percent = trial.dose(50, 99)  # a few requests beside other tests: the median

    for deepen in ("off", "on"):
        options = f"file={trial.home.folder / deepen}.sqlite,idle={_IDLE_S},deepen={deepen}"
        with serve(trial.home, environment={"GAMMOND_STORE": options}) as server:
            run_clients(_ask_often(server.port))
            if deepen == "on":
                wait_for(lambda log=server.read_log: _DEEPER in log(), _BEGINS_S)
            amid[deepen] = compute_ms(run_clients(_time(server.port, trial.dose(6, 200), _PAUSE_S)), percent)
            in_turn[deepen] = compute_ms(run_clients(_time(server.port, trial.dose(200, 5000), 0.0)), percent)
            log = server.read_log()
        expect((_DEEPER in log) is (deepen == "on"), f"deepening is {deepen}: {log[-300:]!r}")
    found = (
        f"an eval amid deepening p{percent} {amid['on']:.1f} ms, without {amid['off']:.1f} ms; one after the "
        f"other {in_turn['on']:.1f} ms, without {in_turn['off']:.1f} ms"
    )
    most_ms = trial.dose(250, 25)
    expect(amid["on"] <= max(most_ms, 2 * amid["off"]), found)
    expect(in_turn["on"] <= max(most_ms, 2 * in_turn["off"]), found)
    return found


async def _ask_often(port: int) -> None:
    """Ask for the plays of all rolls so often that each is worth a search at 4-ply."""
    client = await Client.open(port)
    await client.ask("set game.length 21", "newgame")
    for _ in range(5):
        for high, low in ROLLS:
            await client.ask(f"dice {high} {low}", "moves plies=1")
    await client.ask("newgame", "eval")
    client.close()


async def _time(port: int, count: int, pause_s: float) -> list[float]:
    """Return the seconds that each of a number of evaluations took, each asked for after a pause."""
    client = await Client.open(port)
    await client.ask("newgame", "eval")
    seconds = []
    for _ in range(count):
        if pause_s:
            await asyncio.sleep(pause_s)
        took_s, _ = await client.time("eval")
        seconds.append(took_s)
    client.close()
    return seconds


ATTACKS = (
    Attack(
        "deepening",
        "a client asks now and then, each time when the server searches deeper what was asked often",
        attack_with_requests_amid_deepening,
    ),
)
