"""Good and bad lines of a client."""

from __future__ import annotations

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
