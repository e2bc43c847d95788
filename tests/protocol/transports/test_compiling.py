"""A server with an empty cache of kernels: while one client's kernel is compiled, the others are served."""

from __future__ import annotations

import queue
import select
import signal
import socket
import subprocess
import time

import pytest

from gammond.engine.runtime.compilation import check_may_wait
from gammond.protocol.transports.rounds import RoundClient, Rounds
from gammond.protocol.transports.workers import WorkerPool
from tests.attacks.server import ROOT, Home, gammond_command, serve
from tests.protocol.talking import make_connection
from tests.support.evaluators import RacingEvaluator
from tests.support.machine_speed import measure_stretch

PROMPT_S = 1.0
"""More than any line takes that needs no kernel, on a busy machine; less than a kernel takes to compile."""

NEEDS_KERNEL = b"position gnubgid 4HPwATDgc/ABMA\ndice 3 1\nplay 8/5 6/5\n"
"""Some seconds of compiling."""

NOTICE = "compiling kernels"
"""What a process says that has compiled for a second."""

END_S = 12.0
"""How long a server may take to end, with work under way."""


@pytest.fixture
def cold_home(tmp_path):
    """Folders without kernels."""
    return Home(tmp_path, tmp_path / "cache", tmp_path / "data")


class Client:
    """A client that sends lines and reads answers."""

    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._stream = self._socket.makefile("rwb", buffering=0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stream.close()
        self._socket.close()

    def send(self, data):
        self._stream.write(data)

    def read_line(self):
        return self._stream.readline().decode().rstrip()

    def has_answer(self):
        return bool(select.select([self._socket], [], [], 0)[0])


def wait_for_log(server, text, seconds):
    end_s = time.monotonic() + seconds
    while text not in server.read_log():
        assert time.monotonic() < end_s
        time.sleep(0.01)


@pytest.mark.slow
def test_while_a_kernel_is_compiled_for_one_client_another_is_answered(cold_home):
    with serve(cold_home) as server, Client(server.port) as first, Client(server.port) as second:
        first.send(NEEDS_KERNEL)
        answers, answered_meanwhile = [], 0
        while len(answers) < 3:
            if first.has_answer():
                answers.append(first.read_line().split()[1])
            second.send(b"newgame\nget engine.ply\n")
            assert second.read_line().startswith("ok newgame ")
            assert second.read_line() == "value engine.ply 1"
            answered_meanwhile += 1
            time.sleep(0.02)
        assert answers == ["position", "dice", "play"]
        assert NOTICE in server.read_log()
        assert answered_meanwhile > 10  # one for each answer of the first, if it were to wait


@pytest.mark.slow
def test_sigterm_is_heard_while_a_kernel_is_compiled_and_the_line_still_answered_or_refused(cold_home):
    with serve(cold_home) as server, Client(server.port) as client:
        client.send(NEEDS_KERNEL)
        wait_for_log(server, NOTICE, 60.0)
        server.process.send_signal(signal.SIGTERM)
        wait_for_log(server, "ending, waiting for 1 client", PROMPT_S * measure_stretch())
        assert client.read_line().startswith(("ok position ", "error stopped "))
        assert server.process.wait(END_S * measure_stretch()) == 0


@pytest.mark.slow
def test_sigterm_ends_a_server_on_stdin_while_a_kernel_is_compiled(cold_home):
    process = subprocess.Popen(
        gammond_command(),
        cwd=ROOT,
        env=cold_home.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdin.write(NEEDS_KERNEL)
    process.stdin.flush()
    assert any(NOTICE.encode() in line for line in process.stderr)
    process.terminate()
    try:
        out, _ = process.communicate(timeout=END_S * measure_stretch())
    finally:
        process.kill()
    assert process.returncode == 0
    assert out.startswith((b"ok position ", b"error stopped "))


class CompilingEvaluator(RacingEvaluator):
    """Needs a kernel once that is not compiled when the test begins."""

    is_compiled = False

    def evaluate(self, boards):
        if not self.is_compiled:
            check_may_wait()
            self.is_compiled = True
        return super().evaluate(boards)


def test_quick_work_that_needs_a_kernel_goes_to_the_workers(monkeypatch):
    monkeypatch.setattr("gammond.protocol.state.readiness.QUICK_S", 60.0)
    evaluator, taken, calls = CompilingEvaluator(), queue.Queue(), []
    connection = make_connection(evaluator)
    pool = WorkerPool(1, long_threads=1)
    rounds = Rounds(calls.append, time.monotonic)
    client = RoundClient(connection, pool, lambda act, *values: taken.put((act, values)), lambda: None)

    def run_round():
        rounds.add(client, at_once=True)

    def wait_for_workers(count):
        for _ in range(count):
            act, values = taken.get(timeout=60)
            act(*values)
            client.report_to_pool()

    evaluator.is_compiled = True
    connection.receive_data(b"newgame\neval\n")
    run_round()
    wait_for_workers(1)
    connection.data_to_send()
    connection.receive_data(b"eval\n")
    run_round()
    assert connection.data_to_send().startswith(b"eval ")  # quick by now
    evaluator.is_compiled = False
    connection.receive_data(b'@a eval\neval\n{"id":7,"position":"4HPwATDgc/ABMA"}\n')
    run_round()
    assert connection.data_to_send() == b""
    wait_for_workers(3)
    lines = connection.data_to_send().decode().splitlines()
    assert {line[:7] for line in lines} == {"@a eval", "eval wi", '{"id":7'}
    pool.close()
