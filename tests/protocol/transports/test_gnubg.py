"""The server for gnubg's external player, over real sockets on loopback."""

import asyncio
import socket
import struct
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from unittest.mock import patch

import numpy as np
import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.play.decider import Decider
from gammond.protocol.dialects.gnubg_external import GnubgService
from gammond.protocol.state.readiness import QuickWork
from gammond.protocol.transports import tcp
from gammond.protocol.transports.gnubg import gnubg_server, serve_gnubg
from gammond.protocol.transports.listening import ServerOptions
from gammond.protocol.transports.tcp_limits import TcpLimits
from tests.support.evaluators import RacingEvaluator

OPENING_31 = (
    b"board:EXT:HUM:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
    b":-1:3:1:3:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1\n\0"
)


class SlowEvaluator(RacingEvaluator):
    """An evaluator that blocks until it is released."""

    def __init__(self):
        self.asked = threading.Event()
        self.may_answer = threading.Event()

    def evaluate(self, boards):
        self.asked.set()
        assert self.may_answer.wait(20)
        return super().evaluate(boards)


class ToilingEvaluator(RacingEvaluator):
    """An evaluator that takes its time for each batch, and counts them."""

    def __init__(self):
        self.asked = threading.Event()
        self.batches = 0

    def evaluate(self, boards):
        self.asked.set()
        self.batches += 1
        time.sleep(0.02)
        return super().evaluate(boards)


class FaultyEvaluator:
    """An evaluator that fails on the starting position only."""

    name = "faulty"
    plies = 0

    def evaluate(self, boards):
        if len(boards) == 1:
            raise RuntimeError("no idea")
        return np.zeros((len(boards), 5), np.float32)


def decider_of(evaluator, depth=None) -> Decider:
    return Decider(Engine(evaluator), depth)


RACER = decider_of(RacingEvaluator())


def loaded(decider: Decider) -> Future[Decider]:
    loading = Future()
    loading.set_result(decider)
    return loading


def client(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def asked(connection: socket.socket, data: bytes) -> bytes:
    connection.sendall(data)
    return connection.recv(4096)


@contextmanager
def served(decider=RACER, threads=None, **limits):
    """A server with some of the limits given; yields its port."""
    started, ending, ready = [], asyncio.Event(), threading.Event()

    async def serve():
        started.append(asyncio.get_running_loop())

        def write_line(_, port):
            started.append(port)
            ready.set()

        options = ServerOptions(
            "127.0.0.1", 0, TcpLimits(**limits), threads, on_listening=write_line, stop_event=ending
        )
        await serve_gnubg(loaded(decider), options)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert ready.wait(10)
    yield started[1]
    started[0].call_soon_threadsafe(ending.set)
    thread.join(10)
    assert not thread.is_alive()


@pytest.fixture
def limited_server(request):
    """A server with the limits that the test names; yields its port."""
    with served(**request.param) as port:
        yield port


def test_many_boards_are_served_at_a_time_each_in_its_own_order():
    def play(number):
        with client(port) as connection:
            return [asked(connection, OPENING_31) for _ in range(5)]

    with gnubg_server(RACER) as port, ThreadPoolExecutor(20) as pool:
        answers = [answer for some in pool.map(play, range(20)) for answer in some]
    assert len(answers) == 100
    assert len(set(answers)) == 1
    assert answers[0].count(b"/") == 2


def test_a_thinking_client_holds_up_nobody_else():
    evaluator = SlowEvaluator()
    with gnubg_server(decider_of(evaluator)) as port, client(port) as thinking, client(port) as other:
        thinking.sendall(OPENING_31)
        assert evaluator.asked.wait(10)
        assert asked(other, b"version\n").startswith(b"Interface")
        evaluator.may_answer.set()
        assert thinking.recv(4096).count(b"/") == 2


def test_the_server_ends_after_the_answer_that_is_under_way(monkeypatch):
    monkeypatch.setattr(tcp, "_LINGER_S", 0.2)
    evaluator = SlowEvaluator()
    answers = []
    with gnubg_server(decider_of(evaluator)) as port:
        connection = client(port)
        idle = client(port)
        connection.sendall(OPENING_31)
        assert evaluator.asked.wait(10)
        threading.Timer(0.2, evaluator.may_answer.set).start()
    answers = [connection.recv(4096), connection.recv(4096)]
    assert answers[0].count(b"/") == 2
    assert answers[1] == b""
    assert idle.recv(4096) == b""
    connection.close()
    idle.close()


def test_a_long_search_does_not_keep_the_server_from_ending():
    evaluator = ToilingEvaluator()
    with served(decider_of(evaluator, EvalSettings(4)), grace_s=0.2) as port:
        connection = client(port)
        connection.sendall(OPENING_31)
        assert evaluator.asked.wait(10)
        batches = evaluator.batches
    assert evaluator.batches - batches < 5 / 0.02  # some seconds of work; the search has days of it
    assert connection.recv(4096).count(b"/") == 2
    connection.close()


def test_a_fault_of_the_evaluator_is_answered_and_the_server_goes_on():
    rolling = OPENING_31.replace(b":-1:3:1:3:1:", b":-1:0:0:0:0:")
    with gnubg_server(decider_of(FaultyEvaluator())) as port, client(port) as connection:
        assert asked(connection, rolling) == b"Error: internal fault (RuntimeError)\n"
        assert asked(connection, OPENING_31).count(b"/") == 2


def test_garbage_and_bytes_without_end_are_answered_with_errors():
    with gnubg_server(RACER) as port, client(port) as connection:
        assert asked(connection, b"\xff\xfe rubbish\n").startswith(b"Error: ")
        assert asked(connection, b"x" * 10_000).startswith(b"Error: expected a line of at most")
        assert asked(connection, b"\nversion\n").startswith(b"Interface")


def test_exit_closes_the_connection():
    with gnubg_server(RACER) as port, client(port) as connection:
        assert asked(connection, b"exit\n") == b""


def test_a_client_that_closes_its_half_still_gets_its_answer():
    with gnubg_server(RACER) as port, client(port) as connection:
        connection.sendall(OPENING_31)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(4096).count(b"/") == 2
        assert connection.recv(4096) == b""


def broken_off(connection: socket.socket) -> None:
    """Close as a machine does that has crashed: the connection is reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def stays_the_same(read):
    """Whether a number soon no longer changes."""
    for _ in range(30):
        before = read()
        time.sleep(0.3)
        if read() == before:
            return True
    return False


def test_a_client_whose_connection_breaks_has_its_search_stopped():
    evaluator = ToilingEvaluator()
    with served(decider_of(evaluator, EvalSettings(4)), threads=1) as port, client(port) as other:
        leaving = client(port)
        leaving.sendall(OPENING_31 * 3)
        assert evaluator.asked.wait(10)
        broken_off(leaving)
        assert asked(other, b"version\n").startswith(b"Interface")
        assert stays_the_same(lambda: evaluator.batches)


def test_clients_that_leave_while_they_wait_hold_up_nobody_else():
    evaluator = SlowEvaluator()
    with served(decider_of(evaluator), threads=1) as port, client(port) as other:
        for _ in range(3):
            with client(port) as leaving:
                leaving.sendall(OPENING_31)
                assert evaluator.asked.wait(10)
        assert asked(other, b"version\n").startswith(b"Interface")
        evaluator.may_answer.set()
        assert asked(other, OPENING_31).count(b"/") == 2


def test_a_script_that_ends_its_input_at_once_gets_all_its_answers_in_full():
    evaluator = ToilingEvaluator()
    question = b"evaluation fibsboard " + OPENING_31.strip(b"\n\0") + b" plies 1\n"
    with served(decider_of(evaluator), threads=1) as port, client(port) as script:
        script.sendall(question * 3 + OPENING_31.rstrip(b"\n\0"))
        script.shutdown(socket.SHUT_WR)
        with script.makefile("rb") as answers:
            lines = answers.readlines()
    assert len(set(lines[:3])) == 1
    assert len(lines[0].split()) == 6
    assert [line.count(b"/") for line in lines] == [0, 0, 0, 2]


def test_what_comes_while_an_answer_is_worked_out_is_answered_after_it():
    evaluator = SlowEvaluator()
    with served(decider_of(evaluator), threads=1) as port, client(port) as connection:
        connection.sendall(OPENING_31)
        assert evaluator.asked.wait(10)
        for _ in range(20):
            connection.sendall(b"set debug off\nrubbish")
            time.sleep(0.005)
            connection.sendall(b"\n")
        connection.sendall(b"exit\n")
        evaluator.may_answer.set()
        with connection.makefile("rb") as answers:
            lines = answers.readlines()
    assert lines[0].count(b"/") == 2
    assert [line[:5] for line in lines[1:]] == [b"Debug", b"Error"] * 20


def test_a_client_that_sends_more_than_is_read_ahead_loses_nothing():
    evaluator = SlowEvaluator()
    sent, answered = b"x" * 2000 + b"\n", b"Error: expected a board: line"
    with served(decider_of(evaluator), threads=1) as port, client(port) as connection:
        connection.sendall(OPENING_31)
        assert evaluator.asked.wait(10)
        sending = threading.Thread(target=connection.sendall, args=(sent * 200 + b"exit\n",))
        sending.start()
        time.sleep(0.2)
        evaluator.may_answer.set()
        with connection.makefile("rb") as answers:
            lines = answers.readlines()
        sending.join(10)
    assert [line[: len(answered)] for line in lines[1:]] == [answered] * 200


@pytest.mark.parametrize("limited_server", [{"clients": 2}], indirect=True)
def test_a_full_house_turns_clients_away_with_an_error(limited_server):
    with client(limited_server) as first, client(limited_server) as second:
        assert asked(first, b"version\n")
        assert asked(second, b"version\n")
        with client(limited_server) as third:
            assert third.recv(4096).startswith(b"Error: the server has 2 clients")
            assert third.recv(4096) == b""


@pytest.mark.parametrize("limited_server", [{"half_line_s": 0.3}], indirect=True)
def test_a_line_that_does_not_end_is_refused(limited_server):
    with client(limited_server) as connection:
        connection.sendall(b"board:")
        assert connection.recv(4096) == b"Error: expected the end of the line within 0.3 s\n"
        assert connection.recv(4096) == b""


@pytest.mark.parametrize("limited_server", [{"idle_s": 0.3}], indirect=True)
def test_a_silent_client_is_let_go(limited_server):
    with client(limited_server) as connection:
        assert connection.recv(4096).startswith(b"Error: ")
        assert connection.recv(4096) == b""


@pytest.mark.parametrize("limited_server", [{"half_line_s": 0.5}], indirect=True)
def test_a_line_in_pieces_after_a_long_thought_is_answered(limited_server):
    with client(limited_server) as connection:
        assert asked(connection, b"version\n").startswith(b"Interface")
        time.sleep(0.6)
        connection.sendall(OPENING_31[:50])
        time.sleep(0.1)
        assert asked(connection, OPENING_31[50:]).count(b"/") == 2


@pytest.mark.parametrize("limited_server", [{"half_line_s": 1.0}], indirect=True)
def test_each_line_has_its_own_time_to_end(limited_server):
    with client(limited_server) as connection:
        connection.sendall(b"ver")
        for _ in range(4):
            time.sleep(0.3)
            assert asked(connection, b"sion\nver").startswith(b"Interface")
        assert connection.recv(4096) == b"Error: expected the end of the line within 1 s\n"


def test_pipelined_evaluations_are_answered_in_order_and_together():
    evaluator = ToilingEvaluator()
    board = OPENING_31.strip(b"\n\0")
    boards = [board.replace(b":-5:5:0:", f":-5:{5 - off}:0:".encode()) for off in range(5)] * 40
    lines = b"".join(b"evaluation fibsboard %b plies 0\n" % line for line in boards)
    with served(decider_of(RacingEvaluator())) as port, client(port) as connection:
        alone = [asked(connection, line + b"\n") for line in lines.split(b"\n")[:5]]
    quick = QuickWork()
    quick.add(("evaluation", False))
    known_quick = patch(
        "gammond.protocol.transports.gnubg.GnubgService", partial(GnubgService, quick_work=quick)
    )
    with known_quick, served(decider_of(evaluator)) as port, client(port) as connection:
        connection.sendall(lines + b"exit\n")
        with connection.makefile("rb") as answers:
            assert answers.readlines() == alone * 40
    assert evaluator.batches < 20


@pytest.mark.parametrize("limited_server", [{"stuck_writer_s": 0.3}], indirect=True)
def test_a_client_that_does_not_read_is_dropped(limited_server):
    with client(limited_server) as connection, pytest.raises(ConnectionError):
        connection.sendall(b"version\n" * 1_000_000)
