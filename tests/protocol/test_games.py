"""The table of games: a third game plugs into it, and nothing else knows about it."""

from __future__ import annotations

import json

import pytest

from gammond.protocol.games import GAMES, list_variants
from tests.protocol import noughts
from tests.protocol.repl.tables import make_talk
from tests.protocol.talking import make_connection, talk


@pytest.fixture
def third_game(monkeypatch):
    """Put noughts and crosses into the table of games."""
    monkeypatch.setitem(GAMES, "noughts", noughts.ENTRY)


def test_each_game_of_the_table_has_its_parts():
    assert next(iter(GAMES)) == "backgammon"
    for name, entry in GAMES.items():
        game = entry.load_commands()
        assert game.name == entry.name == name
        assert game.settings["game.variant"].name == "game.variant"
        assert {"position", "want"} <= set(entry.load_queries().fields)
        assert callable(entry.load_talk())
    assert len(set(list_variants())) == len(list_variants())


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_the_rows_about_session_and_server(name):
    rows = GAMES[name].load_commands().commands
    assert set(rows) >= {"ubgi", "set", "get", "keys", "stop", "stats", "describe", "help", "quit"}
    assert all(key == row.name for key, row in rows.items())


@pytest.mark.usefixtures("third_game")
def test_a_third_game_is_played_through_on_the_wire():
    connection = make_connection()
    assert talk("set game.variant noughts", connection) == ["ok set game.variant=noughts"]
    assert talk("get game.variant", connection) == ["value game.variant noughts"]
    assert talk("newgame", connection) == ["ok newgame position=startpos"]
    for cells in ("1", "15", "152", "1529"):
        assert talk(f"play {cells[-1]}", connection) == [f"ok play play={cells[-1]} position={cells}"]
    assert talk("go", connection) == ["bestmove 3"]
    assert talk("play 1", connection) == ["error bad_value play: expected a free cell, got 1"]
    assert talk("play 3", connection) == ["ok play play=3 position=15293 winner=O"]
    assert talk("legal", connection)[0].startswith("error bad_state position: the game is over")
    assert talk("undo", connection) == ["ok undo position=1529"]
    assert talk("legal", connection)[-2:] == ["play number=5 play=8", "legal count=5"]
    assert talk("position 15 moves 2 9", connection) == ["ok position position=1529"]
    assert talk("position 15 moves 2 5", connection)[0].endswith("move 2, '5': expected a free cell, got 5")


@pytest.mark.usefixtures("third_game")
def test_help_keys_and_description_are_those_of_the_game():
    connection = make_connection()
    assert any("cube" in line for line in talk("help", connection))
    talk("set game.variant noughts", connection)
    assert "help newgame : set up the starting position" in talk("help", connection)
    assert not any("cube" in line for line in talk("help", connection))
    keys = [line.split()[1] for line in talk("keys", connection)[:-1]]
    assert keys == ["game.variant", "engine.format"]
    assert "noughts" in talk("keys", connection)[0]
    described = json.loads(talk("describe", connection)[0])
    assert described["game"] == "noughts"
    assert [row["name"] for row in described["commands"]] == list(noughts.GAME.commands)
    options = [line.split()[2] for line in talk("ubgi", connection) if line.startswith("option")]
    assert options == ["Variant", "Deterministic", "game.variant", "engine.format"]


@pytest.mark.usefixtures("third_game")
def test_what_only_another_game_has_is_refused_with_the_name_of_the_game():
    connection = make_connection()
    talk("set game.variant noughts", connection)
    (line,) = talk("cube", connection)
    assert line == (
        "error unsupported command: 'cube' is a command of backgammon, and this session plays noughts: "
        "'set game.variant backgammon' goes over to it"
    )
    assert talk("set game.cube 2", connection)[0].startswith("error unsupported key: 'game.cube' is a key of")
    assert talk("help cube", connection)[0].startswith("error unsupported command: 'cube' is a command of")
    assert talk("nonsense", connection)[0].startswith("error bad_command command: no command 'nonsense'")
    assert talk("get game.nonsense", connection) == [
        "error unsupported key: no key 'game.nonsense': 'keys' lists them"
    ]


@pytest.mark.usefixtures("third_game")
def test_each_game_keeps_its_table_while_another_is_played():
    connection = make_connection()
    for line in ("set game.variant nackgammon", "newgame", "dice 3 1", "set game.variant noughts", "newgame"):
        talk(line, connection)
    talk("play 5", connection)
    assert talk("set game.variant nackgammon", connection) == ["ok set game.variant=nackgammon"]
    assert talk("legal", connection)[-1].startswith("legal count=")
    talk("set game.variant noughts", connection)
    assert talk("legal", connection)[-1] == "legal count=8"
    talk("set game.variant backgammon", connection)
    assert talk("get game.variant", connection) == ["value game.variant backgammon"]


@pytest.mark.usefixtures("third_game")
def test_queries_name_their_game_or_are_about_that_of_the_session():
    connection = make_connection()

    def ask(**query):
        (line,) = talk(json.dumps({"id": "a", **query}), connection)
        return json.loads(line)

    assert ask(variant="noughts", position="14253")["results"] == [{"legal": []}]
    assert ask(variant="backgammon", position="4HPwATDgc/ABMA")["results"][0]["eval"]
    assert ask(variant="chess", position="x")["error"]["field"] == "variant"
    assert ask(variant="nackgammon", position="startpos")["results"][0]["position"] == "4Dl4ADbgOXgANg"
    assert ask(variant=3, position="x")["error"]["message"] == "expected a string for variant, got 3"
    talk("set game.variant noughts", connection)
    assert ask(position="12")["results"] == [{"legal": [3, 4, 5, 6, 7, 8, 9]}]
    assert ask(variant="backgammon", position="4HPwATDgc/ABMA")["results"][0]["eval"]
    assert ask(action="terminate", terminate_id="b")["stopped"] == 0


@pytest.mark.usefixtures("third_game")
def test_a_third_game_is_played_through_at_the_terminal():
    conversation = make_talk("set game.variant noughts")
    assert conversation.talk.toolbar(80) == " Noughts and crosses: 'new' starts a game"
    assert conversation.answer("new") == ["You play O, gammond X.", "...", "...", "..."]
    assert conversation.answer("5") == ["You play 5.", "gammond plays 1.", "X..", ".O.", "..."]
    assert conversation.talk.toolbar(80) == " O to move | you play O"
    assert [each.text for each in conversation.talk.suggest("")][:3] == ["2", "3", "4"]
    assert conversation.mark_input("2") == [("play", "2")]
    assert conversation.mark_input("5") == [("", "5")]
    assert conversation.answer("5") == ["error: expected a free cell, got 5"]
    assert conversation.answer("2")[:2] == ["You play 2.", "gammond plays 3."]
    assert conversation.answer("undo")[0] == "Undone: 2 3; O is to move."
    assert conversation.answer("redo")[0] == "Redone: 2 3; O is to move."
    assert conversation.answer("record")[-1] == "position startpos moves 5 1 2 3"
    assert conversation.answer("id") == ["5123"]
    assert conversation.answer("8")[:2] == ["You play 8.", "Won."]
    assert conversation.talk.toolbar(80) == " game over | you play O"
    assert any("Three in a row win." in line for line in conversation.answer("help"))


@pytest.mark.usefixtures("third_game")
def test_the_terminal_goes_back_to_the_game_that_was_left():
    conversation = make_talk("newgame", "dice 3 1", "set game.variant noughts", "new x")
    assert conversation.answer("roll")[0].startswith("error: 'roll' is a command of backgammon")
    back = conversation.answer("set game.variant backgammon")
    assert back[0] == "ok set game.variant=backgammon"
    assert len(back) > 10
    assert conversation.answer("8/5 6/5")[0] == "3-1: O plays 8/5 6/5."
    assert conversation.answer("set game.variant noughts")[-3:] == ["O..", "...", "..."]
