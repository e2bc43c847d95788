"""Positions for attacks, from games that a server plays against itself, and some that are chosen."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from tests.attacks.wire import Client

OPENING = "4HPwATDgc/ABMA"

WIDE_POSITION, WIDE_DICE = "AAAA/39SSlKlJA", "dice 1 1"
"""Fifteen checkers with room before each: 2,211 plays."""

GNUBG_BOARD = (
    "board:gnubg:root:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:1:-5:4:0:0:0:-3:0:-5:0:0:0:1:1:0"
    ":-1:{dice}:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1"
)
"""A line that gnubg sends to a player, for the dice of both: ``3:1:3:1``, or ``0:0:0:0`` before the roll."""

_GAME_PLAYS = 80


async def collect_positions(port: int, count: int, rng: random.Random) -> Sequence[str]:
    """Return position IDs from games between two players who play any legal play."""
    client = await Client.open(port)
    found: list[str] = []
    await client.ask(f"set engine.seed {rng.randrange(1 << 30)}", "newgame")
    while len(found) < count:
        answer = await client.ask("newgame")
        for _ in range(_GAME_PLAYS):
            if (match := re.search(r"gnubgid=(\S+)", answer)) is None or "winner=" in answer:
                break
            found.append(match[1])
            client.send("roll", "legal")
            answer = await _play_any(client, rng)
    client.close()
    rng.shuffle(found)
    return found[:count]


async def _play_any(client: Client, rng: random.Random) -> str:
    """Read the answers to ``roll`` and ``legal``, and play one of the plays listed."""
    plays: list[str] = []
    while not (line := await client.read_line()).startswith(("legal ", "error ")):
        if found := re.search(r' play=(?:"([^"]+)"|(\S+))', line):
            plays.append(found[1] or found[2])
    return await client.ask(f"play {rng.choice(plays)}") if plays else line


def draw_roll(rng: random.Random) -> str:
    """Return two dice as `dice` takes them."""
    return f"{rng.randint(1, 6)} {rng.randint(1, 6)}"
