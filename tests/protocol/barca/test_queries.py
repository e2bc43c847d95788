from __future__ import annotations

import json

import pytest

from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.moves import format_move, parse_move
from gammond.engine.barca.player import make_player
from gammond.engine.barca.position import START_TEXT
from tests.protocol.barca.test_commands import BEFORE_THE_WIN
from tests.protocol.talking import hear, make_connection, pump, talk


def ask(connection=None, **query):
    """Send a query about Barca; return its answer."""
    text = json.dumps({"id": "q", "variant": "barca", **query})
    (line,) = talk(text, connection or make_connection())
    return json.loads(line)


def test_a_query_has_a_result_for_each_position():
    answer = ask(positions=["startpos", f"startpos moves {BEFORE_THE_WIN} f4-g4"], want=["eval", "legal"])
    assert {key: answer[key] for key in ("id", "final", "variant", "weights")} == {
        "id": "q",
        "final": True,
        "variant": "barca",
        "weights": "hand",
    }
    start, end = answer["results"]
    assert (start["position"], start["turn"]) == (START_TEXT, "white")
    assert (start["eval"]["score"], start["eval"]["depth"], len(start["legal"])) == (0, 0, 38)
    assert (end["winner"], end["result"], end["legal"]) == ("white", "holes", [])


def test_moves_are_ranked_as_by_the_command():
    (result,) = ask(position="startpos", want=["moves", "eval"], depth=2, max_moves=2)["results"]
    connection = make_connection()
    lines = talk("set game.variant barca\nnewgame\nmoves 2 depth=2", connection)
    ranked = [line for line in lines if line.startswith("move rank")]
    assert [f"play={move['play']} score={move['score']}" for move in result["moves"]] == [
        " ".join(line.split()[2:4]) for line in ranked
    ]
    assert result["eval"]["score"] == result["moves"][0]["score"]
    assert result["eval"]["depth"] == 2


def test_played_moves_count_for_repetition():
    moves = ["e2-e3", "e9-e8", "e3-e2", "e8-e9"] * 2
    (result,) = ask(position="startpos", played=moves, want=["moves"])["results"]
    assert (result["result"], result["moves"]) == ("repetition", [])


@pytest.mark.parametrize(
    "player", ["easy", "medium:seed=5", "search:depth=2,weights=learned", "random:seed=3"]
)
def test_a_named_player_chooses_the_move_that_it_chooses_in_a_game(player):
    (result,) = ask(position="startpos", played=["e2-e5"], want=["bestmove"], player=player)["results"]
    game = BarcaGame.start().play(parse_move("e2-e5"))
    assert result["bestmove"] == format_move(make_player(player).choose(game))


def test_without_a_player_the_move_is_that_of_the_session():
    connection = make_connection()
    lines = talk("set game.variant barca\nset engine.level easy\nset engine.seed 3\nnewgame\ngo", connection)
    for limits in ({}, {"time_ms": 500}):
        answer = ask(connection, position="startpos", want=["eval", "bestmove"], **limits)
        assert lines[-1] == f"bestmove {answer['results'][0]['bestmove']}"
    (result,) = ask(connection, position="startpos", want=["eval", "bestmove"])["results"]
    assert result["eval"]["depth"] == 0


def test_a_deep_player_answers_in_time():
    answer = ask(position="startpos", want=["bestmove"], player="search:depth=40", time_ms=100)
    assert answer["stopped"]
    assert answer["results"][0]["bestmove"]


def test_a_game_that_is_over_has_no_best_move():
    (result,) = ask(position=f"startpos moves {BEFORE_THE_WIN} f4-g4", want=["bestmove"])["results"]
    assert result["result"] == "holes"
    assert "bestmove" not in result


@pytest.mark.parametrize(
    ("query", "field", "message"),
    [
        ({"position": "x"}, "position", "expected ten ranks"),
        ({"positions": ["startpos", "x"]}, "positions[1]", "expected ten ranks"),
        ({"position": "startpos", "played": ["e2-e9"]}, "played", "move 1, 'e2-e9': "),
        ({"positions": ["startpos"], "played": ["e2-e5"]}, "played", "expected 'played' with 'position'"),
        ({"position": "startpos", "player": "strong"}, "player", "expected one of engine|human|easy|"),
        ({"position": "startpos", "player": "easy:depth=x"}, "player", "expected a whole number 0..48"),
        (
            {"position": "startpos", "want": ["bestmove"], "player": "human"},
            "player",
            "engine.player is human",
        ),
        ({"position": "startpos", "want": ["cube"]}, "want", "expected a list of one or more of eval, moves"),
        ({"position": "startpos", "weights": "heavy"}, "weights", "expected hand or learned, or 12"),
    ],
)
def test_a_faulty_query_is_refused_with_its_field(query, field, message):
    error = ask(**query)["error"]
    assert error["field"] == field
    assert error["message"].startswith(message)


def test_unknown_fields_are_warned_of():
    answer = ask(position="startpos", plies=2)
    assert answer["warnings"] == ["unknown field 'plies' in barca (did you mean 'depth'?)"]
    assert answer["results"]


def test_a_query_that_is_stopped_says_so():
    connection = make_connection()
    query = {"id": 1, "variant": "barca", "positions": ["startpos"] * 9, "want": ["moves"], "depth": 30}
    hear(connection, json.dumps(query).encode() + b"\n")
    answer = json.loads(pump(connection, stops_long=True)[-1])
    assert answer["stopped"]
    assert len(answer["results"]) < 9


def test_the_time_limit_ends_a_query():
    answer = ask(positions=["startpos"] * 50, want=["moves"], time_ms=60)
    assert answer["stopped"]
    assert len(answer["results"]) < 50


@pytest.mark.parametrize(
    ("fields", "is_quick"),
    [
        ({"positions": ["startpos"] * 64}, True),
        ({"positions": ["startpos"] * 200}, False),
        ({"position": "startpos moves" + " e2-e3" * 100}, True),
        ({"position": "startpos moves" + " e2-e3" * 200}, False),
        ({"position": "startpos", "played": ["e2-e3"] * 200}, False),
    ],
)
def test_only_what_is_soon_read_is_answered_without_a_thread(fields, is_quick):
    connection = make_connection()
    hear(connection, json.dumps({"id": 1, "variant": "barca", **fields}).encode() + b"\n")
    work = connection.next_job().work
    assert (work.is_quick, work.is_long) == (is_quick, not is_quick)


def test_positions_beyond_the_cap_are_refused():
    error = ask(make_connection(query_positions=2), positions=["startpos"] * 3)["error"]
    assert (error["code"], error["field"]) == ("limit", "positions")


def test_pieces_say_where_each_animal_is_and_which_are_scared_or_trapped():
    (start,) = ask(position="startpos", want=["pieces"])["results"]
    assert len(start["pieces"]) == 12
    known = {"at": "e1", "animal": "elephant", "seat": 0, "scared": False, "trapped": False, "feared": []}
    assert known in start["pieces"]
    scared = "4ee4/4mml3/10/10/5l4/4M5/10/10/3L1ML3/4EE4 w"
    (result,) = ask(position=scared, want=["pieces"])["results"]
    assert [each["at"] for each in result["pieces"] if each["scared"]] == ["e5"]
    assert not any(each["trapped"] for each in result["pieces"])
    assert {each["at"]: each["feared"] for each in result["pieces"]}["e5"] == ["f5", "g5", "e6", "e7"]
