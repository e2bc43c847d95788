"""A load on a server: many clients at once, each sending good and bad lines in turn, and their latencies."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass

import msgspec

from protocol.commands.table import DATA_LINE_KEYWORDS

GOOD_LINES = (
    "position gnubgid 4HPwATDgc/ABMA",
    "position xgid -b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
    "dice 3 1",
    "eval",
    "legal",
    "moves 3",
    "go chequer",
    "go cube",
    "isready",
    "get engine.ply",
    "@t1 eval",
    '{"id":"q","position":"4HPwATDgc/ABMA","dice":[3,1],"want":["eval","moves"],"max_moves":2}',
)
BAD_LINES = (
    "nonsense",
    "dice 9 9",
    "position gnubgid AAAA",
    "eval plies=x",
    "go home",
    "set engine.ply -1",
    "@ eval",
    "\x01\x02",
    '{"id":',
    '{"id":"r","position":"zzz"}',
)
_OPENING = ("newgame", "dice 3 1")


@dataclass(frozen=True)
class LoadReport:
    """What a load came to.

    Attributes:
        clients: Clients at once.
        requests: Requests sent in all.
        answered: Requests that got their final line.
        errors: Final lines among them that were errors.
        seconds: From the first connection to the last answer.
        p50_ms: Median of the time from a line to its final line.
        p99_ms: 99th percentile of it.
    """

    clients: int
    requests: int
    answered: int
    errors: int
    seconds: float
    p50_ms: float
    p99_ms: float


def is_final_line(line: str) -> bool:
    """Whether a line from a server ends an answer."""
    text = line.partition(" ")[2] if line.startswith("@") else line
    if text.startswith("{"):
        document = msgspec.json.decode(text)
        return isinstance(document, dict) and document.get("final") is not False
    return text.partition(" ")[0] not in DATA_LINE_KEYWORDS


def is_error_line(line: str) -> bool:
    """Whether a final line says that the request failed."""
    text = line.partition(" ")[2] if line.startswith("@") else line
    return text.startswith("error ") or (text.startswith("{") and '"error":' in text)


def run_load(host: str, port: int, *, clients: int = 200, lines: int = 100, seed: int = 1) -> LoadReport:
    """Send lines from many clients at once, each waiting for a final line before it sends the next.

    Args:
        host: Where the server listens.
        port: Its port.
        clients: Clients at once.
        lines: Lines of each; about one in three is bad.
        seed: Chooses the lines.

    Returns:
        The report; `answered` is less than `requests` when a connection ended early.
    """
    return asyncio.run(measure_load(host, port, clients=clients, lines=lines, seed=seed))


async def measure_load(host: str, port: int, *, clients: int, lines: int, seed: int) -> LoadReport:
    """Do what `run_load` does inside an event loop."""
    began = time.perf_counter()
    talks = [
        _run_client(host, port, random.Random(seed * 1_000_003 + number), lines) for number in range(clients)
    ]
    results = await asyncio.gather(*talks)
    latencies = sorted(seconds for times, _ in results for seconds in times)
    return LoadReport(
        clients,
        clients * lines,
        len(latencies),
        sum(errors for _, errors in results),
        time.perf_counter() - began,
        1000 * _compute_percentile(latencies, 50),
        1000 * _compute_percentile(latencies, 99),
    )


async def _run_client(host: str, port: int, rng: random.Random, count: int) -> tuple[list[float], int]:
    reader, writer = await asyncio.open_connection(host, port, limit=1 << 20)
    times: list[float] = []
    errors = 0
    for number in range(count):
        if number < len(_OPENING):
            line = _OPENING[number]
        else:
            line = rng.choice(BAD_LINES if rng.random() < 1 / 3 else GOOD_LINES)
        sent = time.perf_counter()
        writer.write(f"{line}\n".encode())
        answer = await _read_final_line(reader)
        if answer is None:
            break
        times.append(time.perf_counter() - sent)
        errors += is_error_line(answer)
    writer.close()
    return times, errors


async def _read_final_line(reader: asyncio.StreamReader) -> str | None:
    while data := await reader.readline():
        line = data.decode().rstrip("\n")
        if is_final_line(line):
            return line
    return None


def _compute_percentile(ordered: list[float], percent: int) -> float:
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] if ordered else 0.0
