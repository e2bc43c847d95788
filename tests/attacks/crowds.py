"""More clients than there is room for: a thousand at once, and no file descriptors left."""

from __future__ import annotations

import asyncio
import resource
import time
from collections.abc import Sequence

from tests.attacks.beside import compute_ms, warm_up
from tests.attacks.positions import OPENING
from tests.attacks.server import serve
from tests.attacks.trial import Attack, Trial, expect
from tests.attacks.wire import Client, ask_once, open_clients, run_clients
from tests.support.waiting import wait_for

_LOG_BYTES = 20_000
"""What a server may log while descriptors run out."""
_SERVED_S = 60.0
_LEAVE_S = 30.0


def crowd(trial: Trial) -> str:
    """A thousand clients come at once, ask at once, and go; each is answered."""
    count, evals = trial.dose(200, 1000), trial.dose(2, 10)
    raise_own_limit(2 * count + 100)
    with serve(trial.home, "--clients", str(count + 10)) as server:
        run_clients(warm_up(server.port))
        before = server.sample()

        async def ask(client: Client) -> list[float]:
            found = [await client.time("newgame", "eval") for _ in range(evals)]
            odd = [answer for _, answer in found if not answer.startswith("eval ")]
            expect(not odd, f"a client of the crowd got {odd[:1]}")
            return [seconds for seconds, _ in found]

        async def attack() -> tuple[list[float], float]:
            clients = await open_clients(server.port, count)
            began_s = time.perf_counter()
            asked = await asyncio.gather(*(ask(client) for client in clients))
            took_s = time.perf_counter() - began_s
            for client in clients:
                client.close()
            return [each for seconds in asked for each in seconds], took_s

        seconds, took_s = run_clients(attack())
        rss_mib = server.sample().rss_mib - before.rss_mib
        has_left = wait_for(lambda: server.sample().descriptors <= before.descriptors, _LEAVE_S)
        expect(has_left, f"{server.sample().descriptors} descriptors, {before.descriptors} before the crowd")
    return (
        f"{count:,} clients, {len(seconds):,} evaluations in {took_s:.1f} s, {len(seconds) / took_s:,.0f}/s, "
        f"p99 {compute_ms(seconds, 99):.0f} ms, {rss_mib:.0f} MiB more"
    )


def descriptors(trial: Trial) -> str:
    """Three times as many clients come as files may be open: those admitted are served, nothing spins."""
    allowed, count = 200, 600
    least = (allowed - 64) // 2
    raise_own_limit(2 * count)

    def limit_files() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, allowed))

    with serve(trial.home, "--clients", str(count), before_start=limit_files) as server:
        run_clients(warm_up(server.port))
        expect("open files" in server.read_log(), "the server does not say that it takes fewer clients")

        async def attack() -> tuple[int, int]:
            clients = await open_clients(server.port, count)
            for client in clients:
                client.send(f"position gnubgid {OPENING}", "eval")
            await asyncio.sleep(trial.dose(1, 5))
            readers = [asyncio.ensure_future(client.read_finals(2)) for client in clients]
            deadline_s = time.monotonic() + _SERVED_S
            await asyncio.wait(readers, timeout=trial.dose(1, 5))
            while sum(reader.done() for reader in readers) < least and time.monotonic() < deadline_s:
                await asyncio.sleep(0.1)
            served = [reader for reader in readers if reader.done() and not reader.exception()]
            refused = [reader for reader in readers if reader.done() and reader.exception()]
            for reader in readers:
                reader.cancel()
            for client in clients:
                client.reset()
            await asyncio.gather(*readers, return_exceptions=True)
            return len(served), len(refused)

        served, refused = run_clients(attack())
        spent_s = server.measure_idle_cpu()
        log_bytes = len(server.read_log())
        expect(served >= least, f"only {served} clients were served with {allowed} open files")
        expect(log_bytes < _LOG_BYTES, f"the server logged {log_bytes:,} bytes: {server.read_log()[-300:]!r}")
        expect(spent_s < 0.5, f"the server spins: {spent_s:.2f} s of processor time in a second")
        answer = run_clients(ask_once(server.port, "newgame", "eval"))
        expect(answer.startswith("eval "), f"once they are gone, a client gets {answer!r}")
    return (
        f"{count} clients, {allowed} open files: {served} served, {refused} refused, "
        f"{count - served - refused} left waiting, {log_bytes:,} bytes logged"
    )


def raise_own_limit(files: int) -> None:
    """Let this process open as many files as its clients need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < files:
        limit = files if hard == resource.RLIM_INFINITY else min(files, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


ATTACKS: Sequence[Attack] = (
    Attack("crowd", "a thousand clients at once", crowd),
    Attack("descriptors", "more clients than open files allow", descriptors),
)
