"""Benchmarks that start gammond itself: cold and warm starts, and its server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from protocol.transports.load_client import LoadReport, run_load
from tools.bench.measure import BenchmarkSubject, Measurement, WrongAnswerError, check_answer

CHECKOUT = Path(__file__).resolve().parents[2]

_GAMMOND = (sys.executable, "-m", "gammond")
_OPENING = "4HPwATDgc/ABMA"
_FIRST_REQUEST = f"position gnubgid {_OPENING}\neval\nquit\n"
_WARM_STARTS = 3
_TIMEOUT_S = 120.0
_LOOPBACK = "127.0.0.1"
_LOAD_RUNS = ((1, 1000), (200, 100))
_LISTENING_PATTERN = re.compile(r"listens on \S+ port (\d+)")


def bench_startup(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure from the start of the process to its first answer, with less and less left to prepare."""
    with tempfile.TemporaryDirectory(prefix="gammond-bench-") as folder:
        data = Path(folder, "data")
        first_s, first_answer = _time_first_answer(Path(folder, "first"), data)
        starts = [_time_first_answer(Path(folder, "second"), data) for _ in range(1 + _WARM_STARTS)]
    check_answer(
        all(answer == first_answer for _, answer in starts), "a later start answers otherwise than the first"
    )
    cold_s, *warm_s = (seconds for seconds, _ in starts)
    yield Measurement("startup", "first ever: kernels and databases built", first_s, "s")
    yield Measurement("startup", "cold: kernels compiled", cold_s, "s")
    yield Measurement("startup", "warm", min(warm_s), "s", f"best of {_WARM_STARTS}")


def _time_first_answer(cache: Path, data: Path) -> tuple[float, str]:
    """Start `gammond` on a pipe, request one evaluation, and return the time and the reply."""
    started_s = time.perf_counter()
    with subprocess.Popen(
        _GAMMOND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=CHECKOUT,
        env={**os.environ, "GAMMOND_CACHE": str(cache), "GAMMOND_DATA": str(data)},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(_FIRST_REQUEST)
        process.stdin.close()
        answer = next((line for line in process.stdout if "equity=" in line), "")
        elapsed_s = time.perf_counter() - started_s
        process.stdout.read()
        status = process.wait(_TIMEOUT_S)
    check_answer(bool(answer) and status == 0, f"a first eval answered {answer!r}, exit status {status}")
    return elapsed_s, answer


def bench_server(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure from a line to its final reply over TCP, good and bad lines mixed: one client, then many."""
    with subprocess.Popen(
        [*_GAMMOND, "serve", "--tcp", f"{_LOOPBACK}:0"], stderr=subprocess.PIPE, text=True, cwd=CHECKOUT
    ) as server:
        try:
            port = _read_listening_port(server)
            run_load(_LOOPBACK, port, clients=1, lines=50)  # the first evaluation loads the nets
            for clients, lines in _LOAD_RUNS:
                yield from _report_latencies(run_load(_LOOPBACK, port, clients=clients, lines=lines))
        finally:
            server.terminate()
        check_answer(server.wait(_TIMEOUT_S) == 0, f"the server ended with exit status {server.returncode}")


def _read_listening_port(server: subprocess.Popen[str]) -> int:
    assert server.stderr is not None
    said = []
    for line in server.stderr:
        said.append(line.strip())
        if found := _LISTENING_PATTERN.search(line):
            return int(found[1])
    raise WrongAnswerError(f"the server did not start: {'; '.join(said)}", field="bench")


def _report_latencies(report: LoadReport) -> Iterator[Measurement]:
    check_answer(
        report.answered == report.requests,
        f"{report.requests - report.answered} of {report.requests} lines got no final line",
    )
    check_answer(
        0 < report.errors < report.requests, f"{report.errors} of {report.requests} mixed lines got errors"
    )
    who = "1 client" if report.clients == 1 else f"{report.clients} clients at once"
    yield Measurement("server", f"{who}, p50", report.p50_ms, "ms")
    rate = f"{report.requests / report.seconds:,.0f} lines/s in all"
    yield Measurement("server", f"{who}, p99", report.p99_ms, "ms", rate)
