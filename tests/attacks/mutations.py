"""Mutated lines: valid ones of every command, of JSON queries and of gnubg's dialect, with faults put in."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence

from gammond.protocol.commands.table import COMMANDS
from gammond.protocol.state.settings import SETTINGS
from tests.attacks.positions import GNUBG_BOARD, OPENING

_XGID = "XGID=-b----E-C---eE---c-e----B-:1:-1:1:52:3:2:0:7:10"
_FIBS = (
    "board:You:Them:5:1:2:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:3:1:0:0:1:1:1:0:1:-1:0"
    ":25:0:0:0:0:2:0:0:0"
)
_NOISE = [bytes([value]) for value in range(256) if value not in b"\n\r\0"]
_SPECIAL = (
    b"\xff",
    b"\xc3",
    b"\xe2\x82\xac",
    b"\xf0\x9f\x8e\xb2",
    b"\t",
    b" ",
    b"@",
    b"{",
    b'"',
    b"\\",
    b"=",
    b"-",
    b"%s",
    b"\x1b[2J",
)
_NUMBERS = (b"0", b"-1", b"7", b"99999999999999999999", b"1e308", b"nan", b"0.5", b"32768", b"\xd9\xa3")


def list_lines() -> list[bytes]:
    """Return valid lines of every command and query; none ends the session, none takes hours."""
    lines = {line for command in COMMANDS.values() for line in (*command.example, command.usage)}
    lines |= {f"set {name} {field}" for name in SETTINGS for field in ("1", "true", "p0", "default")}
    lines |= {f"get {name}" for name in SETTINGS}
    lines |= {
        f"position xgid {_XGID}",
        f"position fibs {_FIBS}",
        f"position gnubgid {OPENING}:cIkFAAAAAAAE",
        "position startpos",
        "go movetime 20 plies 2 filter large",
        "go role cube movetime 10",
        "moves 3 plies=1 filter=tiny cubeful=false",
        "rollout moves trials=36 truncate=3 candidates=2 seed=4",
        "rollout cube trials=36 truncate=2",
        "rollout continue trials=40",
        "play 8/5 6/5",
        "play double",
        "play resign gammon",
        "help moves",
        "matrix away=3",
        "stop @a",
    }
    queries = [
        {"id": "q", "position": OPENING, "dice": [3, 1], "want": ["eval", "moves", "cube"], "max_moves": 2},
        {"id": 7, "positions": [OPENING, _XGID, _FIBS], "plies": 1, "filter": "tiny", "cubeful": True},
        {
            "id": "p",
            "positions": [OPENING] * 4,
            "progress_every": 1,
            "priority": -3,
            "time_ms": 50,
            "net": "default",
        },
        {"id": "q", "action": "terminate", "terminate_id": 7},
    ]
    lines |= {json.dumps(query) for query in queries}
    return sorted(line.encode() for line in lines if not line.startswith("quit"))


def list_gnubg_lines() -> list[bytes]:
    """Return valid lines of gnubg's dialect."""
    rolled, waiting = (GNUBG_BOARD.format(dice=dice) for dice in ("5:2:5:2", "0:0:0:0"))
    return [
        rolled.encode(),
        waiting.encode(),
        f"evaluation fibsboard {rolled} plies 0 cube on".encode(),
        f"evaluation fibsboard {waiting} plies 1 cubeless jacobyrule off beavers on".encode(),
        b"set debug off",
        b"help",
    ]


def mutate(line: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    """Return a line with up to four faults: flips, cuts, copies, splices, odd bytes, odd numbers."""
    data = bytearray(line)
    for _ in range(rng.choice((0, 0, 1, 1, 1, 2, 3, 4))):
        place = rng.randrange(len(data) + 1)
        kind = rng.randrange(9)
        if kind == 0 and data:
            data[place % len(data)] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[place : place + rng.randrange(1, 9)]
        elif kind == 2:
            data[place:place] = rng.choice(_NOISE)
        elif kind == 3:
            data[place:place] = rng.choice(_SPECIAL)
        elif kind == 4:
            other = rng.choice(others)
            data[place:] = other[rng.randrange(len(other) + 1) :]
        elif kind == 5:
            data[place:place] = data[place : place + rng.randrange(1, 30)] * rng.randrange(1, 4)
        elif kind == 6:
            del data[place:]
        elif kind == 7:
            _change_word(data, others, rng)
        else:
            _change_number(data, rng)
    return bytes(data).translate(None, b"\n\r\0")[:1500]


def _change_word(data: bytearray, others: Sequence[bytes], rng: random.Random) -> None:
    """Put a word of another line in place of one."""
    words = data.split(b" ")
    words[rng.randrange(len(words))] = bytearray(rng.choice(rng.choice(others).split(b" ")))
    data[:] = b" ".join(words)


def _change_number(data: bytearray, rng: random.Random) -> None:
    """Put an odd number in place of one."""
    numbers = list(re.finditer(rb"-?\d+", data))
    if numbers:
        start, end = rng.choice(numbers).span()
        data[start:end] = rng.choice(_NUMBERS)


_TAG = re.compile(rb"[ \t]*@[A-Za-z0-9_.:-]{1,64}[ \t]+")


def gets_an_answer(line: bytes) -> bool:
    """Whether a line of the protocol is a request: blank ones are skipped."""
    return bool(line.strip(b" \t"))


def ends_the_session(line: bytes) -> bool:
    """Whether a line of the protocol is ``quit``."""
    return _TAG.sub(b"", line, count=1).strip(b" \t").startswith(b"quit")


def breaks_one_answer(line: bytes) -> bool:
    """Whether gnubg's dialect answers a line with none or with several."""
    word = re.match(rb"[\s?]*([A-Za-z]*)", line.strip())
    return word is None or word[1].lower() in (b"exit", b"version") or not line.strip()
