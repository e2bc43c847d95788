"""Clients that ask for all they can, beside one that does not: time, memory, and how soon work stops."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from functools import partial

from tests.attacks.beside import attack_beside_polite, warm_up
from tests.attacks.positions import OPENING, WIDE_DICE, WIDE_POSITION
from tests.attacks.server import Peak, Server, serve
from tests.attacks.trial import Attack, Trial, expect
from tests.attacks.wire import Client, open_clients, run_clients

ATTACKERS = 20
STOP_MS = 100.0
"""How soon work ends after ``stop``, under load, added to what a mere ``isready`` takes then."""

SEARCH_S = 1.0
"""What a search at 2-ply may take beside the rollouts of others, added to its time alone: hundredths."""

_SERVER_MIB = 448.0
"""What slow readers may pin together: the 256 MiB that a server holds for its clients, what workers add in a
second until that is counted, answers under way of clients that are cut off, and what the allocator keeps of
these until it is asked for it."""
_WIDE_QUERY_POSITIONS = 45
"""As many as one query may have: 99,495 plays, 20 MB of answer."""


def make_wide_query(number: int) -> str:
    """Return a query with an answer as long as any."""
    return json.dumps(
        {
            "id": number,
            "positions": [WIDE_POSITION] * _WIDE_QUERY_POSITIONS,
            "dice": [1, 1],
            "want": ["moves"],
        }
    )


KINDS: dict[str, Callable[[int], list[str]]] = {
    "plays": lambda _: [f"position gnubgid {WIDE_POSITION}", *[WIDE_DICE, "play 24/23 22/21", "undo"] * 20],
    "queries": lambda number: [make_wide_query(number)],
    "legal": lambda _: [f"position gnubgid {WIDE_POSITION}", WIDE_DICE, *["legal"] * 4],
    "moves": lambda _: [f"position gnubgid {WIDE_POSITION}", WIDE_DICE, *["moves"] * 4],
    "long-words": lambda _: [
        "x" * 520_000,
        f"set {'engine.' * 70_000} 1",
        f"set engine.level {'y' * 520_000}",
    ],
    "odd-commands": lambda _: [f"rollout {'play=1 ' * 70_000}", f"rank {'8/5 ' * 120_000}"],
    "odd-queries": lambda number: [
        f'{{"id":{number},{",".join(f"{place!r}:1" for place in map(str, range(50_000)))}}}'.replace(
            "'", '"'
        ),
        f'{{"id":{number},"position":[{",".join(["1.1234567890123456789e-300"] * 18_000)}]}}',
    ],
    "evaluations": lambda _: [f"position gnubgid {OPENING}", *["eval"] * 200],
    "searches": lambda number: ["newgame", f"@s{number} eval plies=3", f"@r{number} rollout trials=200"],
}
"""What each attacker of a kind sends again and again."""


def ask_greedily(kind: str, trial: Trial) -> str:
    """Let clients all send lines of one kind without end."""
    seconds = trial.dose(1, 10)
    with serve(trial.home) as server:

        async def attack() -> str:
            tasks = [
                asyncio.create_task(_ask_without_end(server, kind, number)) for number in range(ATTACKERS)
            ]
            await asyncio.sleep(seconds)
            for task in tasks:
                task.cancel()
            counts = await asyncio.gather(*tasks, return_exceptions=True)
            faults = [each for each in counts if isinstance(each, Exception)]
            expect(not faults, f"an attacker met {faults[:1]}")
            return f"{ATTACKERS} attackers for {seconds} s"

        return attack_beside_polite(trial, server, attack)


async def _ask_without_end(server: Server, kind: str, attacker: int) -> None:
    client = await Client.open(server.port)
    number = 1000 * attacker
    try:
        while True:
            number += 1
            lines = KINDS[kind](number)
            client.send(*lines)
            await client.flush()
            for _ in lines:
                await client.read_finals(1)
    finally:
        client.reset()


def slow_readers(trial: Trial) -> str:
    """Clients read 3 kB/s of large answers, six at once each: the server's memory stays bounded."""
    count, seconds = trial.dose(6, 40), trial.dose(4, 40)
    with serve(trial.home) as server:
        run_clients(warm_up(server.port))
        peak = Peak(server)

        async def read_slowly(client: Client) -> None:
            client.send(*map(make_wide_query, range(6)))
            while await client.read(300):
                await asyncio.sleep(0.1)

        async def attack() -> str:
            clients = [await Client.open(server.port, receive_bytes=4096) for _ in range(count)]
            tasks = [asyncio.create_task(read_slowly(client)) for client in clients]
            began_s = time.monotonic()
            while time.monotonic() - began_s < seconds:
                await asyncio.sleep(0.2)
                peak.look()
                trial.note(f"{peak.mib:.0f} MiB more at the peak")
                if peak.mib > _SERVER_MIB:
                    break
            dropped = sum(task.done() for task in tasks)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for client in clients:
                client.reset()
            expect(peak.mib <= _SERVER_MIB, f"{count} slow readers pin {peak.mib:.0f} MiB")
            return f"{count} clients at 3 kB/s, {peak.mib:.0f} MiB more at the peak, {dropped} disconnected"

        return attack_beside_polite(trial, server, attack)


def stop(trial: Trial) -> str:
    """Work ends within 100 ms of ``stop``, whatever it is, while others keep the server busy."""
    tries, others = trial.dose(4, 40), 8
    requests = (
        make_wide_query(0),
        "moves plies=2",
        "go chequer plies 3",
        "rollout position trials=50000",
        "eval plies=4",
        "matrix plies=3",
    )
    with serve(trial.home) as server:

        async def attack() -> tuple[float, float, str]:
            await warm_up(server.port)
            busy = await open_clients(server.port, others)
            for number, client in enumerate(busy):
                client.send("newgame", f"@a{number} eval plies=4", "rollout position trials=50000")
            client = await Client.open(server.port)
            await client.ask(f"position gnubgid {WIDE_POSITION}", WIDE_DICE)
            idle_ms, worst_ms, worst = 0.0, 0.0, ""
            for number in range(tries * len(requests)):
                request = requests[number % len(requests)]
                took_s, _ = await client.time("@i isready")
                idle_ms = max(idle_ms, 1000 * took_s)
                client.send(request)
                await asyncio.sleep(trial.rng.uniform(0.01, 0.3))
                asked_s = time.perf_counter()
                client.send("@s stop")
                finals = await client.read_finals(2)
                took_ms = 1000 * (time.perf_counter() - asked_s)
                expect(any("stop" in line for line in finals), f"{request[:40]!r} got {finals}")
                if took_ms > worst_ms:
                    worst_ms, worst = took_ms, request.partition(" ")[0][:8].strip('{"')
                trial.note(f"{number + 1} of {tries * len(requests)}, slowest {worst_ms:.0f} ms")
            for other in busy:
                other.reset()
            return idle_ms, worst_ms, worst

        idle_ms, worst_ms, worst = run_clients(attack())
    figures = (
        f"{tries * len(requests)} stops beside {others} busy clients, slowest {worst_ms:.0f} ms ({worst}; "
        f"isready up to {idle_ms:.0f} ms)"
    )
    expect(worst_ms <= STOP_MS + idle_ms, figures)
    return figures


def rollouts(trial: Trial) -> str:
    """A client searches beside two that have as many rollouts under way as they may: it has its turns too."""
    rolls = trial.dose(4, 12)
    with serve(trial.home) as server:

        async def attack() -> tuple[float, float]:
            await warm_up(server.port)
            client = await Client.open(server.port)
            alone = [await _time_search(client, number) for number in range(rolls)]
            for other in await open_clients(server.port, 2):
                other.send("newgame", *(f"@r{number} rollout position seed={number}" for number in range(4)))
            await asyncio.sleep(0.5)
            beside = [await _time_search(client, number) for number in range(rolls, 2 * rolls)]
            # Whoever has no turns waits for rollouts each time; what other tests take need not be each time.
            choose = min if trial.is_small else max
            return choose(alone), choose(beside)

        alone_s, beside_s = run_clients(attack())
    which = "quickest" if trial.is_small else "slowest"
    figures = f"{rolls} searches beside 8 rollouts, {which} {beside_s:.2f} s (alone {alone_s:.2f} s)"
    expect(beside_s <= SEARCH_S + alone_s, figures)
    return figures


async def _time_search(client: Client, number: int) -> float:
    """Return how long the ranking of a roll's plays at 2-ply takes, in seconds."""
    await client.ask(f"position gnubgid {OPENING}", f"dice {number % 6 + 1} {number % 5 + 1}")
    took_s, _ = await client.time(f"moves plies=2 cubeful={'true' if number % 2 else 'false'}")
    return took_s


ATTACKS: Sequence[Attack] = (
    *(
        Attack(
            f"greedy-{kind}", f"{ATTACKERS} clients that send {kind} without end", partial(ask_greedily, kind)
        )
        for kind in KINDS
    ),
    Attack("rollouts", "a search beside clients with four full rollouts each", rollouts),
    Attack("slow-readers", "large answers, read at 3 kB/s", slow_readers),
    Attack("stop", "stop of everything that takes long, under load", stop),
)
