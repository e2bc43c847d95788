"""The soak: a dozen clients that mix everything for hours, and what the servers use meanwhile."""

from __future__ import annotations

import argparse
import asyncio
import csv
import math
import os
import random
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

from gammond.tools.bench.load_client import compute_percentile
from tests.attacks.habits import HABITS, Habit, Tally, Visit, leave, play_as_gnubg
from tests.attacks.positions import collect_positions
from tests.attacks.server import AttackError, Home, Sample, Server, serve
from tests.attacks.trends import rate_rows
from tests.attacks.trial import say
from tests.attacks.wire import Client, run_clients

FIGURES = "soak.csv"
VERDICT = "verdict.txt"

_PAUSE_S = 4.0
"""The mean time between two requests of a client: together they take about a tenth of a core."""
_POLITE_PAUSE_S = 0.5
_POSITIONS = 400
_SAMPLES = 12
"""How often memory is looked at for one row: the least counts, for the answers under way come and go."""
_OPTIONS = ("--threads", "2")
_RETRY_S = 1.0


def run_soak(args: argparse.Namespace, home: Home) -> bool:
    """Run servers and clients for so many hours, write a row a minute, and rate the rows.

    Args:
        args: `hours`, `output`, `seed`.
        home: Folders of the servers.

    Returns:
        Whether all trends are flat and nothing went wrong.
    """
    output: Path = args.output
    output.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        servers = {
            "lines": stack.enter_context(serve(home, *_OPTIONS)),
            "gnubg": stack.enter_context(serve(home, *_OPTIONS, dialect="--gnubg")),
        }
        soak = _Soak(servers, args.hours * 3600.0, args.seed)
        with (output / FIGURES).open("w", newline="") as file:
            faults = run_clients(soak.run(file))
        for name, server in servers.items():
            if status := server.end():
                faults.append(f"the server of {name} ended with exit status {status}")
    with (output / FIGURES).open(newline="") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    is_good, lines = rate_rows(rows, faults)
    text = "\n".join(lines)
    (output / VERDICT).write_text(f"{text}\n", "utf-8")
    say(text)
    return is_good


class _Soak:
    """The clients of one soak.

    Args:
        servers: That of the line protocol, and that of gnubg's dialect.
        seconds: How long.
        seed: Of everything that is drawn.
    """

    def __init__(self, servers: dict[str, Server], seconds: float, seed: int) -> None:
        self._servers = servers
        self._seconds = seconds
        self._rng = random.Random(seed)
        self._tally = Tally()
        self._positions: Sequence[str] = ()
        self._polite_s: list[float] = []

    async def run(self, file) -> list[str]:
        """Run to the end, and return what went wrong."""
        self._positions = await collect_positions(self._servers["lines"].port, _POSITIONS, self._rng)
        port, gnubg_port = (self._servers[name].port for name in ("lines", "gnubg"))
        tasks = [asyncio.create_task(self._be_polite(port))]
        tasks += [asyncio.create_task(self._return_often(habit, port)) for habit in HABITS]
        tasks += [asyncio.create_task(self._return_often(play_as_gnubg, gnubg_port)) for _ in range(2)]
        try:
            await self._write_rows(file)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return self._tally.faults

    async def _return_often(self, habit: Habit, port: int) -> None:
        """Visit again and again with one habit."""
        rng = random.Random(self._rng.random())
        while True:
            try:
                visit = Visit(await Client.open(port), rng, self._positions, self._tally, _PAUSE_S)
                self._tally.visits += 1
                with suppress(ConnectionError):
                    await habit(visit)
                    await leave(visit, "exit" if habit is play_as_gnubg else "quit")
            except Exception as error:
                self._tally.report(f"{habit.__name__}: {type(error).__name__}: {error}")
                await asyncio.sleep(_RETRY_S)

    async def _be_polite(self, port: int) -> None:
        """Ask for a 0-ply evaluation every half second, and time the answers."""
        while True:
            try:
                client = await Client.open(port)
                await client.ask("newgame")
                while True:
                    await asyncio.sleep(_POLITE_PAUSE_S)
                    asked_s = time.perf_counter()
                    self._tally.count([await client.ask("eval")])
                    self._polite_s.append(time.perf_counter() - asked_s)
            except (AttackError, OSError) as error:
                self._tally.report(f"polite client: {error}")
                await asyncio.sleep(_RETRY_S)

    async def _write_rows(self, file) -> None:
        began_s = time.monotonic()
        last = {name: server.sample() for name, server in self._servers.items()}
        last_requests = 0
        period_s = min(60.0, self._seconds / 40)
        writer, number = None, 0
        while time.monotonic() - began_s < self._seconds:
            now = await self._sample_least(began_s + number * period_s, period_s)
            number += 1
            requests = self._tally.requests - last_requests
            row = _make_row(time.monotonic() - began_s, period_s, requests, self._polite_s, last, now)
            row |= {
                "visits": self._tally.visits,
                "errors": self._tally.errors,
                "faults": len(self._tally.faults),
            }
            if writer is None:
                writer = csv.DictWriter(file, row)
                writer.writeheader()
            writer.writerow(row)
            file.flush()
            say(
                f"soak: {row['elapsed_s'] / 3600:.2f} h, {self._tally.requests:,} requests, "
                f"RSS {row['lines_rss_mib']} and {row['gnubg_rss_mib']} MiB, p99 {row['p99_ms']} ms, "
                f"{row['core_percent']} % of a core, {row['faults']} faults",
            )
            last, last_requests = now, self._tally.requests
            self._polite_s.clear()

    async def _sample_least(self, begins_s: float, period_s: float) -> dict[str, Sample]:
        """Return what the servers use at the end of a period, with the least memory in it."""
        least_mib = dict.fromkeys(self._servers, math.inf)
        for number in range(1, _SAMPLES + 1):
            await asyncio.sleep(max(0.0, begins_s + number * period_s / _SAMPLES - time.monotonic()))
            now = {name: server.sample() for name, server in self._servers.items()}
            least_mib = {name: min(least_mib[name], sample.rss_mib) for name, sample in now.items()}
        return {name: replace(sample, rss_mib=least_mib[name]) for name, sample in now.items()}


def _make_row(
    elapsed_s: float,
    period_s: float,
    requests: int,
    polite_s: Sequence[float],
    last: dict[str, Sample],
    now: dict[str, Sample],
) -> dict[str, float]:
    """Return one row of the figures."""
    row: dict[str, float] = {"elapsed_s": round(elapsed_s, 1), "requests": requests}
    used_s = 0.0
    for name, sample in now.items():
        row[f"{name}_rss_mib"] = round(sample.rss_mib, 2)
        row[f"{name}_threads"] = sample.threads
        row[f"{name}_descriptors"] = sample.descriptors
        used_s += sample.cpu_s - last[name].cpu_s
    row["core_percent"] = round(100 * used_s / period_s, 1)
    row["cpu_ms_per_request"] = round(1000 * used_s / max(1, requests), 3)
    for percent in (50, 99, 100):
        row[f"p{percent}_ms"] = round(1000 * compute_percentile(polite_s, percent), 2)
    row["load"] = round(os.getloadavg()[0], 2)
    return row
