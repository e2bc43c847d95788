"""Signals to servers with work under way: the exit status is 0, and nothing hangs."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial

from tests.attacks.positions import GNUBG_BOARD
from tests.attacks.server import serve, start_gammond
from tests.attacks.trial import Attack, Trial, expect
from tests.attacks.wire import Client, open_clients, run_clients

ENDING_S = 12
"""How long a server may take to end: 5 s for its work, 2 s to answer and send, and a busy machine's share."""

_SMALL_ENDING_S = 20
"""The same of a small dose, which runs beside other tests."""

SERVERS_AT_ONCE = 3

_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_LONG_REQUESTS = (
    "newgame",
    "@a eval plies=3",
    "@b rollout position trials=5000",
    "eval plies=4",
    "moves plies=2",
)
_BOARD = f"evaluation fibsboard {GNUBG_BOARD.format(dice='0:0:0:0')} plies 3"


def _default_signals() -> None:
    """Undo what a shell did to its background jobs."""
    for kind in _SIGNALS:
        signal.signal(kind, signal.SIG_DFL)


def end_server(
    dialect: str, requests: Sequence[str], trial: Trial, kind: signal.Signals, *, hangs_up: bool
) -> tuple[int, float]:
    """End a server with clients at work, or that have just gone; return its exit status and the seconds."""
    with serve(trial.home, dialect=dialect, before_start=_default_signals) as server:

        async def attack() -> tuple[int, float]:
            clients = await open_clients(server.port, 8)
            for client in clients:
                client.send(*requests)
            await asyncio.sleep(trial.rng.uniform(0.0, 1.0))
            if hangs_up:
                for client in clients:
                    trial.rng.choice([Client.reset, Client.close])(client)
                await asyncio.sleep(trial.rng.uniform(0.0, 0.02))
            began_s = time.monotonic()
            status = await asyncio.to_thread(server.end, kind)
            return status, time.monotonic() - began_s

        return run_clients(attack())


def end_stdio(trial: Trial, kind: signal.Signals, *, hangs_up: bool) -> tuple[int, float]:
    """End a server on standard input, whose input may have ended just before."""
    with (trial.home.folder / "stdio.log").open("ab") as log:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": log}
        process = start_gammond(trial.home, **pipes, preexec_fn=_default_signals)
    try:
        assert process.stdin is not None
        process.stdin.write("\n".join(("newgame", "eval", *_LONG_REQUESTS)).encode() + b"\n")
        process.stdin.flush()
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(trial.rng.uniform(0.0, 1.0))
        if hangs_up:
            process.stdin.close()
        began_s = time.monotonic()
        process.send_signal(kind)
        status = process.wait(ENDING_S * 2)
        return status, time.monotonic() - began_s
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()


_ENDS: dict[str, Callable[..., tuple[int, float]]] = {
    "tcp": partial(end_server, "--tcp", _LONG_REQUESTS),
    "gnubg": partial(end_server, "--gnubg", (_BOARD, _BOARD)),
    "stdin": end_stdio,
}


def signals(trial: Trial) -> str:
    """SIGTERM, SIGHUP and SIGINT with work under way, and just after clients hung up: exit 0 each time."""
    cases = [(name, kind, hangs_up) for name in _ENDS for kind in _SIGNALS for hangs_up in (True, False)]
    cases = trial.rng.sample(cases, 3) if trial.is_small else cases * 3
    ended_s: list[float] = []
    most_s = trial.dose(_SMALL_ENDING_S, ENDING_S)

    def end(number: int) -> None:
        name, kind, hangs_up = cases[number]
        own = replace(trial, rng=random.Random(f"{trial.rng.random()} {number}"))
        status, took_s = _ENDS[name](own, kind, hangs_up=hangs_up)
        when = "just after clients hung up" if hangs_up else "with work under way"
        expect(status == 0, f"{name} ended with {status} on {kind.name} {when}")
        expect(
            took_s < most_s,
            f"{name} took {took_s:.1f} s to end on {kind.name} {when}",
        )
        ended_s.append(took_s)
        trial.note(f"{len(ended_s)} of {len(cases)}, slowest {max(ended_s):.1f} s")

    with ThreadPoolExecutor(SERVERS_AT_ONCE) as pool:
        list(pool.map(end, range(len(cases))))
    names = ", ".join(kind.name for kind in _SIGNALS)
    return f"{len(cases)} ends by {names}, all 0, slowest {max(ended_s):.1f} s"


ATTACKS: Sequence[Attack] = (Attack("signals", "SIGTERM, SIGHUP and SIGINT with work under way", signals),)
