from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from protocol.transports.stdio import EXIT_BROKEN_PIPE, serve_stdio
from tests.boards import RacingEvaluator
from tests.protocol.talking import make_service

SERVER = """
import sys
from protocol.transports import rounds
from protocol.transports.stdio import serve_stdio
from tests.boards import RacingEvaluator
from tests.protocol.talking import make_service
class Slow(RacingEvaluator):
    def evaluate(self, boards):
        import time
        time.sleep({delay})
        return super().evaluate(boards)
rounds.ROUND_S = 60.0  # all lines at once, however slow the machine
sys.exit(serve_stdio(make_service(Slow()), seed=1, threads=2, grace_s={grace}))
"""


def start(delay=0.0, grace=5.0):
    return subprocess.Popen(
        [sys.executable, "-c", SERVER.format(delay=delay, grace=grace)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.fixture
def pipes():
    ends = [*os.pipe(), *os.pipe()]
    yield ends
    for end in ends:
        with contextlib.suppress(OSError):
            os.close(end)


def test_end_of_input_drains_the_queue_and_exits_0():
    server = start(delay=0.2)
    out, err = server.communicate(b"newgame\neval\neval\neval", timeout=30)
    assert [line.split()[0] for line in out.decode().splitlines()] == ["ok", "eval", "eval", "eval"]
    assert (server.returncode, err) == (0, b"")


def test_input_is_read_while_work_runs():
    server = start(delay=0.5)
    server.stdin.write(b"newgame\n@slow eval\n@quick get engine.ply\n")
    server.stdin.flush()
    lines = [server.stdout.readline() for _ in range(3)]
    assert lines[1] == b"@quick value engine.ply 1\n"
    assert lines[2].startswith(b"@slow eval ")
    server.communicate(timeout=30)


@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_lets_work_finish_within_its_deadline(kind):
    server = start(delay=0.5)
    server.stdin.write(b"newgame\neval\n")
    server.stdin.flush()
    assert server.stdout.readline().startswith(b"ok newgame")
    server.send_signal(kind)
    out, _ = server.communicate(timeout=30)
    assert out.startswith(b"eval ")
    assert server.returncode == 0


def test_sigterm_answers_what_does_not_finish():
    server = start(delay=30.0, grace=0.2)
    server.stdin.write(b"newgame\neval\n@t eval\n")
    server.stdin.flush()
    assert server.stdout.readline().startswith(b"ok newgame")
    began = time.monotonic()
    server.send_signal(signal.SIGTERM)
    out, _ = server.communicate(timeout=30)
    assert sorted(line.split()[0] for line in out.decode().splitlines()) == ["@t", "error"]
    assert b"error stopped server" in out
    assert server.returncode == 0
    assert time.monotonic() - began < 10


def test_a_reader_that_goes_away_ends_the_server_quietly():
    server = start()
    server.stdout.close()
    server.stdin.write(b"help\n" * 100)
    server.stdin.flush()
    assert server.wait(timeout=30) == EXIT_BROKEN_PIPE
    assert server.stderr.read() == b""
    server.stdin.close()
    server.stderr.close()


def test_work_ends_when_nobody_is_left_who_could_read_its_answer():
    server = start(delay=60)
    server.stdin.write(b"newgame\neval\n")
    server.stdin.flush()
    assert server.stdout.readline().startswith(b"ok newgame")
    server.stdin.close()
    server.stdout.close()
    assert server.wait(30) == EXIT_BROKEN_PIPE
    server.stderr.close()


def test_a_long_pipe_gets_all_its_answers_though_it_is_read_late(pipes):
    read_in, write_in, read_out, write_out = pipes
    service = make_service(RacingEvaluator())
    result = []

    def serve():
        result.append(serve_stdio(service, input_fd=read_in, output_fd=write_out, seed=1, threads=1))
        os.close(write_out)

    def send():
        os.write(write_in, b"newgame\n")
        for _ in range(30):  # more than the queue and the pipes hold
            os.write(write_in, b"eval\nhelp\n" * 50)
        os.close(write_in)

    threads = [threading.Thread(target=target) for target in (serve, send)]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    with os.fdopen(read_out, "rb", closefd=False) as out:
        lines = out.read().decode().splitlines()
    for thread in threads:
        thread.join(timeout=30)
    assert result == [0]
    assert sum(line.startswith("eval ") for line in lines) == 1500
    assert sum(line == "helpok" for line in lines) == 1500
