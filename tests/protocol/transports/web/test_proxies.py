"""Visitors behind a proxy: each has the limits of its own address, as the proxy says, and nobody else's."""

from __future__ import annotations

import asyncio
import logging

import pytest
from websockets.exceptions import InvalidStatus

from gammond.protocol.accounts import accounts
from tests.protocol.transports.web.serving import request, running
from tests.support.evaluators import SlowEvaluator
from tests.support.waiting import wait_in_loop

ANN, BOB = "192.0.2.1", "192.0.2.2"
HERE = ("127.0.0.1",)


async def ask(server, visitor, path="/healthz", document=None):
    """Ask as a proxy does for a visitor; return the status."""
    method = "GET" if document is None else "POST"
    return (await request(server, method, path, document, headers={"x-forwarded-for": visitor})).status


@pytest.mark.parametrize(
    ("most", "visitors", "statuses"),
    [
        (3, (ANN, ANN, ANN, ANN, BOB), [200, 200, 200, 429, 200]),
        *(
            (2, (ANN, says, says, BOB), [200, 200, 429, 200])
            for says in (f"{BOB}, {ANN}", f"127.0.0.1, {ANN}", f"nonsense, {ANN}", f"{ANN}, 127.0.0.1")
        ),
        (2, ("x", "y" * 10_000, "z"), [200, 200, 429]),  # no addresses: one visitor
        (2, [f"2001:db8:1:{place}" for place in ("1::1", "1::2", "1::3", "2::1")], [200, 200, 429, 200]),
    ],
)
async def test_a_visitor_who_asks_too_often_is_told_to_wait_and_no_other(most, visitors, statuses):
    """What it says of itself counts for nothing, and a network of IPv6 is one visitor."""
    async with running(proxies=HERE, address_rate=0.001, address_burst=most) as server:
        assert [await ask(server, who) for who in visitors] == statuses


async def test_nobody_is_believed_who_is_no_proxy():
    async with running(proxies=("192.0.2.0/24",), address_rate=0.001, address_burst=1.0) as server:
        found = [await ask(server, ANN) for _ in range(3)]
    assert found == [200] * 3  # of this machine, as the connections are


async def test_each_visitor_has_so_many_websockets_and_its_address_in_the_log(caplog):
    caplog.set_level(logging.INFO, "gammond.protocol")
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
            pass
    assert refused.value.response.status_code == 503
    assert f"{ANN} port 0 connects" in caplog.text or f"{ANN} connects" in caplog.text
    assert "127.0.0.1" not in caplog.text


async def test_logins_and_lists_have_places_while_long_work_has_none(tmp_path):
    slow = SlowEvaluator(0.1)
    async with running(slow, proxies=HERE, works=1, archive=tmp_path / "games.sqlite") as server:
        body = {"position": "4HPwATDgc/ABMA", "plies": 2}
        long = asyncio.create_task(ask(server, ANN, "/api/v1/evaluate", body))
        await wait_in_loop(slow.was_asked.is_set)
        statuses = [
            await ask(server, BOB, "/api/v1/evaluate", body),
            await ask(server, BOB, "/api/v1/me"),
            await ask(server, BOB, "/api/v1/games"),
            await ask(server, BOB, "/api/v1/login", {"name": "Bob", "password": "x"}),
        ]
        long.cancel()
        assert statuses == [503, 200, 200, 404]  # this server has no accounts


async def test_the_failed_logins_of_one_visitor_lock_no_other_out(tmp_path, monkeypatch):
    pytest.importorskip("argon2", reason="needs the extra 'web'")
    monkeypatch.setattr(accounts, "_TRIES_ADDRESS", 2)
    path, own = "/api/v1/login", {"name": "Bob", "password": "quite a long one"}
    async with running(proxies=HERE, archive=tmp_path / "games.sqlite", accounts=True) as server:
        made = await ask(server, BOB, "/api/v1/register", own)
        names = ("Cleo", "Dora", "Bob")
        wrong = [await ask(server, ANN, path, {"name": name, "password": "a wrong one"}) for name in names]
        assert (made, wrong, await ask(server, BOB, path, own)) == (200, [401, 401, 429], 200)


async def test_bytes_after_a_request_of_two_lengths_are_no_request():
    async with running() as server:
        hidden = b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
        head = (
            f"POST /api/v1/evaluate HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\n"
            f"content-length: {len(hidden) + 5}\r\ntransfer-encoding: chunked\r\n\r\n"
        )
        reader, writer = await server.open_raw(head.encode() + b"0\r\n\r\n" + hidden)
        answer = await asyncio.wait_for(reader.read(), 60)
        writer.close()
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1
