from __future__ import annotations

import asyncio

import httpx
import pytest

from gammond.protocol.core.fault_log import FaultLog
from gammond.protocol.transports.web import guard
from gammond.protocol.transports.web.guard import Guard, ServerNames
from gammond.protocol.transports.web.limits import RequestLimiter, WebLimits

HERE = "127.0.0.1:8080"


async def answer_all(scope, receive, send):
    """Answer every request."""
    if scope["path"] == "/broken":
        raise RuntimeError("a fault of the server")
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"served"})


def ask(method="GET", path="/", *, hosts=(), address="127.0.0.1", listens="127.0.0.1", requests=1, **headers):
    """Ask a guarded application without a socket; return the last answer."""

    async def scenario():
        limiter = RequestLimiter(WebLimits(address_rate=1.0, address_burst=3.0), 0.0)
        guarded = Guard(answer_all, ServerNames(listens, 8080, hosts), limiter, lambda: 0.0)
        transport = httpx.ASGITransport(guarded, client=(address, 1))
        async with httpx.AsyncClient(transport=transport, base_url=f"http://{HERE}") as client:
            for _ in range(requests):
                answer = await client.request(method, path, headers=headers)
            return answer

    return asyncio.run(scenario())


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080"])
def test_a_server_is_known_by_the_names_of_this_machine(host):
    assert ask(host=host).text == "served"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8080",
        "localhost",
        "127.0.0.1:80",
        "localhost:8080.evil.example",
        "",
        "10.0.0.1:8080",
    ],
)
def test_a_foreign_host_is_refused(host):
    answer = ask(host=host)
    assert answer.status_code == 403
    assert answer.json()["error"]["field"] == "host"


def test_further_names_are_those_that_the_operator_gives():
    for host in ("board.example", "board.example:443", "Board.Example"):
        assert ask(host=host, hosts=("board.example",)).status_code == 200
    assert ask(host="board.example:9000", hosts=("board.example",)).status_code == 403
    assert ask(host="board.example:9000", hosts=("board.example:9000",)).status_code == 200


def test_a_server_that_listens_everywhere_is_known_by_any_address_but_by_no_name():
    assert ask(host="192.168.0.7:8080", listens="0.0.0.0").status_code == 200
    assert ask(host="[fe80::1]:8080", listens="::").status_code == 200
    assert ask(host="evil.example:8080", listens="0.0.0.0").status_code == 403
    assert ask(host="192.168.0.7:81", listens="0.0.0.0").status_code == 403


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://127.0.0.1:9999",
        "http://evil.example:8080",
        "file://",
        "127.0.0.1:8080",
        "",
    ],
)
def test_a_page_of_a_foreign_origin_is_refused(origin):
    answer = ask("POST", origin=origin) if origin else ask("POST", origin="http://")
    assert answer.status_code == 403
    assert answer.json()["error"]["field"] == "origin"


def test_own_pages_and_programs_without_pages_may_post():
    assert ask("POST").status_code == 200
    for origin in ("http://127.0.0.1:8080", "http://localhost:8080"):
        assert ask("POST", origin=origin).status_code == 200
    proxied = {"host": "board.example", "origin": "https://board.example"}
    assert ask("POST", hosts=("board.example",), **proxied).status_code == 200


def test_every_answer_forbids_what_a_page_does_not_need():
    for answer in (ask(), ask(host="evil.example"), ask(path="/broken")):
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["permissions-policy"]


def test_a_fault_of_the_server_shows_no_details(caplog, monkeypatch):
    monkeypatch.setattr(guard, "FAULT_LOG", FaultLog())  # which has not said it yet
    answer = ask(path="/broken")
    assert answer.status_code == 500
    assert "RuntimeError" not in answer.text
    assert "a fault of the server" in caplog.text


def test_an_address_that_asks_too_often_is_told_to_wait():
    answer = ask(path="/healthz", address="192.0.2.1", requests=4)
    assert answer.status_code == 429
    assert answer.headers["retry-after"]
    assert ask(path="/healthz", address="192.0.2.1", requests=3).status_code == 200


@pytest.mark.parametrize("path", ["/", "/page/js/main.js"])
def test_the_files_of_the_page_count_for_less(path):
    assert ask(path=path, address="192.0.2.1", requests=20).status_code == 200
    assert ask(path=path, address="192.0.2.1", requests=40).status_code == 429


def test_a_proxy_that_is_not_named_is_reported_once(caplog):
    for _ in range(2):
        ask(**{"x-forwarded-for": "192.0.2.1"}, requests=3)
    assert caplog.text.count("--web-proxy 127.0.0.1") == 2  # of two servers
    caplog.clear()
    ask(address="192.0.2.1", **{"x-forwarded-for": "192.0.2.7"})
    assert not caplog.records
