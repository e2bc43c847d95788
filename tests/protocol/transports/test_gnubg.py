"""The server for gnubg's external player, over real sockets on loopback.

Its caps and its end are those of `test_tcp`, which serves clients by the same `make_listener`.
"""

import asyncio
import socket
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.play.decider import Decider
from gammond.protocol.transports.gnubg import gnubg_server, serve_gnubg
from gammond.protocol.transports.listening import ServerOptions
from gammond.protocol.transports.tcp_limits import TcpLimits
from tests.protocol.transports.tcp_serving import break_off
from tests.support.evaluators import HeldEvaluator, RacingEvaluator, SlowEvaluator

OPENING_31 = (
    b"board:EXT:HUM:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
    b":-1:3:1:3:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1\n\0"
)


def decider_of(evaluator, depth=None) -> Decider:
    return Decider(Engine(evaluator), depth)


def client(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=60)


def asked(connection: socket.socket, data: bytes) -> bytes:
    connection.sendall(data)
    return connection.recv(4096)


@contextmanager
def served(decider, threads=None, **limits):
    """A server with some of the limits given; yields its port."""
    started, ending, loading = Future(), asyncio.Event(), Future()
    loading.set_result(decider)

    async def serve():
        loop = asyncio.get_running_loop()
        options = ServerOptions(
            "127.0.0.1",
            0,
            TcpLimits(**limits),
            threads,
            on_listening=lambda _, port: started.set_result((port, loop)),
            stop_event=ending,
        )
        await serve_gnubg(loading, options)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    port, loop = started.result(60)
    yield port
    loop.call_soon_threadsafe(ending.set)
    thread.join(60)
    assert not thread.is_alive()


def test_many_boards_are_served_at_a_time_each_in_its_own_order():
    def play(number):
        with client(port) as connection:
            return [asked(connection, OPENING_31) for _ in range(5)]

    with gnubg_server(decider_of(RacingEvaluator())) as port, ThreadPoolExecutor(20) as pool:
        answers = [answer for some in pool.map(play, range(20)) for answer in some]
    assert len(answers) == 100
    assert len(set(answers)) == 1
    assert answers[0].count(b"/") == 2


def test_a_long_search_does_not_keep_the_server_from_ending():
    evaluator = SlowEvaluator(0.02)
    with served(decider_of(evaluator, EvalSettings(4)), grace_s=0.2) as port:
        connection = client(port)
        connection.sendall(OPENING_31)
        assert evaluator.was_asked.wait(60)
        asked_before = evaluator.asked
    assert evaluator.asked - asked_before < 5 / 0.02  # some seconds of work; the search has days of it
    assert connection.recv(4096).count(b"/") == 2
    connection.close()


def test_a_client_whose_connection_breaks_has_its_search_stopped():
    evaluator = SlowEvaluator(0.02)
    with served(decider_of(evaluator, EvalSettings(4)), threads=1) as port, client(port) as other:
        leaving = client(port)
        leaving.sendall(OPENING_31 * 3)
        assert evaluator.was_asked.wait(60)
        break_off(leaving)
        assert asked(other, b"version\n").startswith(b"Interface")
        assert stays_the_same(lambda: evaluator.asked)


def stays_the_same(read):
    """Whether a number soon no longer changes."""
    for _ in range(30):
        before = read()
        time.sleep(0.3)
        if read() == before:
            return True
    return False


def test_clients_that_leave_while_they_wait_hold_up_nobody_else():
    evaluator = HeldEvaluator()
    with served(decider_of(evaluator), threads=1) as port, client(port) as other:
        for _ in range(3):
            with client(port) as leaving:
                leaving.sendall(OPENING_31)
                assert evaluator.was_asked.wait(60)
        assert asked(other, b"version\n").startswith(b"Interface")
        evaluator.may_answer.set()
        assert asked(other, OPENING_31).count(b"/") == 2


def test_a_script_that_ends_its_input_at_once_gets_all_its_answers_in_full():
    evaluator = SlowEvaluator(0.02)
    question = b"evaluation fibsboard " + OPENING_31.strip(b"\n\0") + b" plies 1\n"
    with served(decider_of(evaluator), threads=1) as port, client(port) as script:
        script.sendall(question * 3 + OPENING_31.rstrip(b"\n\0"))
        script.shutdown(socket.SHUT_WR)
        with script.makefile("rb") as answers:
            lines = answers.readlines()
    assert len(set(lines[:3])) == 1
    assert len(lines[0].split()) == 6
    assert [line.count(b"/") for line in lines] == [0, 0, 0, 2]


def test_a_full_house_turns_clients_away_with_an_error_and_exit_makes_room():
    with served(decider_of(RacingEvaluator()), clients=1) as port, client(port) as first:
        assert asked(first, b"version\n")
        with client(port) as second:
            assert second.recv(4096).startswith(b"Error: the server has 1 clients")
            assert second.recv(4096) == b""
        assert asked(first, b"exit\n") == b""
        with client(port) as third:
            assert asked(third, b"version\n")
