"""Variants of backgammon in a session: other starts, and games with fewer checkers."""

from __future__ import annotations

import json
import random

import pytest

from gammond.engine.rules.rules import VARIANTS
from gammond.nets.catalogue import load_engine
from tests.protocol.talking import make_connection, talk

HYPERGAMMON_START = "AACgAgAAKgAAAA"
HYPERGAMMONS = ("hypergammon", "hypergammon2", "hypergammon1")


@pytest.fixture
def connection():
    return make_connection(load_engine("fast").evaluator)


def ask(connection, *lines):
    """Return the answer to the last of some lines."""
    answer = []
    for line in lines:
        answer = talk(line, connection)
    return answer


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_of_every_variant_are_played_to_their_end(connection, variant):
    chance = random.Random(variant)
    ask(connection, f"set game.variant {variant}", "set game.keep true", "newgame")
    last = ""
    for _ in range(600):
        ask(connection, "roll")
        plays = talk("legal", connection)[:-1]
        words = chance.choice(plays).partition(" play=")[2].partition(" gnubgid=")[0].strip('"')
        (last,) = talk(f"play {words}", connection)
        if " winner=" in last:
            break
    assert " winner=" in last
    recorded = [line for line in talk("save", connection) if line.startswith("mat ")]
    assert any("Game 1" in line for line in recorded)


def test_going_over_to_another_number_of_checkers_takes_the_position_away(connection):
    ask(connection, "newgame", "dice 3 1", "set game.variant nackgammon")
    assert talk("legal", connection)[-1].startswith("legal count=")
    ask(connection, "set game.variant hypergammon")
    assert talk("board", connection)[0].startswith("error bad_state position: no position")
    assert talk("newgame", connection)[0].startswith(f"ok newgame gnubgid={HYPERGAMMON_START} ")
    assert talk("board", connection)[-1] == "boardok"
    ask(connection, "undo", "undo")
    assert talk("get game.variant", connection) == ["value game.variant nackgammon"]
    assert talk("legal", connection)[-1].startswith("legal count=")


@pytest.mark.parametrize(
    "line",
    [
        f"gnubgid {HYPERGAMMON_START}",
        "xgid -aaa------------------AAA-:0:0:-1:00:0:0:0:0:10",
        "ogid 123:mno:N0N",
        "ogid 123:mno:N0N::B:C:0:0:0:0:3",
        "startpos",
    ],
)
def test_a_position_of_hypergammon_is_set_up_in_every_form(connection, line):
    ask(connection, "set game.variant hypergammon")
    assert f" gnubgid={HYPERGAMMON_START} " in talk(f"position {line}", connection)[0]
    drawn = "".join(talk("board", connection))
    assert "off" not in drawn
    assert drawn.count("69 pips") == 2


def test_borne_off_checkers_are_counted_from_the_number_of_the_variant(connection):
    ask(
        connection,
        "set game.variant hypergammon",
        "position xgid ---a------------------B---:0:0:1:21:0:0:0:0:10",
    )
    drawn = "".join(talk("board", connection))
    assert ", 1 off" in drawn
    assert ", 2 off" in drawn


def test_a_position_with_too_many_checkers_is_refused(connection):
    ask(connection, "set game.variant hypergammon2")
    (refusal,) = talk(f"position gnubgid {HYPERGAMMON_START}", connection)
    assert refusal.startswith(
        "error bad_value text: expected a position of hypergammon2, with 2 checkers a side"
    )


def query(connection, **fields):
    (line,) = talk(json.dumps({"id": 1, **fields}), connection)
    return json.loads(line)


def test_queries_are_about_the_variant_of_the_session_or_their_own(connection):
    roll = {"dice": [2, 1], "want": ["legal"], "position": "startpos"}
    ours = query(connection, **roll, variant="nackgammon")["results"][0]
    assert ours["position"] == "4Dl4ADbgOXgANg"
    ask(connection, "set game.variant nackgammon")
    assert query(connection, **roll)["results"][0] == ours
    theirs = query(connection, **roll, variant="backgammon")["results"][0]
    assert theirs["position"] == "4HPwATDgc/ABMA"


def test_a_session_goes_from_a_solved_variant_back_to_the_nets(connection):
    exact = talk("eval", connection) if ask(connection, "set game.variant hypergammon1", "newgame") else []
    assert exact[0].endswith(" net=hypergammon-1")
    assert talk("isready", connection)[-1] == "readyok"
    ask(connection, "set game.variant nackgammon", "newgame")
    assert not talk("eval", connection)[0].endswith(" net=hypergammon-1")
