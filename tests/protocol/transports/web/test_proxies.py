"""Visitors behind a proxy: each has the limits of its own address, as the proxy says, and nobody else's."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="needs the extra 'web'")

import asyncio
import logging

from websockets.exceptions import InvalidStatus

from gammond.protocol.accounts import accounts
from tests.protocol.transports.web.serving import Slow, request, run, running, wait_for

ANN, BOB = "192.0.2.1", "192.0.2.2"
HERE = ("127.0.0.1",)


async def ask(server, visitor, path="/healthz", document=None):
    """Ask as a proxy does for a visitor; return the status."""
    method = "GET" if document is None else "POST"
    return (await request(server, method, path, document, headers={"x-forwarded-for": visitor})).status


def test_a_visitor_who_asks_too_often_is_told_to_wait_and_no_other():
    async def scenario():
        async with running(proxies=HERE, address_rate=0.1, address_burst=3.0) as server:
            return [await ask(server, who) for who in (ANN, ANN, ANN, ANN, BOB)]

    assert run(scenario()) == [200, 200, 200, 429, 200]


@pytest.mark.parametrize(
    "visitor", [f"{BOB}, {ANN}", f"127.0.0.1, {ANN}", f"nonsense, {ANN}", f"{ANN}, 127.0.0.1"]
)
def test_what_a_visitor_says_of_itself_counts_for_nothing(visitor):
    async def scenario():
        async with running(proxies=HERE, address_rate=0.1, address_burst=2.0) as server:
            return [await ask(server, who) for who in (ANN, visitor, visitor, BOB)]

    assert run(scenario()) == [200, 200, 429, 200]


def test_nobody_is_believed_who_is_no_proxy():
    async def scenario():
        async with running(proxies=("192.0.2.0/24",), address_rate=0.1, address_burst=1.0) as server:
            return [await ask(server, ANN) for _ in range(3)]

    assert run(scenario()) == [200] * 3  # of this machine, as the connections are


def test_a_text_that_is_no_address_has_the_limits_of_one_visitor():
    async def scenario():
        async with running(proxies=HERE, address_rate=0.1, address_burst=2.0) as server:
            return [await ask(server, each) for each in ("x", "y" * 10_000, "z")]

    assert run(scenario()) == [200, 200, 429]


def test_addresses_of_one_network_of_ipv6_count_as_one():
    visitors = [f"2001:db8:1:{network}::{host}" for network, host in ((1, 1), (1, 2), (1, 3), (2, 1))]

    async def scenario():
        async with running(proxies=HERE, address_rate=0.1, address_burst=2.0) as server:
            return [await ask(server, each) for each in visitors]

    assert run(scenario()) == [200, 200, 429, 200]


def test_each_visitor_has_so_many_websockets_and_its_address_in_the_log(caplog):
    async def scenario():
        async with running(proxies=HERE, address_connections=2) as server:
            ann, bob = ({"x-forwarded-for": who} for who in (ANN, BOB))
            async with server.connect(additional_headers=ann) as first:
                async with server.connect(path="/ws/tables", additional_headers=ann):
                    with pytest.raises(InvalidStatus) as refused:
                        await server.connect(additional_headers=ann)
                    async with server.connect(additional_headers=bob):
                        pass
                await first.send("quit")
                await first.wait_closed()
            async with server.connect(additional_headers=ann):
                return refused.value.response.status_code

    with caplog.at_level(logging.INFO, logger="gammond.protocol"):
        assert run(scenario()) == 503
    assert f"{ANN} port 0 connects" in caplog.text or f"{ANN} connects" in caplog.text
    assert "127.0.0.1" not in caplog.text


def test_logins_and_lists_have_places_while_long_work_has_none(tmp_path):
    async def scenario():
        slow = Slow()
        async with running(slow, proxies=HERE, works=1, archive=tmp_path / "games.sqlite") as server:
            body = {"position": "4HPwATDgc/ABMA", "plies": 2}
            long = asyncio.create_task(ask(server, ANN, "/api/v1/evaluate", body))
            await wait_for(slow.began)
            statuses = [
                await ask(server, BOB, "/api/v1/evaluate", body),
                await ask(server, BOB, "/api/v1/me"),
                await ask(server, BOB, "/api/v1/games"),
                await ask(server, BOB, "/api/v1/login", {"name": "Bob", "password": "x"}),
            ]
            long.cancel()
            return statuses

    assert run(scenario()) == [503, 200, 200, 404]  # this server has no accounts


def test_the_failed_logins_of_one_visitor_lock_no_other_out(tmp_path, monkeypatch):
    pytest.importorskip("argon2", reason="needs the extra 'web'")
    monkeypatch.setattr(accounts, "_TRIES_ADDRESS", 2)
    path, own = "/api/v1/login", {"name": "Bob", "password": "quite a long one"}

    async def scenario():
        async with running(proxies=HERE, archive=tmp_path / "games.sqlite", accounts=True) as server:
            made = await ask(server, BOB, "/api/v1/register", own)
            names = ("Cleo", "Dora", "Bob")
            wrong = [
                await ask(server, ANN, path, {"name": name, "password": "a wrong one"}) for name in names
            ]
            return made, wrong, await ask(server, BOB, path, own)

    assert run(scenario()) == (200, [401, 401, 429], 200)


def test_bytes_after_a_request_of_two_lengths_are_no_request():
    async def scenario():
        async with running() as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            hidden = b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
            head = (
                f"POST /api/v1/evaluate HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\n"
                f"content-length: {len(hidden) + 5}\r\ntransfer-encoding: chunked\r\n\r\n"
            )
            writer.write(head.encode() + b"0\r\n\r\n" + hidden)
            answer = await asyncio.wait_for(reader.read(), 20)
            writer.close()
            return answer

    answer = run(scenario())
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1
