from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import time
import weakref

import pytest

from gammond.engine.errors import StateError, UnsupportedError
from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.state.session import Session
from gammond.protocol.transports import tcp as tcp_transport
from gammond.protocol.transports.listening import ServerOptions, check_host
from gammond.protocol.transports.tcp import serve_tcp
from tests.attacks.server import gammond_command
from tests.protocol.transports.tcp_serving import LONG_S, break_off, read_all, running
from tests.support.evaluators import HeldEvaluator
from tests.support.waiting import wait_in_loop


def first_words(lines):
    return [line.split()[0] for line in lines]


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


async def test_clients_have_states_of_their_own():
    async with running() as server:
        answers = await asyncio.gather(
            *(server.send(b"set game.length %d\nnewgame\neval\nget game.length\n" % n) for n in range(1, 9))
        )
    for number, lines in enumerate(answers, 1):
        assert first_words(lines) == ["ok", "ok", "eval", "value"]
        assert lines[-1] == f"value game.length {number}"


@pytest.mark.parametrize(
    "lines", [b"newgame\neval\n@a moves plies=1\n", b"newgame\n" + b"eval plies=4\n" * 30]
)
async def test_of_a_client_that_is_gone_nothing_waits_for_the_garbage_collector(monkeypatch, lines):
    kept, connect = [], tcp_transport.connect

    def connect_weakly(session):
        connection = connect(session)
        kept.extend(map(weakref.ref, (session, connection)))
        return connection

    monkeypatch.setattr(tcp_transport, "connect", connect_weakly)
    async with running() as server:
        gc.disable()
        try:
            _, writer = await server.open(lines)
            await wait_in_loop(lambda: server.service.request_count >= 2)
            writer.transport.abort()
            assert len(kept) == 2
            await wait_in_loop(lambda: not any(reference() for reference in kept))
        finally:
            gc.enable()


async def test_one_client_does_not_wait_for_the_work_of_another():
    evaluator = HeldEvaluator()
    async with running(evaluator) as server:
        slow = asyncio.create_task(server.send(b"newgame\neval\n"))
        await wait_in_loop(evaluator.was_asked.is_set)
        quick = await server.send(b"newgame\nget engine.ply\n")
        assert (quick[-1], slow.done()) == ("value engine.ply 1", False)
        evaluator.may_answer.set()
        await slow


@pytest.mark.skipif(sys.platform != "linux", reason="counts open files in /proc")
async def test_clients_who_are_refused_by_the_hundred_are_gone_before_they_use_up_open_files():
    def connect(place):
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex(place)
        return client

    def count_files():
        return len(os.listdir("/proc/self/fd"))

    async with running(clients=150) as server:
        clients = [connect(server.place) for _ in range(150)]
        await server.wait_for_clients(150)
        clients += [connect(server.place) for _ in range(400)]
        before, most, end_s = count_files(), 0, time.monotonic() + 1.0
        while time.monotonic() < end_s:
            most = max(most, count_files() - before)
            await asyncio.sleep(0)
        for client in clients:
            client.close()
    assert 0 < most <= 80


async def test_the_log_says_why_each_client_leaves_or_is_refused(caplog, monkeypatch):
    monkeypatch.setattr(tcp_transport, "_LINGER_S", 0.2)
    caplog.set_level(logging.INFO, "gammond.protocol")
    limits = ClientLimits(line_bytes=1000, close_on_long_line=True)
    async with running(limits=limits, clients=2, idle_s=LONG_S) as server:
        await server.send(b"quit\n", eof=False)
        await server.send(b"ubgi\n")
        await server.send(b"x" * 2000 + b"\n", eof=False)
        await server.wait_for_clients(0)
        both = [await server.open() for _ in range(2)]
        await server.wait_for_clients(2)
        await server.send(b"", eof=False)
        await server.leap_until(lambda: not server.service.client_count)
        for _, writer in both:
            writer.close()
        broken = await server.open_unread(b"")
        await server.wait_for_clients(1)
        break_off(broken)
        await server.wait_for_clients(0)
        _, last = await server.open()
        await server.wait_for_clients(1)
    last.close()
    said = [line for line in caplog.messages if not line.startswith("ending")]
    events = [record for record in caplog.records if record.event.startswith("client_")]
    assert {record.fields["address"] for record in events} == {"127.0.0.1"}
    numbers = [record.fields["client"] for record in events if record.event == "client_connected"]
    assert numbers == [1, 2, 3, 4, 5, 7, 8]
    reasons = [line.partition("): ")[2] for line in said if "connects" not in line]
    assert reasons[:2] == ["it said goodbye", "it hung up"]
    assert reasons[2].startswith("expected a line of at most 1000 bytes")
    assert reasons[3] == "the server has 2 clients, the maximum: try again later"
    assert reasons[4:6] == ["expected a request within 1000 s"] * 2
    assert reasons[6].startswith("the connection broke (")
    assert reasons[7] == "the server ends"
    assert max(int(count) for count in re.findall(r"\((\d) client", "".join(said))) == 2


async def test_a_client_that_connects_while_the_server_ends_is_told(caplog):
    caplog.set_level(logging.INFO, "gammond.protocol.transports.listening")
    async with running() as server:
        _, writer = await server.open()
        await server.wait_for_clients(1)
        server.ending.set()
        late = await server.send(b"", eof=False)
        writer.close()
    assert late == ["error busy server: the server is about to end: try again later"]
    assert caplog.messages == ["ending, waiting for 1 client"]


async def test_what_a_client_asks_as_the_server_is_to_end_is_answered():
    async with running() as server:
        reader, writer = await server.open()
        half_reader, half_writer = await server.open(b"newgame\nge")
        service = server.service
        await wait_in_loop(lambda: service.client_count == 2 and service.request_count == 1)
        server.ending.set()
        await asyncio.sleep(0.05)
        writer.write(b"ubgi\n")
        half_writer.write(b"t dice\n")
        new, half = [(await asyncio.wait_for(each.read(), 60)).decode() for each in (reader, half_reader)]
        for each in (writer, half_writer):
            each.close()
    assert new.endswith("ubgiok\n")
    assert len(half.splitlines()) == 2


FULL = ["error busy clients: the server has {} clients, the maximum: try again later"]


async def test_one_client_too_many_gets_an_error():
    async with running(clients=2) as server:
        (_, one), (_, other) = [await server.open() for _ in range(2)]
        await server.wait_for_clients(2)
        assert await server.send(b"", eof=False) == [FULL[0].format(2)]
        one.close()
        await server.wait_for_clients(1)
        assert (await server.send(b"newgame\n"))[0].startswith("ok newgame")
        other.close()


@pytest.mark.parametrize(
    ("goodbye", "last"),
    [(b"x" * 5000 + b"\n", b"error limit line: expected a line of at most 1000 bytes, got more\n"),
     (b"x" * 500_000, b"error limit line: expected a line of at most 1000 bytes, got more\n"),
     (b"quit\n", b"ok quit\n")],
)  # fmt: skip
async def test_a_client_that_is_let_go_gives_its_place_up_at_once(goodbye, last):
    limits = ClientLimits(line_bytes=1000, close_on_long_line=True)
    async with running(limits=limits, clients=1) as server:
        reader, writer = await server.open(goodbye)
        assert await reader.readline() == last
        assert await server.send(b"get engine.ply\n") == ["value engine.ply 1"]
        assert await reader.read() == b""
        writer.close()


async def test_clients_on_their_way_out_are_no_more_than_those_that_may_stay():
    evaluator = HeldEvaluator()
    async with running(evaluator, clients=1) as server:
        writers = []
        for _ in range(2):
            reader, writer = await server.open(b"newgame\neval\nquit\n")
            await reader.readline()
            writers.append(writer)
        assert await server.send(b"", eof=False) == [FULL[0].format(1)]
        evaluator.may_answer.set()
        for writer in writers:
            writer.close()


async def test_a_client_that_quits_and_hangs_up_before_its_answer_gives_its_place_back(caplog):
    evaluator = HeldEvaluator()
    async with running(evaluator) as server:
        reader, writer = await server.open(b"newgame\nstats\neval\nquit\n")
        await reader.readline()
        assert server.service.client_count == 1
        writer.transport.abort()
        evaluator.may_answer.set()
        await server.wait_for_clients(0)
    assert caplog.records == []


@pytest.mark.parametrize(
    ("sent", "cap", "message"),
    [
        (b"newgame\n", "idle_s", b"error limit idle: expected a request within 1000 s\n"),
        (b"newgame\nev", "half_line_s", b"error limit line: expected the end of the line within 1000 s\n"),
    ],
)
async def test_a_timeout_says_why_and_ends_the_connection(sent, cap, message):
    async with running(**{"idle_s": 1e9, cap: LONG_S}) as server:
        reader, writer = await server.open(sent)
        assert (await reader.readline()).startswith(b"ok newgame")
        await server.leap_until(lambda: not server.service.client_count)
        assert await reader.read() == message
        writer.close()


# More than the socket buffers of both sides hold.
MUCH = b"newgame\n" + b"@h help\n" * 1500


@pytest.mark.parametrize("last", [b"", b"quit\n"])
async def test_a_client_that_reads_nothing_gives_its_place_back_even_when_it_has_parted(caplog, last):
    caplog.set_level(logging.INFO, "gammond.protocol.transports.connection_log")
    limits = ClientLimits(unsent_bytes=100_000_000, queued_requests=10_000)
    async with running(limits=limits, stuck_writer_s=LONG_S) as server:
        connection = await server.open_unread(MUCH + last)
        if last:
            connection.shutdown(socket.SHUT_WR)
        await wait_in_loop(lambda: server.service.request_count == (MUCH + last).count(b"\n"))
        await server.leap_until(lambda: len(caplog.messages) == 2)
        connection.close()
        connects, leaves = list(caplog.messages)
        assert await server.send(b"get engine.ply\n") == ["value engine.ply 1"]
    assert connects.endswith(" connects (1 client)")
    assert " leaves after " in leaves
    assert leaves.endswith("(0 clients): " + ("it said goodbye" if last else "it read nothing for 1000 s"))


@pytest.mark.slow
async def test_a_client_that_reads_slowly_is_served_to_the_end(servers):
    """Its output waits for longer than a client may read nothing at all."""
    limits = ClientLimits(unsent_bytes=1_000_000)
    async with running(limits=limits, stuck_writer_s=LONG_S, read_window_s=1e9) as server:
        connection = await server.open_unread(MUCH * 4 + b"quit\n", receive_bytes=100_000)
        await wait_in_loop(lambda: servers[0].clients)
        (client,) = servers[0].clients
        loop, data = asyncio.get_running_loop(), b""
        for _ in range(4):
            seen_bytes = client._activity._unread.read_bytes
            while client._activity._unread.read_bytes == seen_bytes:
                data += await loop.sock_recv(connection, 1 << 15)
                await asyncio.sleep(0.01)
            server.clock.leap(0.4 * LONG_S)
        data += await read_all(connection)
        connection.close()
    assert data.endswith(b"ok quit\n")


WIDE = '"position": "BAAAUFKqVKQAAA", "dice": [1, 1], "want": ["moves"]'
"""2,151 plays, 390 kB of them."""


def count_held_bytes(server):
    """Return what is held for all clients together."""
    return sum(client.held_bytes for client in server.clients)


async def watch_held_bytes(server, seconds):
    """Return the most that is held for all clients together."""
    most = 0
    for _ in range(int(seconds / 0.02)):
        most = max(most, count_held_bytes(server))
        await asyncio.sleep(0.02)
    return most


@pytest.mark.slow
async def test_six_large_answers_of_a_client_that_does_not_read_are_held_one_at_a_time(servers):
    limits = ClientLimits(unsent_bytes=20_000, started_bytes=500_000)
    async with running(limits=limits) as server:
        queries = "".join(f'{{"id": {number}, {WIDE}}}\n' for number in range(6))
        connection = await server.open_unread(queries.encode())
        await wait_in_loop(lambda: count_held_bytes(servers[0]) > 200_000)
        most = await watch_held_bytes(servers[0], 2.5)
        loop, answers = asyncio.get_running_loop(), b""
        while answers.count(b"\n") < 6:
            answers += await loop.sock_recv(connection, 1 << 17)
        connection.close()
    assert len(answers) > 6 * 330_000
    assert 0.6 * len(answers) / 6 < most < 1.4 * len(answers) / 6


@pytest.mark.slow
async def test_clients_that_read_nothing_hold_no_more_than_the_server_may_and_polite_ones_are_answered(
    servers,
):
    limits = ClientLimits(unsent_bytes=20_000, started_bytes=500_000)
    most = 0

    def are_all_answered_or_refused():
        nonlocal most
        most, clients = max(most, count_held_bytes(servers[0])), servers[0].clients
        return len(clients) == 12 and all(each.is_leaving or each.held_bytes > 200_000 for each in clients)

    async with running(limits=limits, held_bytes=2_300_000, stuck_writer_s=1e9) as server:
        deaf = [await server.open_unread(f'{{"id": 1, {WIDE}}}\n'.encode()) for _ in range(12)]
        await wait_in_loop(are_all_answered_or_refused)
        polite, answers = await server.send(b"newgame\neval\n"), []
        for connection in deaf:
            connection.shutdown(socket.SHUT_WR)  # the end of what it gets is the end of the connection
            answers.append(await read_all(connection))
            connection.close()
    assert 1_000_000 < most < 2_900_000
    assert polite[-1].startswith("eval ")
    errors = [answer for answer in answers if b"error limit unread: the server holds more than" in answer]
    assert len(errors) >= 6
    assert sum(answer.endswith(b"}\n") for answer in answers) == 12 - len(errors)


async def test_a_client_that_reads_too_little_is_told_so_and_its_place_is_free(servers):
    limits = ClientLimits(unsent_bytes=20_000)
    async with running(limits=limits, read_window_s=LONG_S, stuck_writer_s=1e9) as server:
        connection = await server.open_unread(f'{{"id": 1, {WIDE}}}\n'.encode())
        await wait_in_loop(lambda: servers[0].clients and count_held_bytes(servers[0]) > 200_000)
        await server.leap_until(lambda: any(client.is_leaving for client in servers[0].clients))
        *_, torn, error = (await read_all(connection)).splitlines()
        connection.close()
        await server.wait_for_clients(0)
    assert torn.startswith(b'{"id":1')
    assert error.startswith(b"error limit unread: expected 65536 bytes of answers read in 1000 s, got ")


async def test_an_answer_that_took_longer_than_the_idle_time_arrives_and_the_client_stays():
    evaluator = HeldEvaluator()
    async with running(evaluator, idle_s=LONG_S) as server:
        reader, writer = await server.open(b"newgame\neval\n")
        await wait_in_loop(evaluator.was_asked.is_set)
        for _ in range(3):
            server.clock.leap(LONG_S)
            await asyncio.sleep(0.1)
        evaluator.may_answer.set()
        lines = [await reader.readline() for _ in range(2)]
        await asyncio.sleep(0.2)  # the server looks at the client once more
        writer.write(b"get engine.ply\n")
        assert first_words([*lines, await reader.readline()]) == [b"ok", b"eval", b"value"]
        writer.close()


async def test_a_fault_with_one_client_does_not_end_the_timeouts_of_the_others(servers, caplog):
    faults = iter([ZeroDivisionError])

    def tell():
        is_watching = "check_timeouts" in sys._getframe(1).f_code.co_names
        if is_watching and (fault := next(faults, None)):
            raise fault
        return server.clock()

    async with running(idle_s=LONG_S) as server:
        answers = [asyncio.create_task(server.send(b"", eof=False)) for _ in range(3)]
        await server.wait_for_clients(3)
        servers[0].clock = tell
        await server.leap_until(lambda: not server.service.client_count)
        found = sorted(await asyncio.gather(*answers))
    assert found == [[], *[["error limit idle: expected a request within 1000 s"]] * 2]
    assert "ZeroDivisionError" in caplog.text


DEAR = b"dice 1 1\nplay 2/1(4)\nundo\n"
"""A play among the 2,151 of a double, and the way back."""


async def test_many_lines_of_one_client_do_not_hold_up_another(monkeypatch):
    sessions = []

    def watched_session(*arguments):
        sessions.append(Session(*arguments))
        return sessions[-1]

    monkeypatch.setattr(tcp_transport, "Session", watched_session)
    async with running() as server:
        reader, writer = await server.open()
        greedy = asyncio.create_task(server.send(b"position gnubgid BAAAUFKqVKQAAA\n" + DEAR * 300))
        await wait_in_loop(lambda: len(sessions) == 2)
        writer.write(b"get engine.ply\n")
        assert await reader.readline() == b"value engine.ply 1\n"
        assert sessions[1].request_count < 450
        writer.close()
        assert len(await greedy) == 901


async def test_work_that_a_lost_client_left_in_the_queue_is_not_done():
    evaluator = HeldEvaluator()
    async with running(evaluator) as server:
        busy = asyncio.create_task(server.send(b"newgame\n@a eval\n@b eval\n"))
        await wait_in_loop(lambda: evaluator.asked == 2)
        lost = await server.open_unread(b"newgame\n@a eval\n@b eval\n")
        await wait_in_loop(lambda: server.service.request_count == 6)
        break_off(lost)
        await server.wait_for_clients(1)
        evaluator.may_answer.set()
        assert len(await busy) == 3
        assert len(await server.send(b"newgame\n")) == 1
        await asyncio.sleep(0.2)
    assert evaluator.asked == 2


async def test_an_address_in_use_is_an_error_that_names_it():
    async with running() as server:
        host, port = server.place
        with pytest.raises(
            StateError, match=f"^cannot listen on {host} port {port}: address already in use: another"
        ):
            await serve_tcp(server.service, ServerOptions(host, port))


async def test_the_end_of_the_server_lets_work_finish():
    evaluator = HeldEvaluator()
    async with running(evaluator) as server:
        answer = asyncio.create_task(server.send(b"newgame\neval\n", eof=False))
        await wait_in_loop(evaluator.was_asked.is_set)
        server.ending.set()
        await asyncio.sleep(0.2)
        evaluator.may_answer.set()
        assert first_words(await answer) == ["ok", "eval"]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org", ""])
def test_a_host_that_others_reach_is_refused_with_an_explanation(host):
    with pytest.raises(UnsupportedError, match="--allow-remote"):
        check_host(host, allow_remote=False)
    assert check_host(host, allow_remote=True) == host


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_loopback_is_allowed(host):
    assert check_host(host, allow_remote=False) == host


def test_a_server_says_where_it_is_and_ends_with_0_while_it_works_for_clients_that_have_gone():
    asks = b"newgame\n@a eval plies=4\n@b rollout trials=1296\n@c matrix plies=2\n"
    command = gammond_command("serve", "--tcp", "0")
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            port = int(next(line for line in server.stderr if " listens on " in line).split()[-1])
            with contextlib.ExitStack() as clients:
                for _ in range(6):
                    client = clients.enter_context(socket.create_connection(("127.0.0.1", port)))
                    client.sendall(asks)
                    assert client.recv(3) == b"ok "
            server.send_signal(signal.SIGTERM)
            assert server.wait(timeout=60) == 0
        finally:
            server.kill()
