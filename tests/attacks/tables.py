"""Tables: an archive flooded by one visitor, all tables taken, files that others of the machine read."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

from gammond.protocol.archive.archive import GameArchive
from gammond.protocol.archive.options import ArchiveOptions
from gammond.protocol.tables.all_tables import HubLimits
from tests.attacks.pages import ANSWER_S, TableVisitor, open_socket, read_page
from tests.attacks.server import HOST, Server, serve_pages
from tests.attacks.trial import Attack, Trial, expect
from tests.attacks.wire import run_clients
from tests.protocol.archive.kept_games import make_game

ANN, BOB, OPEN = {"kind": "person", "name": "Ann"}, {"kind": "person", "name": "Bob"}, {"kind": "open"}
ENGINE = {"kind": "engine"}
STRANGER = "127.0.0.2"
"""Another address of this machine, as that of another visitor."""

_MOST_MIB = 96
"""What a server with a flooded archive may take more than one with an empty one."""


class _Visitor(TableVisitor):
    """A visitor that may have to wait for room."""

    async def get_in_time(self, do: str, **fields: object) -> dict[str, Any]:
        """Send a request until it succeeds: where somebody left or an engine moved just now is no room."""
        end_s = time.monotonic() + HubLimits().fresh_s + ANSWER_S
        while not (answer := await self.ask(do, **fields))["ok"]:
            expect(time.monotonic() < end_s, f"{do} was answered {answer!r}")
            await asyncio.sleep(0.2)
        return answer


async def _visit(stack: AsyncExitStack, server: Server, address: str = HOST) -> _Visitor:
    return _Visitor(await open_socket(stack, server, "/ws/tables", address))


async def _lengthen_logs(visitor: _Visitor, end_s: float) -> None:
    """Do at tables what once made their logs longer without end, until a time."""
    while time.monotonic() < end_s:
        made = await visitor.ask("create", seats=[ANN, OPEN])
        alone = await visitor.ask("create", seats=[ANN, ENGINE], pace_ms=10_000)
        both = await visitor.ask("create", seats=[ANN, BOB])
        if not (made["ok"] and alone["ok"] and both["ok"]):
            await asyncio.sleep(0.1)
            continue
        await visitor.ask("join", table=alone["table"], token=alone["tokens"])
        await visitor.ask("join", table=both["table"], token=both["tokens"])
        await visitor.ask("act", table=both["table"], act="resign", points=1)
        for number in range(200):
            if time.monotonic() > end_s:
                return
            link = {"table": made["table"], "token": made["tokens"][1], "name": f"{number:040}"}
            await visitor.ask("join", **link)
            for act in ({"act": "pace", "ms": number}, {"act": "pause"}, {"act": "resume"}):
                await visitor.ask("act", table=alone["table"], **act)
            for act in ("undo", "redo"):
                await visitor.ask("act", table=both["table"], act=act)
        for table in (made, alone, both):
            await visitor.ask("leave", table=table["table"])


async def _finish_games(visitor: _Visitor, end_s: float) -> None:
    """Finish games by a name, as many as can be, until a time."""
    made = await visitor.get("create", seats=[{"kind": "person", "name": "Flood"}, BOB])
    await visitor.get("join", table=made["table"], token=made["tokens"])
    while time.monotonic() < end_s:
        for act in ({"act": "resign", "points": 1}, {"act": "accept"}, {"act": "next"}):
            if not (await visitor.ask("act", table=made["table"], **act))["ok"]:
                made = await visitor.get("create", seats=[{"kind": "person", "name": "Flood"}, BOB])
                await visitor.get("join", table=made["table"], token=made["tokens"])
                break


def _count_games(server: Server, player: str) -> int:
    """Return how many games of a player the server has."""
    count, before = 0, ""
    while True:
        page = json.loads(read_page(server, f"/api/v1/games?player={player}&limit=100{before}"))
        count += len(page["games"])
        if page["next"] is None:
            return count
        before = f"&before={page['next']}"


def full_archive(trial: Trial) -> str:
    """One visitor floods an archive with logs and games: those of others stay, and a start needs little."""
    file = trial.home.folder / "games.sqlite"
    options = f"file={file},megabytes={trial.dose(1, 6)}"
    games, visitors = trial.dose(900, 6000), trial.dose(40, 24)
    archive = GameArchive(ArchiveOptions.parse(options))
    for number in range(games):
        archive.keep_game(make_game(f"T{number}", text_format="text", text="e2-e5"))
        if number % 1000 == 0:
            archive.flush()
    archive.flush()
    archive.close()

    async def attack(server: Server) -> None:
        end_s = time.monotonic() + trial.dose(15, 60)
        async with AsyncExitStack() as stack:
            strangers = [await _visit(stack, server, STRANGER) for _ in range(visitors)]
            attacks = (_lengthen_logs, _finish_games)
            await asyncio.gather(*(attacks[n % 4 == 3](each, end_s) for n, each in enumerate(strangers)))

    with serve_pages(trial.home, "--archive", options) as server:
        alone_mib = server.sample().rss_mib
        run_clients(attack(server))
        left, flooded = _count_games(server, "Ann"), _count_games(server, "Flood")
    expect(
        left >= games, f"{games - left} of {games} games of others are gone, {flooded} of the flood are there"
    )
    size_mib = sum(each.stat().st_size for each in file.parent.glob("games.sqlite*")) / 2**20
    with serve_pages(trial.home, "--archive", options) as server:
        again_mib = server.sample().rss_mib
        expect(_count_games(server, "Ann") >= games, "games of others are gone after a restart")
    expect(again_mib - alone_mib < _MOST_MIB, f"{again_mib - alone_mib:.0f} MiB more at the next start")
    return (
        f"{flooded} games of {visitors} connections beside all {left} of others; files of {size_mib:.1f} "
        f"MiB, {again_mib - alone_mib:+.0f} MiB at the next start"
    )


def all_tables(trial: Trial) -> str:
    """One address takes all tables and leaves them: others make theirs, and keep those that they have."""
    most = HubLimits().tables
    tables = trial.dose(most + 50, 3 * most)

    async def take(visitor: _Visitor, count: int) -> None:
        for _ in range(count):
            made = await visitor.ask("create", seats=[ANN, ENGINE])
            if made["ok"]:
                await visitor.ask("join", table=made["table"], token=made["tokens"])
                await visitor.ask("leave", table=made["table"])

    async def attack(server: Server) -> float:
        async with AsyncExitStack() as stack:
            friends = await _visit(stack, server)
            theirs = await friends.get("create", seats=[ANN, BOB])
            await friends.get("join", table=theirs["table"], token=theirs["tokens"])
            await friends.get("leave", table=theirs["table"])
            began_s = time.perf_counter()
            greedy = [await _visit(stack, server, STRANGER) for _ in range(25)]
            await asyncio.gather(*(take(each, tables // 25) for each in greedy))
            took_s = time.perf_counter() - began_s
            other = await _visit(stack, server)
            for _ in range(20):
                made = await other.get_in_time("create", seats=[ANN, ENGINE])
                await other.get("join", table=made["table"], token=made["tokens"])
            await friends.get("join", table=theirs["table"], token=theirs["tokens"])  # it is there still
            return took_s

    with serve_pages(trial.home) as server:
        took_s = run_clients(attack(server))
        lines = read_page(server, "/metrics").decode().splitlines()
    left = next(int(line.split()[1]) for line in lines if line.startswith("gammond_tables "))
    expect(left <= most, f"{left} tables are left")
    return f"{tables} tables taken and left in {took_s:.0f} s, {left} there; then others made 20"


def private_files(trial: Trial) -> str:
    """Accounts and games in a folder that others can read, at the first start: they read no file."""
    folder = trial.home.folder / "data"
    folder.mkdir()
    folder.chmod(0o755)

    def let_others_read() -> None:
        os.umask(0o022)

    async def use(server: Server) -> None:
        async with AsyncExitStack() as stack:
            visitor = await _visit(stack, server)
            made = await visitor.get("create", seats=[ANN, BOB])
            await visitor.get("join", table=made["table"], token=made["tokens"])

    modes: dict[str, int] = {}
    for _ in range(2):
        options = ("--accounts", "--archive", str(folder / "games.sqlite"))
        with serve_pages(trial.home, *options, before_start=let_others_read) as server:
            run_clients(use(server))
            found = {each.name: each.stat() for each in folder.iterdir()}
            modes |= {name: stat.S_IMODE(each.st_mode) for name, each in found.items() if each.st_size}
    expect({"accounts.sqlite", "games.sqlite", "games.sqlite-wal"} <= modes.keys(), f"there are {modes}")
    seen = sorted(name for name, mode in modes.items() if mode & 0o077)
    expect(not seen, f"others read {', '.join(seen)}")
    return f"{len(modes)} files that nobody else reads"


ATTACKS: Sequence[Attack] = (
    Attack(
        "full-archive",
        "24 connections of one visitor flood an archive that has games of others",
        full_archive,
    ),
    Attack("all-tables", "one address takes all tables and leaves them", all_tables),
    Attack("private-files", "accounts and games in a folder that others can read", private_files),
)
