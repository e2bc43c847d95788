from __future__ import annotations

import concurrent.futures
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from gammond.protocol.transports import rounds, stdio
from gammond.protocol.transports.stdio import EXIT_BROKEN_PIPE, serve_stdio
from tests.protocol.talking import make_service
from tests.support.evaluators import HeldEvaluator, RacingEvaluator

SERVER = """
import sys
from gammond.protocol.transports import rounds, stdio
from tests.support.evaluators import HeldEvaluator
from tests.protocol.talking import make_service
rounds.ROUND_S = 60.0  # all lines at once, however slow the machine
stdio._LAST_GRACE_S = stdio.LAST_WORK_S = 0.2
sys.exit(stdio.serve_stdio(make_service(HeldEvaluator()), seed=1, threads=2, grace_s=0.2))
"""


@pytest.fixture
def pipes():
    ends = [*os.pipe(), *os.pipe()]
    yield ends
    for end in ends:
        with contextlib.suppress(OSError):
            os.close(end)


@pytest.fixture
def serve(pipes, monkeypatch):
    """Serve in this thread, the main one, which alone gets signals, while another one is the client.

    Given what the client does with what it writes to and reads from, and an evaluator, return the status.
    """
    monkeypatch.setattr(rounds, "ROUND_S", 60.0)  # all lines at once, however slow the machine

    def give_up(*_):
        raise AssertionError("the server does not end")

    before = signal.signal(signal.SIGALRM, give_up)

    def run(act, evaluator):
        read_in, write_in, read_out, write_out = pipes
        to_server = os.fdopen(write_in, "wb", buffering=0, closefd=False)
        from_server = os.fdopen(read_out, "rb", closefd=False)

        def talk():
            try:
                act(to_server, from_server)
            finally:
                with contextlib.suppress(OSError):
                    os.close(write_in)  # ends a server that was told nothing else

        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            talking = pool.submit(talk)
            signal.setitimer(signal.ITIMER_REAL, 60)
            try:
                status = serve_stdio(
                    make_service(evaluator), input_fd=read_in, output_fd=write_out, seed=1, threads=2
                )
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
                os.close(write_out)
                evaluator.may_answer.set()
            talking.result(60)
        return status

    yield run
    signal.signal(signal.SIGALRM, before)


def read_words(lines):
    return [line.split()[0].decode() for line in lines]


def test_input_is_read_while_work_runs(serve):
    evaluator, lines = HeldEvaluator(), []

    def act(to_server, from_server):
        to_server.write(b"newgame\n@slow eval\n")
        assert evaluator.was_asked.wait(60)
        to_server.write(b"@quick get engine.ply\n")
        lines.extend(from_server.readline() for _ in range(2))
        evaluator.may_answer.set()
        lines.append(from_server.readline())

    assert serve(act, evaluator) == 0
    assert lines[1] == b"@quick value engine.ply 1\n"
    assert lines[2].startswith(b"@slow eval ")


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_lets_work_finish_within_its_deadline(serve, kind):
    evaluator, lines = HeldEvaluator(), []

    def act(to_server, from_server):
        to_server.write(b"newgame\neval\n")
        lines.append(from_server.readline())
        assert evaluator.was_asked.wait(60)
        os.kill(os.getpid(), kind)
        time.sleep(0.1)
        evaluator.may_answer.set()
        lines.extend(from_server)

    assert serve(act, evaluator) == 0
    assert read_words(lines) == ["ok", "eval"]


def test_sigterm_answers_what_does_not_finish():
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    server.stdin.write(b"newgame\neval\n@t eval\n")
    server.stdin.flush()
    assert server.stdout.readline().startswith(b"ok newgame")
    server.send_signal(signal.SIGTERM)
    out, err = server.communicate(timeout=60)  # before the evaluations end
    assert sorted(line.split()[0] for line in out.decode().splitlines()) == ["@t", "error"]
    assert b"error stopped server" in out
    assert (server.returncode, err) == (0, b"")


def test_a_reader_that_goes_away_ends_the_server_quietly(serve, pipes, capfd):
    evaluator = HeldEvaluator()

    def act(to_server, from_server):
        os.close(pipes[2])
        to_server.write(b"help\n" * 100)
        assert evaluator.may_answer.wait(60)  # the end of the server: the end of its input comes later

    assert serve(act, evaluator) == EXIT_BROKEN_PIPE
    assert capfd.readouterr().err == ""


def test_work_ends_when_nobody_is_left_who_could_read_its_answer(serve, pipes, monkeypatch):
    monkeypatch.setattr(stdio, "READER_CHECK_S", 0.05)
    monkeypatch.setattr(stdio, "LAST_WORK_S", 0.1)
    evaluator = HeldEvaluator()

    def act(to_server, from_server):
        to_server.write(b"newgame\neval\n")
        assert from_server.readline().startswith(b"ok newgame")
        assert evaluator.was_asked.wait(60)
        os.close(pipes[1])
        os.close(pipes[2])

    assert serve(act, evaluator) == EXIT_BROKEN_PIPE


def test_a_long_pipe_gets_all_its_answers_though_it_is_read_late(pipes):
    read_in, write_in, read_out, write_out = pipes
    service = make_service(RacingEvaluator())
    result = []

    def serve():
        result.append(serve_stdio(service, input_fd=read_in, output_fd=write_out, seed=1, threads=1))
        os.close(write_out)

    def send():
        os.write(write_in, b"newgame\n")
        for _ in range(16):  # more than the queue and the pipe behind it hold
            os.write(write_in, b"eval\nhelp\n" * 50)
        os.close(write_in)

    threads = [threading.Thread(target=target) for target in (serve, send)]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    with os.fdopen(read_out, "rb", closefd=False) as out:
        lines = out.read().decode().splitlines()
    for thread in threads:
        thread.join(timeout=60)
    assert result == [0]
    assert sum(line.startswith("eval ") for line in lines) == 800
    assert sum(line == "helpok" for line in lines) == 800
