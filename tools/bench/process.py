"""gammond as a process of its own, on a pipe or a port, and the benchmark of its start."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gammond.engine.store.options import STORE_VARIABLE
from gammond.tools.bench.load_client import LineChannel
from gammond.tools.bench.measure import BenchmarkSubject, Measurement, WrongAnswerError, check_answer

LOOPBACK = "127.0.0.1"
CHECKOUT = Path(__file__).resolve().parents[2]

NO_STORE = "off"
"""What is measured is searched, in every run."""

_GAMMOND = (sys.executable, "-m", "gammond")
_OPENING = "4HPwATDgc/ABMA"
_FIRST_REQUEST = f"position gnubgid {_OPENING}\neval\nquit\n"
_WARM_STARTS = 3
_TIMEOUT_S = 120.0
_LISTENING_PATTERN = re.compile(r"listens on \S+ port (\d+)")


def bench_startup(subject: BenchmarkSubject) -> Iterator[Measurement]:
    """Measure from the start of the process to its first answer, with less and less left to prepare."""
    with tempfile.TemporaryDirectory(prefix="gammond-bench-") as folder:
        data = Path(folder, "data")
        first_s, first_answer = _time_first_answer(Path(folder, "first"), data)
        cold = _time_first_answer(Path(folder, "second"), data)
        prepare_s = _time_preparing(Path(folder, "second"), data)
        starts = [cold, *(_time_first_answer(Path(folder, "second"), data) for _ in range(_WARM_STARTS))]
    check_answer(
        all(answer == first_answer for _, answer in starts), "a later start answers otherwise than the first"
    )
    cold_s, *warm_s = (seconds for seconds, _ in starts)
    yield Measurement("first ever: kernels and databases built", first_s, "s")
    yield Measurement("cold: kernels compiled", cold_s, "s")
    yield Measurement("all other kernels, by gammond prepare", prepare_s, "s", "on all cores")
    yield Measurement("warm", min(warm_s), "s", f"best of {_WARM_STARTS}")


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
        env=_make_environment(cache, data),
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


def _time_preparing(cache: Path, data: Path) -> float:
    """Return the time in which `gammond prepare` compiles what a first answer has left."""
    started_s = time.perf_counter()
    ended = subprocess.run(
        [*_GAMMOND, "prepare"],
        capture_output=True,
        cwd=CHECKOUT,
        env=_make_environment(cache, data),
        check=False,
    )
    check_answer(ended.returncode == 0, f"gammond prepare ended with exit status {ended.returncode}")
    return time.perf_counter() - started_s


def _make_environment(cache: Path, data: Path) -> dict[str, str]:
    return {**os.environ, "GAMMOND_CACHE": str(cache), "GAMMOND_DATA": str(data)}


@contextmanager
def gammond_on_pipes(store: str = NO_STORE) -> Iterator[LineChannel]:
    """Run `gammond` on pipes as long as the context lasts.

    Args:
        store: The options of its store of analyses, as `StoreOptions.parse` takes them.

    Raises:
        WrongAnswerError: It failed at its end.
    """
    with subprocess.Popen(
        _GAMMOND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=CHECKOUT,
        env={**os.environ, STORE_VARIABLE: store},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield LineChannel(process.stdout, process.stdin)
            process.stdin.close()
            status = process.wait(_TIMEOUT_S)
        except BaseException:
            process.kill()
            raise
    check_answer(status == 0, f"gammond ended with exit status {status}")


@contextmanager
def gammond_server(*arguments: str, store: str = NO_STORE) -> Iterator[int]:
    """Run `gammond serve` as long as the context lasts.

    Args:
        arguments: Of the command; the port is 0.
        store: As for `gammond_on_pipes`.

    Yields:
        The port on which it listens.

    Raises:
        WrongAnswerError: It did not start, or failed at its end.
    """
    with _run_server(*_GAMMOND, "serve", *arguments, store=store) as server:
        yield read_listening_port(server)
    check_answer(server.returncode == 0, f"the server ended with exit status {server.returncode}")


@contextmanager
def echo_server() -> Iterator[int]:
    """Run `gammond.tools.bench.echo` as long as the context lasts.

    Yields:
        The port on which it listens.

    Raises:
        WrongAnswerError: It did not start.
    """
    with _run_server(sys.executable, "-m", "gammond.tools.bench.echo", LOOPBACK) as server:
        yield read_listening_port(server)


@contextmanager
def _run_server(*command: str, store: str = NO_STORE) -> Iterator[subprocess.Popen[str]]:
    """Run a server until the context ends; then it has ended too."""
    with subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        cwd=CHECKOUT,
        env={**os.environ, STORE_VARIABLE: store},
    ) as server:
        try:
            yield server
        finally:
            server.terminate()
            server.wait(_TIMEOUT_S)


def read_listening_port(server: subprocess.Popen[str]) -> int:
    """Return the port that a server reports on its standard error.

    Raises:
        WrongAnswerError: It did not start.
    """
    assert server.stderr is not None
    said = []
    for line in server.stderr:
        said.append(line.strip())
        if found := _LISTENING_PATTERN.search(line):
            return int(found[1])
    raise WrongAnswerError(f"the server did not start: {'; '.join(said)}", field="bench")
