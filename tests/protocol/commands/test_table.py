from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from gammond.engine.analysis.levels import LEVELS
from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.runtime.machine import MAX_THREADS, count_usable_cores
from gammond.engine.search import FILTERS, MAX_PLIES
from gammond.nets.catalogue import SHIPPED
from gammond.nets.player_specs import OPTION_FIELDS
from gammond.protocol.commands.table import COMMANDS
from gammond.protocol.core.words import DATA_WORDS
from gammond.tools.bench.load_client import is_final_line
from tests.protocol.talking import make_connection, talk
from tests.support.evaluators import TornEvaluator


@pytest.mark.parametrize("command", COMMANDS.values(), ids=lambda command: command.name)
def test_each_example_ends_in_its_final_line_and_in_no_other(command):
    connection = make_connection()
    for line in command.example:
        answer = talk(line, connection)
        finals = [reply for reply in answer if is_final_line(reply)]
        assert finals == answer[-1:], line
        assert not answer[-1].startswith("error")
    assert command.example[-1].split()[0] == command.name
    first = re.split(r"[ \"|]", answer[-1])[0]
    assert first in command.final_line


def test_first_words_tell_a_final_line_from_those_before_it_in_every_row():
    assert {line.split()[0] for row in COMMANDS.values() for line in row.data_lines} == DATA_WORDS
    for change in ({"data_lines": ("legal N",)}, {"final_line": "legal count=N | row N"}):
        with pytest.raises(ValueError, match=r"^legal: "):
            replace(COMMANDS["legal"], **change)


@pytest.mark.parametrize(
    ("line", "start"),
    [
        ("nonsense", "error bad_command command:"),
        ("EVAL", "error bad_command command:"),
        ("eval now", "error bad_command arguments:"),
        ("eval plies=-1", "error bad_value plies:"),
        ("eval plies=5", "error bad_value plies:"),
        ("eval cubeful=1", "error bad_value cubeful:"),
        ("moves filter=fine", "error bad_value filter:"),
        ("moves plies=-1", "error bad_value plies:"),
        ("eval", "error bad_state position:"),
        ("moves", "error bad_state position:"),
        ("legal", "error bad_state position:"),
        ("roll", "error bad_state position:"),
        ("board", "error bad_state position:"),
        ("undo", "error bad_state request:"),
        ("play 8/5", "error bad_state position:"),
        ("play", "error bad_command play:"),
        ("position", "error bad_command form:"),
        ("position fen x", "error bad_value form:"),
        ("position gnubgid", "error bad_command text:"),
        ("position gnubgid ////////////// ", "error bad_value"),
        ("position startpos moves", "error bad_command text:"),
        ("position xgid zzz", "error bad_value"),
        ("position fibs a:b:c", "error bad_value"),
        ("dice", "error bad_command dice:"),
        ("dice 3 1", "error bad_state position:"),
        ("position xgid XGID=-b----E-C---eE---c-e----B-:13:0:1:31:0:0:0:0:10", "error bad_value text:"),
        ("position xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:31:5:0:0:5:10", "error bad_value text:"),
        ("dice 0 1", "error bad_value dice:"),
        ("dice 3 1 1", "error bad_value dice:"),
        ("dice \u0663 1", "error bad_value dice:"),
        ("go somewhere", "error bad_value what:"),
        ("go chequer fast", "error bad_command limits:"),
        ("go chequer plies 1 plies 2", "error bad_command limits:"),
        ("go chequer plies 1 depth 2", "error bad_command limits:"),
        ("go chequer plies 5", "error bad_value plies:"),
        ("go chequer depth 0", "error bad_value depth:"),
        ("go chequer movetime 0", "error bad_value movetime:"),
        ("go chequer movetime soon", "error bad_value movetime:"),
        ("go chequer filter fine", "error bad_value filter:"),
        ("go chequer nodes 7", "error bad_command limits:"),
        ("go take", "error bad_state position:"),
        ("go cube", "error bad_state position:"),
        ("set game.length", "error bad_command value:"),
        ("set game.length five", "error bad_value game.length:"),
        ("set game.length 1e3", "error bad_value game.length:"),
        ("set game.length 99999999999999999999999", "error bad_value game.length:"),
        ("set game.crawford true", "error bad_value game.crawford:"),
        ("set game.score_p0 -1", "error bad_value game.score_p0:"),
        ("set game.variant chouette", "error unsupported game.variant:"),
        ("set engine.net /etc/passwd", "error bad_value engine.net:"),
        ("set engine.ply 0", "error bad_value engine.ply:"),
        ("set engine.ply 6", "error bad_value engine.ply:"),
        ("set engine.level strong", "error bad_value engine.level:"),
        ("set engine.level custom", "error bad_value engine.level:"),
        ("set engine.filter fine", "error bad_value engine.filter:"),
        ("set engine.noise 1001", "error bad_value engine.noise:"),
        ("set engine.cubeful maybe", "error bad_value engine.cubeful:"),
        ("set engine.threads 0", "error bad_value engine.threads:"),
        ("set game.cube 3", "error bad_value game.cube:"),
        ("set game.cube 8192", "error bad_value game.cube:"),
        ("set game.score_p0 40000", "error bad_value game.score_p0:"),
        ("set engine.seed -1", "error bad_value engine.seed:"),
        ("get engine.nothing", "error unsupported key:"),
        ("stop tag", "error bad_value tag:"),
        ("stop @", "error bad_value tag:"),
        ("stop @bad*tag", "error bad_value tag:"),
        ("set engine.net foo", "error bad_value engine.net: expected one of default|racing, got"),
        ("position gnubgid 4HPwATDgc/ABMA:MAEAAAAAAAAX", "error bad_value text:"),
        ("help nothing", "error bad_command command:"),
    ],
)
def test_a_bad_line_names_the_field_and_changes_nothing(line, start):
    connection = make_connection()
    before = connection.handler.session.game, connection.handler.session.engine_settings
    (answer,) = talk(line, connection)
    assert answer.startswith(start)
    assert (connection.handler.session.game, connection.handler.session.engine_settings) == before


def test_error_codes_are_those_of_ubgi_where_it_has_one():
    lines = talk("position gnubgid 4HPwATDgc/ABMA\nmoves\ndice 3 1\nplay 24/10")
    assert lines[1].startswith("error bad_state dice:")
    assert lines[3].startswith("error bad_value ")


def test_a_whole_game_can_be_played_and_ends_with_its_result():
    connection = make_connection()
    talk("newgame", connection)
    for _ in range(500):
        talk("roll", connection)
        best = talk("go chequer", connection)[-1].removeprefix("bestmove ")
        (answer,) = talk(f"play {best}", connection)
        assert answer.startswith("ok play "), answer
        if "winner=" in answer:
            break
    assert re.search(r"winner=p[01] result=(single|gammon|backgammon) points=[123]$", answer)
    assert talk("roll", connection)[0].startswith("error bad_state position:")
    assert talk("undo\nlegal", connection)[-1].startswith("legal count=")


def test_the_dice_of_a_seed_are_always_the_same():
    def rolls(seed):
        connection = make_connection()
        talk(f"set engine.seed {seed}\nposition startpos", connection)
        return [talk("roll\nundo", connection)[0] for _ in range(20)]

    assert rolls(7) == rolls(7)
    assert rolls(7) != rolls(8)


def test_a_gammon_counts_once_under_jacoby_until_the_cube_is_turned():
    gammon = "position gnubgid {}\ndice 2 1\nplay 1/off"
    from tests.support.boards import position

    board = gammon.format(encode_position_id(position({1: 1}, {19: 15})))
    assert talk(board)[-1].endswith("result=gammon points=2")
    assert talk("set game.jacoby true\n" + board)[-1].endswith("result=gammon points=1")
    turned = "set game.jacoby true\nset game.cube 2\nset game.cube_owner p1\n"
    assert talk(turned + board)[-1].endswith("result=gammon points=4")


def test_bestmove_is_plain_even_when_it_hits_and_moves_several():
    lines = talk("position xgid -b----E-C---eE---c-e----B-:0:0:1:66:0:0:0:0:10\ngo")
    assert re.fullmatch(r"bestmove( (bar|\d+)/(off|\d+)){4}", lines[-1])


def test_go_plays_for_points_in_money_play_and_for_the_match_in_a_match():
    """The engine, the wire and gnubg's board choose by one rule."""
    money = talk("newgame\ndice 6 4\nmoves\ngo", make_connection(TornEvaluator()))
    match = talk("set game.length 1\nnewgame\ndice 6 4\ngo\ngo turn", make_connection(TornEvaluator()))
    plays = [line for line in money if line.startswith("move rank=")]
    chosen_for_money, chosen_for_match = money[-1].split()[1:], match[4].split()[1:]
    assert chosen_for_money != chosen_for_match
    assert match[-1] == f"bestturn cube=nodouble move={' '.join(chosen_for_match)}"
    assert "win=0.580000" in plays[0]


def test_go_cube_follows_the_score():
    sure = TornEvaluator()
    sure.evaluate = lambda boards: np.tile(np.array([0.75, 0.2, 0, 0.1, 0], np.float32), (len(boards), 1))
    for settings, word in (("", "double"), ("set game.length 1\n", "nodouble")):
        assert talk(f"{settings}newgame\ngo cube", make_connection(sure))[-1] == f"bestcube {word}"
    unowned = talk("set game.length 7\nset game.cube 2\nposition startpos\ngo cube", make_connection(sure))
    assert unowned[-1].startswith("error bad_value game.cube_owner: ")


@pytest.mark.parametrize(
    ("settings", "line", "start"),
    [
        ("game.length 5", "set game.score_p1 5", "error bad_value game.score_p1:"),
        ("game.length 5", "set game.crawford true", "error bad_value game.crawford:"),
        ("game.length 5", "set game.cube 6", "error bad_value game.cube:"),
        (
            "game.length 5\ngame.score_p0 4\ngame.crawford true",
            "set game.cube 2",
            "error bad_value game.cube:",
        ),
        ("game.length 5\ngame.cube 4", "eval", "error bad_value game.cube_owner:"),
        ("game.length 5\ngame.cube 4", "go cube", "error bad_value game.cube_owner:"),
        (
            "game.length 5\ngame.cube 4",
            '{"id":1,"position":"%s"}',
            '{"id":1,"final":true,"error":{"code":"bad_value"',
        ),
    ],
)
def test_a_match_that_cannot_be_is_refused_and_nothing_changes(settings, line, start):
    connection = make_connection()
    talk("newgame\n" + "".join(f"set {each}\n" for each in settings.splitlines()), connection)
    before = connection.handler.session.game, connection.handler.session.engine_settings
    if "%s" in line:
        game = before[0]
        line %= f"{encode_position_id(game.position)}:{encode_match_id(game.match)}"
    (answer,) = talk(line, connection)
    assert answer.startswith(start)
    assert (connection.handler.session.game, connection.handler.session.engine_settings) == before


def test_describe_tells_players_with_their_parameters():
    described = json.loads(talk("describe")[0])
    players = {player["name"]: player for player in described["players"]}
    assert list(players) == ["net", "human", *SHIPPED.list_kind_names()]
    assert players["pubeval"]["parameters"] == []
    (seed,) = players["random"]["parameters"]
    assert (seed["name"], seed["type"], seed["default"]) == ("seed", "int", "0")
    assert seed["values"] == "0..9223372036854775807"
    assert [each["name"] for each in described["evaluator_parameters"]] == [
        field.name for field in OPTION_FIELDS
    ]


def test_describe_tells_levels_filters_and_limits():
    (line,) = talk("describe")
    described = json.loads(line)
    assert [level["name"] for level in described["levels"]] == list(LEVELS)
    for reported, level in zip(described["levels"], LEVELS.values(), strict=True):
        settings = (reported["plies"], reported["filter"], reported["noise_points"])
        assert settings == (level.plies, level.filter_name, level.noise_points)
    assert described["max_plies"] == MAX_PLIES
    assert [each["name"] for each in described["filters"]] == list(FILTERS)
    tiny = described["filters"][0]["stages"]
    assert tiny[0] == {"always": 1, "extra": 3, "within": 0.06}
    assert len(tiny) == MAX_PLIES
    assert described["limits"]["movetime_ms"] == 86_400_000


def test_describe_tells_which_variants_no_engine_plays_here(monkeypatch, tmp_path):
    monkeypatch.setenv("GAMMOND_DATA", str(tmp_path))
    missing = json.loads(talk("describe")[0])["missing"]
    assert list(missing) == ["hypergammon"]
    assert missing["hypergammon"].startswith("the solution of hypergammon with 3 checkers a side is missing")
    assert str(tmp_path) not in missing["hypergammon"]


def test_levels_are_set_and_read_back():
    for level in LEVELS.values():
        connection = make_connection()
        set_at_once = talk(f"set engine.level {level.name}", connection)
        read = talk("get engine.ply\nget engine.filter\nget engine.noise", connection)
        assert set_at_once == [f"ok set engine.level={level.name}"]
        values = [line.split()[-1] for line in read]
        assert values == [str(level.plies + 1), level.filter_name, f"{1000 * level.noise_points:g}"]
        one_by_one = zip(("ply", "filter", "noise"), values, strict=True)
        lines = talk("".join(f"set engine.{key} {value}\n" for key, value in one_by_one) + "get engine.level")
        assert lines[-1] == f"value engine.level {level.name}"
    assert talk("set engine.filter huge\nget engine.level")[-1] == "value engine.level custom"


def test_threads_beyond_the_cores_are_as_many_as_there_are():
    cores = count_usable_cores()
    assert talk(f"set engine.threads {MAX_THREADS}") == [f"ok set engine.threads={min(cores, MAX_THREADS)}"]
    assert talk("set engine.threads 1") == ["ok set engine.threads=1"]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("dice", "expected 'dice A B', got nothing after 'dice'"),
        ("go role", "expected 'go role chequer|cube|turn|take', got nothing after 'role'"),
        ("newsession", "got nothing after 'newsession'"),
        ("newsession length 5", "expected 'type match length N' with N above 0, or 'type money'"),
        ("newsession type match type money", "duplicate argument 'type'"),
        ("rollout trucate=1", "unknown argument 'trucate' (did you mean 'truncate'?)"),
    ],
)
def test_a_line_that_lacks_something_says_what_was_expected(line, text):
    assert talk(f"newgame\n{line}")[-1].endswith(text)
