"""Floods of what is small, messages that never end, and one visitor behind a proxy who takes all it can."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from gammond.protocol.core.limits import ClientLimits
from gammond.protocol.transports.web.limits import WebLimits
from tests.attacks.beside import attack_beside_polite, warm_up
from tests.attacks.crowds import raise_own_limit
from tests.attacks.positions import WIDE_POSITION
from tests.attacks.server import HOST, Peak, serve_pages
from tests.attacks.trial import Attack, Trial, expect
from tests.attacks.wire import run_clients

LINE, TABLES, WEB, TCP = "/ws/line", "/ws/tables", "web", "tcp"
"""The faces of a server: WebSockets by their paths, requests over HTTP, lines on TCP."""

TEXT, PING = 1, 9

_ATTACKERS = 20
_HALF_MIB = 416.0
"""What half messages may pin: the 256 MiB that a server holds for its clients, buffers that grow by eighths,
and what a second brings before those with the most are gone."""
_WAIT_S = 5
"""How long anything may take for a visitor beside one who takes all it can."""


def make_frame(opcode: int, payload: bytes = b"", *, is_last: bool = True, size: int | None = None) -> bytes:
    """Return a frame of a client, masked with zeros.

    Args:
        opcode: Its kind.
        payload: What it holds.
        is_last: Whether its message ends with it.
        size: How much it says that it holds; as much as it does if left out.
    """
    size = len(payload) if size is None else size
    short = size if size < 126 else 126 if size < 1 << 16 else 127
    more = b"" if short < 126 else struct.pack("!H" if short == 126 else "!Q", size)
    head = struct.pack("!BB", (0x80 if is_last else 0) | opcode, 0x80 | short)
    return head + more + bytes(4) + payload


def make_request(**fields: object) -> bytes:
    """Return the frame of a request at the tables."""
    return make_frame(TEXT, json.dumps({"id": 1, **fields}).encode())


@dataclass(frozen=True)
class Place:
    """Where a server listens.

    Attributes:
        web: The port of its pages.
        tcp: That of its lines.
    """

    web: int
    tcp: int

    def make_head(self, method: str, path: str, **headers: str) -> bytes:
        """Return the head of a request over HTTP."""
        lines = [f"{method} {path} HTTP/1.1", f"host: {HOST}:{self.web}"]
        return "\r\n".join(
            [*lines, *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        ).encode()

    @contextlib.contextmanager
    def connect(self, face: str) -> Iterator[socket.socket]:
        """Connect to a face."""
        with socket.create_connection((HOST, self.tcp if face == TCP else self.web), 60) as made:
            if face in (LINE, TABLES):
                own = {"sec-websocket-version": "13", "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA=="}
                made.sendall(self.make_head("GET", face, upgrade="websocket", connection="upgrade", **own))
                read_until(made, b"\r\n\r\n")
            yield made

    def flood(self, face: str, first: bytes, data: bytes, seconds: float) -> None:
        """Send the same again and again on a connection, and read what comes, until the time is over."""
        with contextlib.suppress(OSError), self.connect(face) as made:
            made.setblocking(False)
            ends_s, left = time.monotonic() + seconds, memoryview(first + data)
            while time.monotonic() < ends_s:
                with contextlib.suppress(BlockingIOError):
                    left = left[made.send(left) :] or memoryview(data)
                with contextlib.suppress(BlockingIOError):
                    if not made.recv(1 << 16):
                        return

    def flood_by_many(self, name: str, attackers: int, seconds: float) -> None:
        """Let attackers send a flood of `FLOODS`, each on a connection of its own."""
        face, make_data = FLOODS[name]
        first, data = make_data(self)
        threads = [
            threading.Thread(target=self.flood, args=(face, first, data, seconds)) for _ in range(attackers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def read_until(made: socket.socket, sign: bytes) -> bytes:
    """Return what comes up to a sign."""
    found = b""
    while sign not in found:
        part = made.recv(1 << 16)
        expect(part, f"the server hung up before {sign!r}")
        found += part
    return found


def _come_to_a_wide_double(place: Place) -> tuple[bytes, bytes]:
    """Return requests to come again and again to a table where thousands of plays are to be told."""
    people = [{"kind": "person", "name": name} for name in ("Ann", "Bob")]
    with place.connect(TABLES) as page:
        page.sendall(make_request(do="create", seats=people, position=WIDE_POSITION, dice="typed"))
        answer = read_until(page, b'"watch"')
        made = json.loads(answer[answer.index(b"{") :])
        join = {"do": "join", "table": made["table"], "token": made["tokens"]}
        roll = {"do": "act", "table": made["table"], "act": "dice", "dice": [1, 1]}
        page.sendall(make_request(**join) + make_request(**roll))
        read_until(page, b'"kind":"dice"')
        return b"", make_request(**join) * 20


def _send_pieces_of_a_body(place: Place) -> tuple[bytes, bytes]:
    head = {"content-type": "application/json", "transfer-encoding": "chunked"}
    return place.make_head("POST", "/api/v1/evaluate", **head), b"1\r\nx\r\n" * 40_000


def _send_empty_parts(_: Place) -> tuple[bytes, bytes]:
    return make_frame(TEXT, is_last=False), make_frame(0, is_last=False) * 1000


def _repeat(data: bytes) -> Callable[[Place], tuple[bytes, bytes]]:
    return lambda _: (b"", data)


def _ask(path: str, headers: int) -> Callable[[Place], tuple[bytes, bytes]]:
    return lambda place: (b"", place.make_head("GET", path, **{f"a{n}": "1" for n in range(headers)}) * 20)


FLOODS: dict[str, tuple[str, Callable[[Place], tuple[bytes, bytes]]]] = {
    "frames": (LINE, _repeat(make_frame(TEXT) * 20_000)),
    "table-frames": (TABLES, _repeat(make_frame(TEXT) * 20_000)),
    "pings": (LINE, _repeat(make_frame(PING) * 20_000)),
    "parts": (LINE, _send_empty_parts),
    "blank-frames": (LINE, _repeat(make_frame(TEXT, b"\n") * 20_000)),
    "blank-lines": (TCP, _repeat(b"\n" * 500_000)),
    "errors": (TCP, _repeat(b"x\n" * 100_000)),
    "pieces": (WEB, _send_pieces_of_a_body),
    "requests": (WEB, _ask("/healthz", 0)),
    "heads": (WEB, _ask("/", 1500)),
    "tokens": (TABLES, _repeat(make_request(do="look", table="x", token=["a"] * 3000) * 20)),
    "trees": (TABLES, _come_to_a_wide_double),
}
"""Floods by name: the face, and what is sent first and then again and again."""


def flood(name: str, trial: Trial) -> str:
    """Let clients all send one flood."""
    seconds = trial.dose(1, 8)
    with serve_pages(trial.home, "--tcp", "0") as server:
        place = Place(server.web_port, server.port)

        async def attack() -> str:
            await asyncio.to_thread(place.flood_by_many, name, _ATTACKERS, seconds)
            return f"{_ATTACKERS} attackers for {seconds} s"

        return attack_beside_polite(trial, server, attack)


def hold_half_messages(trial: Trial) -> str:
    """Hundreds of WebSockets hold half a message, as long as there may be: memory stays bounded."""
    count, size = trial.dose(60, 900), ClientLimits.line_bytes
    raise_own_limit(2 * count + 100)
    with serve_pages(trial.home, "--tcp", "0") as server:
        place = Place(server.web_port, server.port)
        run_clients(warm_up(server.port))
        peak = Peak(server)

        async def attack() -> str:
            return await asyncio.to_thread(hold)

        def hold() -> str:
            with contextlib.ExitStack() as stack:
                half = make_frame(TEXT, b"x" * (size - 1), size=size)
                for number in range(count):
                    made = stack.enter_context(place.connect(LINE))
                    made.setblocking(False)
                    left, ends_s = memoryview(half), time.monotonic() + 0.5
                    while left and time.monotonic() < ends_s:
                        with contextlib.suppress(BlockingIOError):
                            left = left[made.send(left) :]
                    peak.look()
                    trial.note(f"{number + 1} of {count}, {peak.mib:.0f} MiB more at the peak")
            expect(peak.mib <= _HALF_MIB, f"{count} half messages pin {peak.mib:.0f} MiB")
            return f"{count} half messages of {size >> 10} KiB, {peak.mib:.0f} MiB more at the peak"

        return attack_beside_polite(trial, server, attack)


def ask_behind_a_proxy(trial: Trial) -> str:
    """One visitor behind a proxy asks, searches and guesses passwords without end; others visit, log in."""
    seconds = trial.dose(4, 20)
    options = ("--web-proxy", HOST, "--accounts", "--archive", str(trial.home.folder / "games.sqlite"))
    with serve_pages(trial.home, *options) as server:

        def ask(visitor: str, method: str, path: str, document: object = None) -> int:
            connection = http.client.HTTPConnection(HOST, server.web_port, timeout=60)
            with contextlib.closing(connection):
                body = None if document is None else json.dumps(document)
                headers = {"x-forwarded-for": visitor, "content-type": "application/json"}
                connection.request(method, path, body, headers if body else {"x-forwarded-for": visitor})
                answer = connection.getresponse()
                answer.read()
                return answer.status

        login = {"name": "Ann", "password": "quite a long one"}
        rollout = {"position": WIDE_POSITION, "rollout": {"trials": 20_000, "what": "position"}}
        asked = [
            ("GET", "/healthz", None),
            ("POST", "/api/v1/login", {"name": "Bob", "password": "a wrong one"}),
            ("POST", "/api/v1/rollout", rollout),
            ("GET", "/page/js/main.js", None),
        ]
        expect(ask("192.0.2.1", "POST", "/api/v1/register", login) == 200, "nobody can register")
        ends_s = time.monotonic() + seconds
        statuses: list[int] = []

        def attack(number: int) -> None:
            while time.monotonic() < ends_s:
                with contextlib.suppress(OSError, http.client.HTTPException):  # the server ends amid rollouts
                    statuses.append(ask("203.0.113.9", *asked[number % len(asked)]))

        threads = [threading.Thread(target=attack, args=(number,)) for number in range(24)]
        for thread in threads:
            thread.start()
        waits_s, visits = [], 0
        while time.monotonic() < ends_s:
            visits += 1
            visitor = f"192.0.2.{visits % 200 + 2}"
            page = [("GET", "/", None), *[("GET", "/page/js/main.js", None)] * 44]
            for method, path, document in [*page, ("POST", "/api/v1/login", login)]:
                began_s = time.monotonic()
                status = ask(visitor, method, path, document)
                waits_s.append(time.monotonic() - began_s)
                expect(status == 200, f"a visitor got {status} for {path} beside another who asks for all")
    for thread in threads:
        thread.join()
    expect(max(waits_s) < trial.dose(30, _WAIT_S), f"a visitor waited {max(waits_s):.1f} s")
    refused = sum(status in (429, 503) for status in statuses)
    return (
        f"{len(statuses):,} requests of one visitor, {refused:,} refused; {visits} visits of others,"
        f" each request within {max(waits_s):.2f} s"
    )


ATTACKS: Sequence[Attack] = (
    *(
        Attack(f"flood-{name}", f"{_ATTACKERS} clients that send {name} without end", partial(flood, name))
        for name in FLOODS
    ),
    Attack(
        "half-messages", f"{WebLimits.clients - 124} WebSockets with half a message each", hold_half_messages
    ),
    Attack("behind-a-proxy", "one visitor behind a proxy who asks for all it can", ask_behind_a_proxy),
)
