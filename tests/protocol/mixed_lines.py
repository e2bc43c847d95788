"""Scripts of good and bad lines for many clients."""

from __future__ import annotations

import random

GOOD_LINES = (
    "position gnubgid 4HPwATDgc/ABMA",
    "position xgid -b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
    "dice 3 1",
    "eval",
    "legal",
    "moves 3",
    "rank 8/5 6/5",
    "go chequer",
    "go cube",
    "set engine.format json",
    "set engine.format text",
    "set engine.xgid true",
    "set game.keep true",
    "save",
    "play resign single",
    "play accept",
    "newgame",
    "roll",
    "isready",
    "get engine.ply",
    "@t1 eval",
    '{"id":"p","position":"4HPwATDgc/ABMA","dice":[3,1],"want":["legal","resign"]}',
    '{"id":"q","position":"4HPwATDgc/ABMA","dice":[3,1],"want":["eval","moves"],"max_moves":2}',
)
BAD_LINES = (
    "nonsense",
    "dice 9 9",
    "position gnubgid AAAA",
    "eval plies=x",
    "go home",
    "set engine.ply -1",
    "@ eval",
    "\x01\x02",
    '{"id":',
    '{"id":"r","position":"zzz"}',
)
_OPENING = ("newgame", "dice 3 1")


def draw_scripts(clients: int, lines: int, seed: int = 1) -> list[list[str]]:
    """Draw lines for clients; after the first two about one in three is bad."""
    return [_draw_script(random.Random(seed * 1_000_003 + number), lines) for number in range(clients)]


def _draw_script(rng: random.Random, count: int) -> list[str]:
    drawn = (rng.choice(BAD_LINES if rng.random() < 1 / 3 else GOOD_LINES) for _ in range(count))
    return [*_OPENING, *drawn][:count]
