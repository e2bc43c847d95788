from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import weakref

import pytest

from gammond.engine.errors import StateError, UnsupportedError
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.state.session import Session
from gammond.protocol.transports import tcp as tcp_transport
from gammond.protocol.transports.listening import ServerOptions, check_host
from gammond.protocol.transports.tcp import serve_tcp
from gammond.protocol.transports.tcp_limits import TcpLimits
from gammond.tools.bench.load_client import measure_load
from tests.protocol.mixed_lines import draw_scripts
from tests.protocol.talking import make_service
from tests.support.evaluators import RacingEvaluator


class Slow(RacingEvaluator):
    def evaluate(self, boards):
        time.sleep(0.5)
        return super().evaluate(boards)


class Held(RacingEvaluator):
    """Evaluates once it may, and counts how often it was asked."""

    def __init__(self):
        super().__init__()
        self.asked = 0
        self.may_answer = threading.Event()

    def evaluate(self, boards):
        self.asked += 1
        assert self.may_answer.wait(60)
        return super().evaluate(boards)


@contextlib.asynccontextmanager
async def running_count(evaluator=None, limits=None, **tcp):
    place = asyncio.get_running_loop().create_future()
    ending = asyncio.Event()
    service = make_service(evaluator, limits or ClientLimits(close_on_long_line=True))
    server = asyncio.create_task(
        serve_tcp(
            service,
            ServerOptions(
                "127.0.0.1",
                0,
                TcpLimits(**tcp),
                threads=2,
                on_listening=lambda host, port: place.set_result((host, port)),
                stop_event=ending,
            ),
        )
    )
    try:
        yield await place, ending, service
    finally:
        ending.set()
        await asyncio.wait_for(server, 20)


async def send_command(place, data, eof=True):
    reader, writer = await asyncio.open_connection(*place)
    writer.write(data)
    if eof:
        writer.write_eof()
    lines = (await asyncio.wait_for(reader.read(), 20)).decode().splitlines()
    writer.close()
    return lines


def run(scenario, most_s=50.0):
    return asyncio.run(asyncio.wait_for(scenario, most_s))


def test_clients_have_states_of_their_own():
    async def scenario():
        async with running_count() as (place, _, _):
            return await asyncio.gather(
                *(
                    send_command(place, b"set game.length %d\nnewgame\neval\nget game.length\n" % n)
                    for n in range(1, 9)
                )
            )

    for number, lines in enumerate(run(scenario()), 1):
        assert [line.split()[0] for line in lines] == ["ok", "ok", "eval", "value"]
        assert lines[-1] == f"value game.length {number}"


@pytest.mark.parametrize(
    "lines", [b"newgame\neval\n@a moves plies=1\n", b"newgame\n" + b"eval plies=4\n" * 30]
)
def test_of_a_client_that_is_gone_nothing_waits_for_the_garbage_collector(monkeypatch, lines):
    kept, connect = [], tcp_transport.connect

    def connect_weakly(session):
        connection = connect(session)
        kept.extend(map(weakref.ref, (session, connection)))
        return connection

    monkeypatch.setattr(tcp_transport, "connect", connect_weakly)

    async def scenario():
        async with running_count() as (place, _, _):
            gc.disable()
            _, writer = await asyncio.open_connection(*place)
            writer.write(lines)
            await asyncio.sleep(0.2)
            writer.transport.abort()
            await wait_until(lambda: not any(reference() for reference in kept))
            assert len(kept) == 2
            assert [reference() for reference in kept] == [None, None]

    try:
        run(scenario())
    finally:
        gc.enable()


def test_a_client_that_ends_sending_still_gets_its_answers():
    async def scenario():
        async with running_count(Slow()) as (place, _, _):
            return await send_command(place, b"newgame\neval\neval")

    assert [line.split()[0] for line in run(scenario())] == ["ok", "eval", "eval"]


def test_one_client_does_not_wait_for_the_work_of_another():
    async def scenario():
        evaluator = Held()
        async with running_count(evaluator) as (place, _, _):
            slow = asyncio.create_task(send_command(place, b"newgame\neval\n"))
            assert await wait_until(lambda: evaluator.asked == 1)
            quick = await send_command(place, b"newgame\nget engine.ply\n")
            was_first = not slow.done()
            evaluator.may_answer.set()
            await slow
            return was_first, quick[-1]

    assert run(scenario()) == (True, "value engine.ply 1")


@pytest.mark.skipif(sys.platform != "linux", reason="counts open files in /proc")
def test_clients_who_are_refused_by_the_hundred_are_gone_before_they_use_up_open_files():
    def connect(place):
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex(place)
        return client

    def count_files():
        return len(os.listdir("/proc/self/fd"))

    async def scenario():
        async with running_count(clients=150) as (place, _, service):
            clients = [connect(place) for _ in range(150)]
            while service.client_count < 150:
                await asyncio.sleep(0.01)
            clients += [connect(place) for _ in range(400)]
            before, most, end_s = count_files(), 0, time.monotonic() + 1.0
            while time.monotonic() < end_s:
                most = max(most, count_files() - before)
                await asyncio.sleep(0)
            for client in clients:
                client.close()
            return most

    assert 0 < run(scenario()) <= 80


def test_the_log_says_why_each_client_leaves_or_is_refused(caplog, monkeypatch):
    monkeypatch.setattr(tcp_transport, "_LINGER_S", 0.2)
    caplog.set_level(logging.INFO, "gammond.protocol")

    async def scenario():
        limits = ClientLimits(line_bytes=1000, close_on_long_line=True)
        async with running_count(limits=limits, clients=2, idle_s=0.4) as server:
            place, _, service = server
            await send_command(place, b"quit\n", eof=False)
            await send_command(place, b"ubgi\n")
            await send_command(place, b"x" * 2000 + b"\n", eof=False)
            assert await wait_until(lambda: service.client_count == 0)
            both = [await asyncio.open_connection(*place) for _ in range(2)]
            assert await wait_until(lambda: service.client_count == 2)
            await send_command(place, b"", eof=False)
            for reader, writer in both:
                await asyncio.wait_for(reader.read(), 20)
                writer.close()
            assert await wait_until(lambda: service.client_count == 0)
            _, broken = await asyncio.open_connection(*place)
            assert await wait_until(lambda: service.client_count == 1)
            broken.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
            )
            broken.transport.abort()
            assert await wait_until(lambda: service.client_count == 0)
            _, last = await asyncio.open_connection(*place)
            assert await wait_until(lambda: service.client_count == 1)
        last.close()

    run(scenario())
    said = [line for line in caplog.messages if not line.startswith("ending")]
    events = [record for record in caplog.records if record.event.startswith("client_")]
    assert {record.fields["address"] for record in events} == {"127.0.0.1"}
    assert [record.fields["client"] for record in events if record.event == "client_connected"] == [
        *(1, 2, 3, 4, 5),
        *(7, 8),
    ]
    reasons = [line.partition("): ")[2] for line in said if "connects" not in line]
    assert reasons[:2] == ["it said goodbye", "it hung up"]
    assert reasons[2].startswith("expected a line of at most 1000 bytes")
    assert reasons[3] == "the server has 2 clients, the maximum: try again later"
    assert reasons[4:6] == ["expected a request within 0.4 s"] * 2
    assert reasons[6].startswith("the connection broke (")
    assert reasons[7] == "the server ends"
    assert max(int(count) for count in re.findall(r"\((\d) client", "".join(said))) == 2


def test_a_client_that_connects_while_the_server_ends_is_told(caplog):
    caplog.set_level(logging.INFO, "gammond.protocol.transports.listening")

    async def scenario():
        async with running_count() as (place, ending, service):
            _, writer = await asyncio.open_connection(*place)
            assert await wait_until(lambda: service.client_count == 1)
            ending.set()
            late = await send_command(place, b"", eof=False)
            writer.close()
            return late

    late = run(scenario())
    assert late == ["error busy server: the server is about to end: try again later"]
    assert caplog.messages == ["ending, waiting for 1 client"]


def test_what_a_client_asks_as_the_server_is_to_end_is_answered():
    async def scenario():
        async with running_count() as (place, ending, service):
            reader, writer = await asyncio.open_connection(*place)
            half_reader, half_writer = await asyncio.open_connection(*place)
            half_writer.write(b"newgame\nge")
            assert await wait_until(lambda: service.client_count == 2 and service.request_count == 1)
            ending.set()
            await asyncio.sleep(0.05)
            writer.write(b"ubgi\n")
            half_writer.write(b"t dice\n")
            answers = [(await asyncio.wait_for(each.read(), 20)).decode() for each in (reader, half_reader)]
            for each in (writer, half_writer):
                each.close()
            return answers

    new, half = run(scenario())
    assert new.endswith("ubgiok\n")
    assert len(half.splitlines()) == 2


def test_one_client_too_many_gets_an_error():
    async def scenario():
        async with running_count(clients=2) as (place, _, service):
            both = [await asyncio.open_connection(*place) for _ in range(2)]
            assert await wait_until(lambda: service.client_count == 2)
            refused = await send_command(place, b"", eof=False)
            both[0][1].close()
            await both[0][1].wait_closed()
            assert await wait_until(lambda: service.client_count == 1)
            served = await send_command(place, b"newgame\n")
            both[1][1].close()
            return refused, served, service.client_count

    refused, served, clients = run(scenario())
    assert refused == ["error busy clients: the server has 2 clients, the maximum: try again later"]
    assert served[0].startswith("ok newgame")
    assert clients <= 1


@pytest.mark.parametrize("goodbye", [b"x" * 5000 + b"\n", b"quit\n"])
def test_a_client_that_is_let_go_gives_its_place_up_at_once(goodbye):
    async def scenario():
        limits = ClientLimits(line_bytes=1000, close_on_long_line=True)
        async with running_count(limits=limits, clients=1) as (place, _, _):
            reader, writer = await asyncio.open_connection(*place)
            writer.write(goodbye)
            await reader.readline()
            served = await send_command(place, b"get engine.ply\n")
            writer.close()
            return served

    assert run(scenario()) == ["value engine.ply 1"]


def test_clients_on_their_way_out_are_no_more_than_those_that_may_stay():
    async def scenario():
        async with running_count(Slow(), clients=1) as (place, _, _):
            writers = []
            for _ in range(2):
                reader, writer = await asyncio.open_connection(*place)
                writer.write(b"newgame\neval\nquit\n")
                await reader.readline()
                writers.append(writer)
            refused = await send_command(place, b"", eof=False)
            for writer in writers:
                writer.close()
            return refused

    assert run(scenario()) == ["error busy clients: the server has 1 clients, the maximum: try again later"]


def test_a_client_that_quits_and_hangs_up_before_its_answer_gives_its_place_back(caplog):
    async def scenario():
        async with running_count(Slow()) as (place, _, service):
            reader, writer = await asyncio.open_connection(*place)
            writer.write(b"newgame\nstats\neval\nquit\n")
            await reader.readline()
            assert service.client_count == 1
            writer.transport.abort()
            return await wait_until(lambda: service.client_count == 0)

    assert run(scenario())
    assert caplog.records == []


def test_an_overlong_line_is_an_error_and_the_end():
    async def scenario():
        limits = ClientLimits(line_bytes=1000, close_on_long_line=True)
        async with running_count(limits=limits) as (place, _, _):
            return await send_command(place, b"newgame\n" + b"x" * 500_000, eof=False)

    lines = run(scenario())
    assert lines[0].startswith("ok newgame")
    assert lines[1:] == ["error limit line: expected a line of at most 1000 bytes, got more"]


@pytest.mark.parametrize(
    ("sent", "tcp", "message"),
    [
        (b"newgame\n", {"idle_s": 0.3}, "error limit idle: expected a request within 0.3 s"),
        (b"newgame\nev", {"half_line_s": 0.3}, "error limit line: expected the end of the line within 0.3 s"),
    ],
)
def test_a_timeout_says_why_and_ends_the_connection(sent, tcp, message):
    async def scenario():
        async with running_count(**tcp) as (place, _, _):
            return await send_command(place, sent, eof=False)

    assert run(scenario())[1:] == [message]


def test_a_slow_drip_of_one_line_is_cut_off_and_a_busy_client_is_not():
    async def drip(place, piece):
        reader, writer = await asyncio.open_connection(*place)
        for _ in range(15):
            writer.write(piece)
            await asyncio.sleep(0.1)
        writer.write_eof()
        answer = (await reader.read()).decode()
        writer.close()
        return answer

    async def scenario():
        async with running_count(half_line_s=1.0, idle_s=1.0) as (place, _, _):
            return await asyncio.gather(drip(place, b"x"), drip(place, b"stats\nst\nx"))

    slow, busy = run(scenario())
    assert "expected the end of the line" in slow
    assert "expected the end of the line" not in busy


def test_a_client_that_never_reads_is_dropped_and_others_are_served():
    async def scenario():
        limits = ClientLimits(unsent_bytes=10_000)
        async with running_count(limits=limits, stuck_writer_s=0.5) as (place, _, service):
            _, writer = await asyncio.open_connection(*place, limit=1000)
            with contextlib.suppress(ConnectionError, asyncio.TimeoutError):
                for _ in range(2000):
                    writer.write(b"help\n" * 1000)
                    await asyncio.wait_for(writer.drain(), 0.5)
            dropped = await wait_until(lambda: service.client_count == 0)
            writer.transport.abort()
            return dropped, await send_command(place, b"get engine.ply\n")

    assert run(scenario()) == (True, ["value engine.ply 1"])


def unread(data, receive_bytes=2000):
    """A socket that has sent something and reads nothing by itself."""

    async def opened(place):
        loop = asyncio.get_running_loop()
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        connection.setblocking(False)
        await loop.sock_connect(connection, place)
        await loop.sock_sendall(connection, data)
        return connection

    return opened


async def wait_until(is_true, seconds=40.0):
    for _ in range(int(seconds / 0.02)):
        if is_true():
            return True
        await asyncio.sleep(0.02)
    return False


# More than the socket buffers of both sides hold.
MUCH = b"newgame\n" + b"@h help\n" * 1500


@pytest.mark.parametrize("last", [b"", b"quit\n"])
def test_a_client_that_reads_nothing_gives_its_place_back_even_when_it_has_parted(caplog, last):
    caplog.set_level(logging.INFO, "gammond.protocol.transports.connection_log")

    stuck_writer_s = 1.5 if last else 0.5  # the last line is to be served before

    async def scenario():
        limits = ClientLimits(unsent_bytes=100_000_000, queued_requests=10_000)
        async with running_count(limits=limits, stuck_writer_s=stuck_writer_s) as (place, _, _):
            connection = await unread(MUCH + last)(place)
            if last:
                connection.shutdown(socket.SHUT_WR)
            await wait_until(lambda: len(caplog.messages) == 2)
            connection.close()
            return list(caplog.messages)

    connects, leaves = run(scenario())
    assert connects.endswith(" connects (1 client)")
    assert " leaves after " in leaves
    assert leaves.endswith("(0 clients): " + ("it said goodbye" if last else "it read nothing for 0.5 s"))


def test_a_client_that_reads_slowly_is_served_to_the_end():
    """Its output waits for longer than a client may read nothing at all."""

    async def scenario():
        limits = ClientLimits(unsent_bytes=1_000_000)
        async with running_count(limits=limits, stuck_writer_s=1.0) as (place, _, _):
            connection = await unread(MUCH * 4 + b"quit\n", receive_bytes=100_000)(place)
            loop, parts = asyncio.get_running_loop(), []
            while part := await loop.sock_recv(connection, 1 << 17):
                parts.append(part)
                await asyncio.sleep(0.1 if len(parts) < 15 else 0)
            connection.close()
            return b"".join(parts)

    assert run(scenario()).endswith(b"ok quit\n")


WIDE = '"position": "BAAAUFKqVKQAAA", "dice": [1, 1], "want": ["moves"]'
"""2,151 plays, 390 kB of them."""


@pytest.fixture
def servers(monkeypatch):
    """The servers that a test makes."""
    made = []

    class Watched(tcp_transport.ListeningServer):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            made.append(self)

    monkeypatch.setattr(tcp_transport, "ListeningServer", Watched)
    return made


def count_held_bytes(server):
    """Return what is held for all clients together."""
    return sum(client.held_bytes for client in server.clients)


ON_A_BUSY_MACHINE_S = 60.0


async def watch_held_bytes(server, seconds):
    """Return the most that is held for all clients together."""
    most = 0
    for _ in range(int(seconds / 0.02)):
        most = max(most, count_held_bytes(server))
        await asyncio.sleep(0.02)
    return most


@pytest.mark.slow
def test_six_large_answers_of_a_client_that_does_not_read_are_held_one_at_a_time(servers):
    async def scenario():
        limits = ClientLimits(unsent_bytes=20_000, started_bytes=500_000)
        async with running_count(limits=limits) as (place, _, _):
            queries = "".join(f'{{"id": {number}, {WIDE}}}\n' for number in range(6))
            connection = await unread(queries.encode())(place)
            assert await wait_until(lambda: count_held_bytes(servers[0]) > 200_000)
            most = await watch_held_bytes(servers[0], 2.5)
            loop, answers = asyncio.get_running_loop(), b""
            while answers.count(b"\n") < 6:
                answers += await loop.sock_recv(connection, 1 << 17)
            connection.close()
            return most, answers

    most, answers = run(scenario())
    assert len(answers) > 6 * 330_000
    assert 0.6 * len(answers) / 6 < most < 1.4 * len(answers) / 6


@pytest.mark.slow
def test_clients_that_read_nothing_hold_no_more_than_the_server_may_and_polite_ones_are_answered(servers):
    async def scenario():
        limits = ClientLimits(unsent_bytes=20_000, started_bytes=500_000)
        async with running_count(limits=limits, held_bytes=2_300_000) as (place, _, _):
            deaf = [await unread(f'{{"id": 1, {WIDE}}}\n'.encode())(place) for _ in range(12)]
            watching = asyncio.create_task(watch_held_bytes(servers[0], 4))
            assert await wait_until(
                lambda: sum(client.is_leaving for client in servers[0].clients) >= 6, ON_A_BUSY_MACHINE_S
            )
            polite = await send_command(place, b"newgame\neval\n")
            most = await watching
            loop, answers = asyncio.get_running_loop(), []
            for connection in deaf:
                connection.shutdown(socket.SHUT_WR)  # the end of what it gets is the end of the connection
                answer = b""
                while part := await loop.sock_recv(connection, 1 << 17):
                    answer += part
                answers.append(answer)
                connection.close()
            return most, polite, answers

    most, polite, answers = run(scenario())
    assert 1_000_000 < most < 2_900_000
    assert polite[-1].startswith("eval ")
    errors = [answer for answer in answers if b"\nerror limit unread: the server holds more than" in answer]
    assert len(errors) >= 6
    assert sum(answer.endswith(b"}\n") for answer in answers) == 12 - len(errors)


def test_a_client_that_reads_too_little_is_told_so_and_its_place_is_free(servers):
    async def scenario():
        limits = ClientLimits(unsent_bytes=20_000)
        async with running_count(limits=limits, read_window_s=1.0) as (place, _, service):
            connection = await unread(f'{{"id": 1, {WIDE}}}\n'.encode())(place)
            assert await wait_until(lambda: any(client.is_leaving for client in servers[0].clients))
            loop, answer = asyncio.get_running_loop(), b""
            while part := await loop.sock_recv(connection, 1 << 17):
                answer += part
            connection.close()
            assert await wait_until(lambda: service.client_count == 0)
            return answer.splitlines()

    *_, torn, error = run(scenario())
    assert torn.startswith(b'{"id":1')
    assert error.startswith(b"error limit unread: expected 65536 bytes of answers read in 1 s, got ")


def test_an_answer_that_took_longer_than_the_idle_time_arrives_and_the_client_stays():
    async def scenario():
        async with running_count(Slow(), idle_s=0.45) as (place, _, _):
            reader, writer = await asyncio.open_connection(*place)
            writer.write(b"newgame\neval\n")
            first = [await reader.readline(), await reader.readline()]
            await asyncio.sleep(0.1)
            writer.write(b"get engine.ply\n")
            last = await reader.readline()
            writer.close()
            return [line.split()[0] for line in (*first, last)]

    assert run(scenario()) == [b"ok", b"eval", b"value"]


def test_a_fault_with_one_client_does_not_end_the_timeouts_of_the_others(servers, caplog):
    async def scenario():
        async with running_count(idle_s=0.4) as (place, _, service):
            servers[0].clock = faulty_once(service.clock)
            return await asyncio.gather(*(send_command(place, b"", eof=False) for _ in range(3)))

    def faulty_once(clock):
        faults = iter([ZeroDivisionError])

        def tell():
            is_watching = "check_timeouts" in sys._getframe(1).f_code.co_names
            if is_watching and (fault := next(faults, None)):
                raise fault
            return clock()

        return tell

    answers = sorted(run(scenario()))
    assert answers == [[], *[["error limit idle: expected a request within 0.4 s"]] * 2]
    assert "ZeroDivisionError" in caplog.text


def test_many_lines_of_one_client_do_not_hold_up_another(monkeypatch):
    sessions = []

    def watched_session(*arguments):
        sessions.append(Session(*arguments))
        return sessions[-1]

    monkeypatch.setattr(tcp_transport, "Session", watched_session)

    async def scenario():
        async with running_count() as (place, _, _):
            reader, writer = await asyncio.open_connection(*place)
            greedy = asyncio.create_task(
                send_command(place, b"position gnubgid BAAAUFKqVKQAAA\n" + DEAR * 300)
            )
            assert await wait_until(lambda: len(sessions) == 2)
            writer.write(b"get engine.ply\n")
            other = await reader.readline()
            served = sessions[1].request_count
            writer.close()
            return served, other, await greedy

    served, other, answers = run(scenario())
    assert served < 450
    assert other == b"value engine.ply 1\n"
    assert len(answers) == 901


DEAR = b"dice 1 1\nplay 2/1(4)\nundo\n"
"""A play among the 2,151 of a double, and the way back."""


def test_work_that_a_lost_client_left_in_the_queue_is_not_done():
    async def scenario():
        evaluator = Held()
        async with running_count(evaluator) as (place, _, service):
            busy = asyncio.create_task(send_command(place, b"newgame\n@a eval\n@b eval\n"))
            assert await wait_until(lambda: evaluator.asked == 2)
            lost = await unread(b"newgame\n@a eval\n@b eval\n")(place)
            assert await wait_until(lambda: service.client_count == 2)
            await asyncio.sleep(0.1)
            lost.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # resets
            lost.close()
            assert await wait_until(lambda: service.client_count == 1)
            evaluator.may_answer.set()
            assert len(await busy) == 3
            await asyncio.sleep(0.2)
        return evaluator.asked

    assert run(scenario()) == 2


def test_an_address_in_use_is_an_error_that_names_it():
    async def scenario():
        async with running_count() as ((host, port), _, service):
            with pytest.raises(
                StateError, match=f"^cannot listen on {host} port {port}: address already in use: another"
            ):
                await serve_tcp(service, ServerOptions(host, port))

    run(scenario())


def test_the_end_of_the_server_lets_work_finish():
    async def scenario():
        evaluator = Held()
        async with running_count(evaluator) as (place, ending, _):
            answer = asyncio.create_task(send_command(place, b"newgame\neval\n", eof=False))
            assert await wait_until(lambda: evaluator.asked == 1)
            ending.set()
            await asyncio.sleep(0.2)
            evaluator.may_answer.set()
            return await answer

    assert [line.split()[0] for line in run(scenario())] == ["ok", "eval"]


def test_the_end_of_the_server_does_not_wait_longer_than_it_lingers(monkeypatch):
    monkeypatch.setattr(tcp_transport, "_LINGER_S", 0.2)

    async def scenario():
        async with running_count() as (place, ending, service):
            _, writer = await asyncio.open_connection(*place)
            assert await wait_until(lambda: service.client_count == 1)
            ending.set()
            assert await wait_until(lambda: service.client_count == 0, ON_A_BUSY_MACHINE_S)
            writer.close()

    run(scenario())


@pytest.mark.slow
def test_many_clients_with_good_and_bad_lines_all_get_their_final_lines():
    async def scenario():
        async with running_count() as ((host, port), _, _):
            return await measure_load(host, port, draw_scripts(clients=200, lines=100, seed=1))

    report = run(scenario(), most_s=300.0)
    assert report.answered == report.requests == 20_000
    assert 6_000 < report.errors < 10_000
    assert 0 < report.p50_ms <= report.p99_ms


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org", ""])
def test_a_host_that_others_reach_is_refused_with_an_explanation(host):
    with pytest.raises(UnsupportedError, match="--allow-remote"):
        check_host(host, allow_remote=False)
    assert check_host(host, allow_remote=True) == host


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_loopback_is_allowed(host):
    assert check_host(host, allow_remote=False) == host


@pytest.mark.slow
@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGHUP])
def test_a_server_ends_with_0_while_it_works_for_clients_that_have_gone(kind):
    for _ in range(3):
        command = [sys.executable, "-m", "gammond.tools.cli", "serve", "--tcp", "0"]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        port = int(next(line for line in server.stderr if " listens on " in line).split()[-1])
        clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(6)]
        for client in clients:
            client.sendall(b"newgame\n@a eval plies=4\n@b rollout trials=1296\n@c matrix plies=2\n")
            client.recv(10)
        for client in clients:
            client.close()
        server.send_signal(kind)
        assert server.wait(timeout=20) == 0
        server.stderr.close()


def test_the_tool_serves_says_where_and_ends_with_0_on_sigterm():
    server = subprocess.Popen(
        [sys.executable, "-m", "gammond.tools.cli", "serve", "--tcp", "0"], stderr=subprocess.PIPE, text=True
    )
    said = next(line for line in server.stderr if " listens on " in line)
    port = int(said.split()[-1])
    lines = asyncio.run(send_command(("127.0.0.1", port), b"ubgi\nquit\n"))
    assert lines[-2:] == ["ubgiok", "ok quit"]
    server.send_signal(signal.SIGTERM)
    assert server.wait(timeout=20) == 0
    server.stderr.close()
