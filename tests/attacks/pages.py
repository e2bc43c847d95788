"""Pages of browsers: five hundred WebSockets with games among them, and requests that never end."""

from __future__ import annotations

import asyncio
import json
import random
import time
import urllib.request
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from tests.attacks.beside import compute_ms
from tests.attacks.crowds import raise_own_limit
from tests.attacks.server import HOST, Server, serve_pages
from tests.attacks.trial import Attack, Trial, expect
from tests.attacks.wire import run_clients

_THOUGHT_S = (2.0, 4.0)
"""How long a person looks at the board before a play."""
_EVAL_EVERY_S = 5.0
ANSWER_S = 60.0
_HALF_REQUESTS = (
    b"",
    b"GET / HTTP/1.1\r\nhost: 127.0",
    b"POST /api/v1/evaluate HTTP/1.1\r\ncontent-type: application/json\r\nhost: 127.0.0.1",
)


class TableVisitor:
    """One visitor at tables, over one WebSocket.

    Args:
        page: The WebSocket.
    """

    def __init__(self, page: ClientConnection) -> None:
        self._page = page
        self._ids = 0

    async def ask(self, do: str, **fields: object) -> dict[str, Any]:
        """Send a request; return its answer. What it is told besides is not kept."""
        number = await self.send(do, **fields)
        while True:
            frame = await self.take()
            if "ok" in frame and frame["id"] == number:
                return frame

    async def get(self, do: str, **fields: object) -> dict[str, Any]:
        """Send a request that must succeed; return its answer."""
        answer = await self.ask(do, **fields)
        expect(answer["ok"], f"{do} was answered {answer!r}")
        return answer

    async def send(self, do: str, **fields: object) -> int:
        """Send a request; return its number."""
        self._ids += 1
        await self._page.send(json.dumps({"id": self._ids, "do": do, **fields}))
        return self._ids

    async def take(self) -> dict[str, Any]:
        """Return the next frame."""
        frame: dict[str, Any] = json.loads(await asyncio.wait_for(self._page.recv(), ANSWER_S))
        return frame


class _Person(TableVisitor):
    """Plays one game after the other against the engine at a table, as a page does.

    Attributes:
        move_s: From each play to the event that tells it, in seconds.
    """

    def __init__(self, page: ClientConnection, watcher: ClientConnection, seed: int) -> None:
        super().__init__(page)
        self.move_s: list[float] = []
        self._watcher = watcher
        self._rng = random.Random(seed)
        self._table = ""

    async def play(self) -> None:
        """Play until cancelled."""
        while True:
            await self._sit_down()
            state = await self._wait_for("state")
            while state["phase"] != "finished":
                state = await self._act(state)

    async def watch(self) -> None:
        """Read what the spectator is sent."""
        async for _ in self._watcher:
            pass

    async def _sit_down(self) -> None:
        seats = [{"kind": "person", "name": "Ann"}, {"kind": "engine", "player": "engine", "level": "expert"}]
        made = await self.get("create", length=1, seats=seats, pace_ms=0)
        self._table = made["table"]
        await TableVisitor(self._watcher).send("join", table=self._table, token=made["watch"])
        await self.send("join", table=self._table, token=made["tokens"])

    async def _act(self, state: dict) -> dict:
        """Do what a state asks for, or wait; return the next state."""
        if state["to_act"] != 0:
            return await self._wait_for("")
        if state["phase"] == "play":
            await asyncio.sleep(self._rng.uniform(*_THOUGHT_S))
            began_s = time.perf_counter()
            await self.send(
                "act", table=self._table, seat=0, act="play", play=self._choose_play(state["tree"])
            )
            state = await self._wait_for("play")
            self.move_s.append(time.perf_counter() - began_s)
            return state
        acts = {"roll": "roll", "response": "take", "resignation": "accept"}
        await self.send("act", table=self._table, seat=0, act=acts[state["phase"]])
        return await self._wait_for("")

    def _choose_play(self, tree: list[dict]) -> str:
        node = tree[0]
        while node["play"] is None:
            node = tree[self._rng.choice(node["moves"])[2]]
        return node["play"]

    async def _wait_for(self, kind: str) -> dict:
        """Return the state of the next event of a kind, of any kind if empty."""
        while True:
            frame = await self.take()
            expect(frame.get("ok", True), f"a table answered {frame!r}")
            if frame.get("table") == self._table and "state" in frame and kind in ("", frame["kind"]):
                return frame["state"]


async def _evaluate(page: ClientConnection, seconds: list[float], delay_s: float) -> None:
    """Evaluate a position now and then until cancelled."""
    await asyncio.sleep(delay_s)
    await page.send("newgame")
    await asyncio.wait_for(page.recv(), ANSWER_S)
    while True:
        began_s = time.perf_counter()
        await page.send("eval")
        answer = await asyncio.wait_for(page.recv(), ANSWER_S)
        expect(str(answer).startswith("eval "), f"a page got {answer!r}")
        seconds.append(time.perf_counter() - began_s)
        await asyncio.sleep(_EVAL_EVERY_S)


def pages(trial: Trial) -> str:
    """Five hundred WebSockets: games against the engine, a spectator at each, and pages that evaluate."""
    games, lines = trial.dose(5, 50), trial.dose(20, 400)
    raise_own_limit(2 * (2 * games + lines) + 100)
    with serve_pages(trial.home) as server:
        before = server.sample()

        async def attack() -> tuple[list[float], list[float], float, float]:
            async with AsyncExitStack() as stack:
                tables = [await open_socket(stack, server, "/ws/tables") for _ in range(2 * games)]
                sockets = [await open_socket(stack, server, "/ws/line") for _ in range(lines)]
                open_mib = server.sample().rss_mib
                people = [_Person(*tables[2 * n : 2 * n + 2], seed=n) for n in range(games)]
                evals: list[float] = []
                rng = random.Random(1)
                tasks = [
                    *(each.play() for each in people),
                    *(each.watch() for each in people),
                    *(_evaluate(each, evals, rng.uniform(0, _EVAL_EVERY_S)) for each in sockets),
                ]
                running = [asyncio.ensure_future(task) for task in tasks]
                await asyncio.wait(running, timeout=trial.dose(10, 60), return_when=asyncio.FIRST_EXCEPTION)
                playing_mib = server.sample().rss_mib
                for task in running:
                    if task.done():
                        task.result()
                    task.cancel()
                return [s for each in people for s in each.move_s], evals, open_mib, playing_mib

        moves, evals, open_mib, playing_mib = run_clients(attack())
    expect(len(moves) >= games, f"{games} games had {len(moves)} plays")
    return (
        f"{2 * games + lines} WebSockets, {games} games: {len(moves)} plays {_format_times(moves)}, "
        f"{len(evals):,} evaluations {_format_times(evals)}, RSS {before.rss_mib:.0f} MiB at the start, "
        f"{open_mib:.0f} open, {playing_mib:.0f} playing"
    )


def half_requests(trial: Trial) -> str:
    """Connections that never finish a request, as many as there is room for: pages are served meanwhile."""
    count = trial.dose(60, 200)
    with serve_pages(trial.home) as server:

        async def attack() -> tuple[list[float], int]:
            async with AsyncExitStack() as stack:
                page = await open_socket(stack, server, "/ws/line")
                halves = [await asyncio.open_connection(HOST, server.port) for _ in range(count)]
                for number, (_, writer) in enumerate(halves):
                    writer.write(_HALF_REQUESTS[number % len(_HALF_REQUESTS)])
                evals: list[float] = []
                polite = asyncio.ensure_future(_evaluate(page, evals, 0.0))
                _read_health(server)
                gone = await asyncio.gather(*(_wait_until_closed(reader) for reader, _ in halves))
                polite.cancel()
                for _, writer in halves:
                    writer.close()
                return evals, sum(gone)

        evals, gone = run_clients(attack())
        _read_health(server)
    expect(gone == count, f"{count - gone} of {count} half requests were not cut off")
    return f"{count} cut off, {len(evals)} evaluations meanwhile {_format_times(evals)}"


async def _wait_until_closed(reader: asyncio.StreamReader) -> bool:
    try:
        await asyncio.wait_for(reader.read(), 90)
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


async def open_socket(
    stack: AsyncExitStack, server: Server, path: str, address: str = HOST
) -> ClientConnection:
    """Open a WebSocket, from an address of this machine, that is dropped with the stack."""
    page = await connect(
        f"ws://{HOST}:{server.port}{path}",
        proxy=None,
        compression=None,
        close_timeout=0.1,
        local_addr=(address, 0),
    )
    stack.callback(page.transport.abort)
    return page


def read_page(server: Server, path: str) -> bytes:
    """Return what a server has at a path."""
    with urllib.request.urlopen(f"http://{HOST}:{server.port}{path}", timeout=ANSWER_S) as answer:
        return answer.read()


def _read_health(server: Server) -> None:
    expect(json.loads(read_page(server, "/healthz"))["ok"], "the server is not well")


def _format_times(seconds: Sequence[float]) -> str:
    return f"p50 {compute_ms(seconds, 50):.1f} ms, p99 {compute_ms(seconds, 99):.1f} ms"


ATTACKS: Sequence[Attack] = (
    Attack("pages", "500 WebSockets of browsers, 50 of them in games against the engine", pages),
    Attack("half-requests", "200 connections that never finish a request over HTTP", half_requests),
)
