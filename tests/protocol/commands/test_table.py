from __future__ import annotations

import json
import re
from dataclasses import replace
from math import isfinite

import pytest

from gammond.engine.analysis.levels import LEVELS
from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.runtime.machine import MAX_THREADS, count_usable_cores
from gammond.protocol.commands.table import COMMANDS
from gammond.protocol.core.words import DATA_WORDS
from gammond.protocol.games import GAMES
from gammond.tools.bench.load_client import is_final_line
from tests.protocol.talking import make_connection, talk
from tests.support.boards import position
from tests.support.evaluators import FixedEvaluator, TornEvaluator


def list_rows(choose):
    """List what tests take of each command of each game, with an id."""
    return [
        pytest.param(entry.name, row, *values, id=f"{entry.name} {row.name} {name}".strip())
        for entry in GAMES.values()
        for row in entry.load_commands().commands.values()
        for name, *values in choose(row)
    ]


def make_player(game):
    """Make a connection that plays a game."""
    connection = make_connection()
    assert talk(f"set game.variant {game}", connection) == [f"ok set game.variant={game}"]
    return connection


def list_wrong_texts(field):
    """List texts that a field cannot be; none for a field that takes any text."""
    if field.type in (int, float):
        ends = (field.bounds.low - 1, field.bounds.high + 1)
        return [f"{end:g}" if field.type is float else str(end) for end in ends if isfinite(end)] + ["nan"]
    return ["no-such-word"] if field.type is bool or (field.choices and not field.form) else []


@pytest.mark.parametrize(("game", "command"), list_rows(lambda row: [("",)]))
def test_each_example_ends_in_its_final_line_and_in_no_other(game, command):
    connection = make_player(game)
    for line in command.example:
        answer = talk(line, connection)
        finals = [reply for reply in answer if is_final_line(reply)]
        assert finals == answer[-1:], line
        assert not answer[-1].startswith("error")
    assert command.example[-1].split()[0] == command.name
    first = re.split(r"[ \"|]", answer[-1])[0]
    assert first in command.final_line


@pytest.mark.parametrize(
    ("game", "command", "place", "argument"),
    list_rows(lambda row: [(each.name, place, each) for place, each in enumerate(row.arguments)]),
)
def test_an_argument_that_is_out_of_range_is_named_and_changes_nothing(game, command, place, argument):
    connection = make_player(game)
    for line in command.example[:-1]:
        talk(line, connection)
    session = connection.handler.session
    before = session.game, session.engine_settings
    words = [] if argument.is_named else command.example[-1].split()[1 : place + 1]
    for text in list_wrong_texts(argument.field):
        given = f"{argument.name}={text}" if argument.is_named else text
        (answer,) = talk(" ".join([command.name, *words, given]), connection)
        assert re.match(rf"error bad_(value|argument) {argument.name}: expected ", answer)
    assert (session.game, session.engine_settings) == before


@pytest.mark.parametrize(
    ("game", "setting"),
    [
        pytest.param(name, setting, id=f"{name} {setting.name}")
        for name, entry in GAMES.items()
        for setting in entry.load_commands().settings.values()
    ],
)
def test_a_setting_that_is_out_of_range_is_named_and_stays_as_it_was(game, setting):
    connection = make_player(game)
    before = talk(f"get {setting.name}", connection)
    texts = list_wrong_texts(setting.field) if setting.list_values is None else ["no-such-word"]
    for text in texts:
        (answer,) = talk(f"set {setting.name} {text}", connection)
        assert re.match(rf"error (bad_value|unsupported) {setting.name}: expected ", answer)
    assert talk(f"get {setting.name}", connection) == before


@pytest.mark.parametrize(
    ("game", "command"), list_rows(lambda row: [("",)] if "newgame" in row.example[:-1] else [])
)
def test_without_a_game_a_command_about_one_is_refused(game, command):
    (answer,) = talk(command.example[-1], make_player(game))
    assert answer.startswith("error bad_state ")


def test_first_words_tell_a_final_line_from_those_before_it_in_every_row():
    assert {line.split()[0] for row in COMMANDS.values() for line in row.data_lines} == DATA_WORDS
    for change in ({"data_lines": ("legal N",)}, {"final_line": "legal count=N | row N"}):
        with pytest.raises(ValueError, match=r"^legal: "):
            replace(COMMANDS["legal"], **change)


@pytest.mark.parametrize(
    ("line", "start"),
    [
        ("eval now", "error bad_command arguments:"),
        ("play", "error bad_command play:"),
        ("position", "error bad_command form:"),
        ("position fen x", "error bad_value form:"),
        ("position gnubgid", "error bad_command text:"),
        ("position gnubgid ////////////// ", "error bad_value"),
        ("position startpos moves", "error bad_command text:"),
        ("position fibs a:b:c", "error bad_value"),
        ("dice", "error bad_command dice:"),
        ("position xgid XGID=-b----E-C---eE---c-e----B-:13:0:1:31:0:0:0:0:10", "error bad_value text:"),
        ("position xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:31:5:0:0:5:10", "error bad_value text:"),
        ("dice 0 1", "error bad_value dice:"),
        ("dice \u0663 1", "error bad_value dice:"),
        ("go chequer fast", "error bad_command limits:"),
        ("go chequer plies 1 plies 2", "error bad_command limits:"),
        ("go chequer plies 1 depth 2", "error bad_command limits:"),
        ("go chequer depth 0", "error bad_value depth:"),
        ("go chequer movetime 0", "error bad_value movetime:"),
        ("go chequer movetime soon", "error bad_value movetime:"),
        ("go chequer filter fine", "error bad_value filter:"),
        ("go chequer nodes 7", "error bad_command limits:"),
        ("set game.length", "error bad_command value:"),
        ("set game.crawford true", "error bad_value game.crawford:"),
        ("set engine.net /etc/passwd", "error bad_value engine.net:"),
        ("set engine.level custom", "error bad_value engine.level:"),
        ("set engine.ply 6", "error bad_value engine.ply:"),
        ("set engine.noise 1001", "error bad_value engine.noise:"),
        ("set game.score_p0 40000", "error bad_value game.score_p0:"),
        ("set game.cube 8192", "error bad_value game.cube:"),
        ("get engine.nothing", "error unsupported key:"),
        ("stop @bad*tag", "error bad_value tag:"),
        ("set engine.net foo", "error bad_value engine.net: expected one of default|racing, got"),
        ("position gnubgid 4HPwATDgc/ABMA:MAEAAAAAAAAX", "error bad_value text:"),
        ("help Go", "error bad_command command: no command 'Go' (did you mean 'go'?)"),
    ],
)
def test_a_bad_line_names_the_field_and_changes_nothing(line, start):
    connection = make_connection()
    before = connection.handler.session.game, connection.handler.session.engine_settings
    (answer,) = talk(line, connection)
    assert answer.startswith(start)
    assert (connection.handler.session.game, connection.handler.session.engine_settings) == before


def test_the_dice_of_a_seed_are_always_the_same():
    def rolls(seed):
        connection = make_connection()
        talk(f"set engine.seed {seed}\nposition startpos", connection)
        return [talk("roll\nundo", connection)[0] for _ in range(20)]

    assert rolls(7) == rolls(7)
    assert rolls(7) != rolls(8)


def test_a_gammon_counts_once_under_jacoby_until_the_cube_is_turned():
    gammon = "position gnubgid {}\ndice 2 1\nplay 1/off"
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
    sure = FixedEvaluator(0.75, 0.2, 0, 0.1, 0)
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


def test_describe_tells_what_players_take_and_how_far_levels_and_filters_go():
    described = json.loads(talk("describe")[0])
    players = {player["name"]: player["parameters"] for player in described["players"]}
    (seed,) = players["random"]
    assert seed.items() >= {"name": "seed", "type": "int", "default": "0"}.items()
    assert seed["values"] == "0..9223372036854775807"
    assert described["levels"][0].items() >= {"name": "beginner", "plies": 0, "filter": "normal"}.items()
    assert described["levels"][0]["noise_points"] == LEVELS["beginner"].noise_points > 0
    assert described["filters"][0]["stages"][0] == {"always": 1, "extra": 3, "within": 0.06}
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
