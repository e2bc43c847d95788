"""Random bytes, cut lines, huge lines, half tags and wrong IDs through the sans-IO core."""

from __future__ import annotations

import json
import logging
import random
import re

import pytest

from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.position import Position
from gammond.protocol.commands.game import POSITION_FORMS
from gammond.protocol.commands.table import COMMANDS
from gammond.protocol.state.settings import SETTINGS
from gammond.tools.bench.load_client import is_final_line
from tests.protocol.talking import hear, make_connection, pump

INPUTS = 100_000
LINE_BYTES = 4096

_POSITIONS = [play.result for play in legal_plays(Position.start(), (6, 4))]
_IDS = [encode_position_id(p) for p in _POSITIONS] + [
    encode_xgid(p, MatchState(length=5)) for p in _POSITIONS
]
_WORDS = [
    *COMMANDS,
    *SETTINGS,
    "gnubgid",
    "xgid",
    "fibs",
    "name",
    "value",
    "role",
    "startpos",
    "plies=0",
    "@a",
    "3",
    "1",
]
_ALPHABET = [bytes([b]) for b in range(256) if b != 10]


def random_bytes(chance):
    return b"".join(chance.choices(_ALPHABET, k=chance.randrange(60)))


def random_words(chance):
    return " ".join(chance.choices(_WORDS, k=chance.randrange(1, 6))).encode()


def random_command(chance):
    command = chance.choice(list(COMMANDS.values()))
    return chance.choice([command.usage, *command.example]).encode()


def wrong_id(chance):
    text = list(chance.choice(_IDS))
    for _ in range(chance.randrange(4)):
        place = chance.randrange(len(text))
        text[place : place + chance.randrange(2)] = chance.choice("AZaz09+/=:-\u00e9")
    form = chance.choice([*POSITION_FORMS, ""])
    return f"position {form} {''.join(text)}".encode()


def half_tag(chance):
    tag = chance.choice(["@", "@@", "@a", "@\u00e9", "@" + "x" * chance.randrange(80), "@a\tb", " @b "])
    return tag.encode() + chance.choice([b"", b" ", b"eval", b" eval", b" stop", b" stop @a", b'{"id":1}'])


def huge_line(chance):
    return chance.choice([b"x", b"@a ", b"{", b"\xff", b"0 "]) * chance.randrange(LINE_BYTES // 4, LINE_BYTES)


def query(chance):
    document = {
        "id": chance.choice(["a", 1, None, "b", [1]]),
        "position": chance.choice(_IDS),
        "dice": [3, 1],
    }
    document["want"] = chance.choice([["eval"], ["moves"], ["eval", "moves"], "eval", []])
    document[chance.choice(["plies", "net", "priority", "positions", "foo", "action", "max_moves"])] = (
        chance.choice([0, 1, -1, "", "terminate", [], [chance.choice(_IDS)], None, 1e300, {}, True])
    )
    text = json.dumps(document).encode()
    return text[: chance.choice([len(text), chance.randrange(1, len(text))])]


def flipped(chance):
    line = bytearray(chance.choice([random_command, wrong_id, query])(chance) or b"x")
    line[chance.randrange(len(line))] ^= 1 << chance.randrange(8)
    return bytes(line)


def cut_line(chance):
    text = chance.choice([random_command, random_words, wrong_id])(chance)
    return text[: chance.randrange(len(text) + 1)]


KINDS = (random_bytes, random_words, random_command, wrong_id, half_tag, query, flipped, cut_line)
WEIGHTS = (20, 20, 15, 15, 10, 10, 10, 10)


def escape_unprintable(chance):
    kind = huge_line if chance.random() < 0.002 else chance.choices(KINDS, WEIGHTS)[0]
    line = kind(chance).replace(b"\n", b"")
    if b"quit" in line and chance.random() < 0.99:
        line = b"stats"
    return line + chance.choice([b"\n", b"\n", b"\r\n", b" \n"])


def pieces(data, chance):
    start = 0
    while start < len(data):
        size = chance.choice([1, 7, 100, 1000, 70_000])
        yield data[start : start + size]
        start += size


def expected_finals(lines):
    """Lines that are requests, up to and with the first ``quit``."""
    count = 0
    for line in lines:
        if not line.strip(b" \t\r\n"):
            continue
        count += 1
        words = re.sub(
            rb"^[ \t]*@[A-Za-z0-9_.:-]{1,64}(?=[ \t])", b"", line.removesuffix(b"\n").removesuffix(b"\r")
        )
        if words.strip(b" \t") == b"quit":
            break
    return count


@pytest.mark.parametrize(
    ("seed", "inputs"),
    [(0, INPUTS // 40), *(pytest.param(seed, INPUTS // 4, marks=pytest.mark.slow) for seed in (1, 2, 3, 4))],
)
def test_nothing_but_typed_errors_and_one_final_line_for_each_line(seed, inputs, caplog):
    chance = random.Random(seed)
    served = 0
    with caplog.at_level(logging.ERROR):
        while served < inputs:
            lines = [escape_unprintable(chance) for _ in range(chance.randrange(1, 400))]
            connection = make_connection(line_bytes=LINE_BYTES, queued_requests=chance.choice([3, 64, 1024]))
            out = []
            for piece in pieces(b"".join(lines), chance):
                hear(connection, piece)
                if chance.random() < 0.5:
                    out += pump(connection, stops_long=True)
            hear(connection, None)
            out += pump(connection, stops_long=True)
            finals = sum(map(is_final_line, out))
            assert finals == expected_finals(lines)
            assert connection.is_done
            assert not any("error internal" in line or '"code":"internal"' in line for line in out)
            assert caplog.records == []
            served += finals


def test_a_line_that_fails_never_changes_state():
    chance = random.Random(99)
    connection = make_connection(line_bytes=LINE_BYTES)
    session = connection.handler.session
    failures = 0
    for _ in range(2000):
        before = session.game, session.engine_settings, list(session._undo_stack)
        hear(connection, escape_unprintable(chance))
        answer = pump(connection, stops_long=True)
        if answer and re.match(r'(@\S+ )?(error |\{.*"error":)', answer[-1]):
            failures += 1
            assert (session.game, session.engine_settings, list(session._undo_stack)) == before
        if connection.is_done:
            connection = make_connection(line_bytes=LINE_BYTES)
            session = connection.handler.session
    assert failures > 400
