"""Damaged lines about Barca: each gets one final line, and no fault of the server."""

from __future__ import annotations

import json
import random

import pytest

from gammond.protocol.barca.commands import BARCA_COMMANDS, BARCA_SETTINGS
from gammond.protocol.barca.queries import QUERIES
from gammond.tools.bench.load_client import is_final_line
from tests.protocol.barca.test_commands import connect
from tests.protocol.talking import hear, pump

LINES = [
    *(line for row in BARCA_COMMANDS.values() for line in (row.usage, *row.example) if row.name != "quit"),
    *(f"set {name} {value}" for name in BARCA_SETTINGS for value in ("1", "hard", "random:seed=x", "-1")),
    "position 4ee4/4mml3/10/10/5l4/4M5/10/10/3L1ML3/4EE4 w moves e5-e8",
    "go depth 2 movetime 20 nodes 5",
]
VALUES = (None, True, -1, 3, 10**30, "", "startpos", "w", ["startpos"], [], {}, ["eval"], ["moves", "legal"])


def damage(line, chance):
    """Change a few characters or words of a line."""
    words = line.split(" ")
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(words))
        word = words[place]
        words[place] = chance.choice(
            (word[::-1], word[:1], word * 2, "é", "=", "a1", "99999999999999999999", word.upper())
        )
    return " ".join(words)


def is_whole(answers):
    return [is_final_line(line) for line in answers] == [False] * (len(answers) - 1) + [True]


@pytest.mark.parametrize("seed", range(3))
def test_damaged_lines_get_one_final_line_each(seed):
    chance, connection = random.Random(seed), connect("newgame")
    for _ in range(500):
        line = damage(chance.choice(LINES), chance)
        if not line.strip() or line.split()[0] in ("quit", "game.variant") or "game.variant" in line:
            continue
        hear(connection, line.encode() + b"\n")
        answers = pump(connection, stops_long=True)
        assert is_whole(answers), (line, answers)
        assert "error internal" not in answers[-1], (line, answers)


@pytest.mark.parametrize("seed", range(3))
def test_queries_with_any_values_get_one_final_object(seed):
    chance, connection = random.Random(seed), connect()
    for number in range(500):
        query = {"id": number, "variant": "barca", "position": "startpos"}
        for _ in range(chance.randint(1, 3)):
            query[chance.choice(QUERIES.names)] = chance.choice(VALUES)
        hear(connection, json.dumps(query).encode() + b"\n")
        answers = [json.loads(line) for line in pump(connection, stops_long=True)]
        assert [answer["final"] for answer in answers] == [True], (query, answers)
        assert answers[0].get("error", {}).get("code") != "internal", (query, answers)
