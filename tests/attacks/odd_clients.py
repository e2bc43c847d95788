"""Clients that are slow, silent, deaf, half gone or gone, in numbers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from tests.attacks.beside import attack_beside_polite
from tests.attacks.positions import WIDE_DICE, WIDE_POSITION
from tests.attacks.server import Peak, serve
from tests.attacks.trial import Attack, Trial, expect
from tests.attacks.wire import Client, ask_once, open_clients, read_all_to_end, run_clients
from tests.protocol.mixed_lines import GOOD_LINES
from tests.support.waiting import wait_for

_HALF_LINE_S = _STUCK_S = 30.0
_ANSWERS_S = 60.0
"""How long the first answers of all deaf clients may take; the 30 s begin when theirs waits."""
_LATE_S = 20.0
"""How late a timeout may be on a busy machine."""


def slowloris(trial: Trial) -> str:
    """Clients that send a line a byte a second and never end it are disconnected after 30 s."""
    count = trial.dose(20, 200)
    with serve(trial.home) as server:

        async def attack() -> str:
            clients = await open_clients(server.port, count)
            began_s = time.monotonic()
            ends = asyncio.ensure_future(read_all_to_end(clients))
            deadline_s = 3.0 if trial.is_small else _HALF_LINE_S + _LATE_S
            while not ends.done() and time.monotonic() - began_s < deadline_s:
                for client in clients:
                    client.send_bytes(b"e")
                await asyncio.sleep(1.0)
            took_s = time.monotonic() - began_s
            if trial.is_small:
                for client in clients:
                    client.close()
                await ends
                return f"{count} clients, a byte a second for {took_s:.0f} s"
            expect(ends.done(), f"half lines are still open after {took_s:.0f} s")
            expect(
                all(lines and lines[-1].startswith("error limit line") for lines in ends.result()),
                f"a half line ended with {ends.result()[0][-1:]}",
            )
            return f"{count} clients, all told and disconnected after {took_s:.0f} s"

        return attack_beside_polite(trial, server, attack)


def silent(trial: Trial) -> str:
    """Silent clients fill all places until the idle timeout; then there is room again."""
    count, idle_s = trial.dose(20, 200), 2.0
    with serve(trial.home, "--clients", str(count), "--idle-timeout", str(idle_s)) as server:

        async def attack() -> str:
            clients = await open_clients(server.port, count)
            await asyncio.sleep(0.2)
            refused = await (await Client.open(server.port)).read_to_end()
            expect(refused and refused[0].startswith("error busy"), f"one too many got {refused}")
            began_s = time.monotonic()
            ends = await read_all_to_end(clients)
            took_s = time.monotonic() - began_s
            expect(
                all(lines and lines[-1].startswith("error limit idle") for lines in ends),
                f"a silent client ended with {ends[0]}",
            )
            expect(took_s < idle_s + _LATE_S, f"silent clients stayed for {took_s:.1f} s")
            answer = await ask_once(server.port, "newgame", "eval")
            expect(answer.startswith("eval "), f"the next client got {answer!r}")
            return f"{count} clients in all places, gone after {took_s:.1f} s of {idle_s:g} s idle"

        return run_clients(attack())


def deaf(trial: Trial) -> str:
    """Clients ask for long lists and never read: they are disconnected after 30 s, memory stays bounded."""
    count = trial.dose(10, 60)
    with serve(trial.home) as server:
        run_clients(ask_once(server.port, f"position gnubgid {WIDE_POSITION}", WIDE_DICE, "moves"))
        peak = Peak(server)
        first = peak.before.descriptors + 1  # with the polite client

        async def attack() -> str:
            clients = [await Client.open(server.port, receive_bytes=4096) for _ in range(count)]
            lines = [f"position gnubgid {WIDE_POSITION}", WIDE_DICE, *["moves", "legal"] * 40]
            for client in clients:
                client.send(*lines)
            began_s = time.monotonic()
            last_s = 4.0 if trial.is_small else _STUCK_S + _ANSWERS_S
            while time.monotonic() - began_s < last_s:
                await asyncio.sleep(0.25)
                if peak.look().descriptors <= first and not trial.is_small:
                    break
            took_s = time.monotonic() - began_s
            left = peak.look().descriptors - first
            for client in clients:
                client.reset()
            expect(peak.mib < 4 * count + 64, f"{count} deaf clients hold {peak.mib:.0f} MiB")
            expect(trial.is_small or left <= 0, f"{left} deaf clients are still there after {took_s:.0f} s")
            return f"{count} clients, {peak.mib:.0f} MiB more at the peak, {took_s:.0f} s"

        return attack_beside_polite(trial, server, attack)


def half_closed(trial: Trial) -> str:
    """Clients send their lines, end their sending side, and get every answer, then the end."""
    count, size = trial.dose(20, 200), 30
    lines = [line for line in GOOD_LINES if not line.startswith("{")][:8]
    script = (lines * size)[:size]
    with serve(trial.home) as server:

        async def ask() -> int:
            client = await Client.open(server.port)
            client.send(*script)
            client.half_close()
            finals = await client.read_finals(size)
            rest = await client.read_to_end()
            client.close()
            expect(not rest, f"more than was asked for: {rest[:1]}")
            return len(finals)

        async def attack() -> str:
            answered = sum(await asyncio.gather(*(ask() for _ in range(count))))
            return f"{count} clients, {answered:,} of {count * size:,} answers, then the end"

        return attack_beside_polite(trial, server, attack)


def reset(trial: Trial) -> str:
    """Clients break off with RST in the middle of answers: their work stops, nothing of them stays."""
    count, rounds = trial.dose(20, 100), trial.dose(2, 10)
    requests = ("eval plies=4", "rollout position trials=50000", "moves plies=3", "legal", "matrix plies=2")
    with serve(trial.home) as server:
        run_clients(ask_once(server.port, "newgame", "eval plies=2", "rollout position trials=36 truncate=5"))
        before = server.sample()

        async def attack() -> str:
            for number in range(rounds):
                trial.note(f"round {number + 1} of {rounds}")
                clients = await open_clients(server.port, count)
                for client in clients:
                    client.send("newgame", "dice 6 6", *trial.rng.sample(requests, 3))
                await asyncio.sleep(trial.rng.random() / 2)
                for client in clients:
                    client.reset()
            return f"{rounds * count:,} connections reset"

        figures = attack_beside_polite(trial, server, attack)
        began_s = time.monotonic()
        wait_for(lambda: server.sample().descriptors <= before.descriptors, _LATE_S)
        waited_s = time.monotonic() - began_s
        time.sleep(0.3)
        after = server.sample()
        left = after.descriptors - before.descriptors
        expect(left <= 0, f"{left} descriptors stay {waited_s:.1f} s after")
        spent_s = server.measure_idle_cpu()
        expect(
            spent_s < 0.3, f"work of clients that are gone goes on: {spent_s:.2f} s of processor time in one"
        )
    return f"{figures}; all gone after {waited_s:.1f} s, {after.threads - before.threads:+d} threads"


ATTACKS: Sequence[Attack] = (
    Attack("slowloris", "half lines, a byte a second", slowloris),
    Attack("silent", "clients that say nothing, in all places", silent),
    Attack("deaf", "clients that ask for much and never read", deaf),
    Attack("half-closed", "clients that end their sending side and wait for all answers", half_closed),
    Attack("reset", "connections reset in the middle of answers", reset),
)
