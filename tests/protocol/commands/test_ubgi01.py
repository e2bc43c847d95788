from __future__ import annotations

import pytest

from tests.protocol.talking import make_connection, talk


def test_the_duel_tool_of_ubgi_01_can_play():
    lines = talk(
        "ubgi\nsetoption name Variant value backgammon\nisready\nnewgame\nisready\n"
        "position gnubgid 4HPwATDgc/ABMA\ndice 6 1\ngo role chequer\nquit"
    )
    assert "ubgiok" in lines
    assert lines.count("readyok") == 2
    assert lines[-2].startswith("bestmove ")
    assert not any(line.startswith("error") for line in lines)


def test_forms_of_01_change_the_match_state():
    connection = make_connection()
    talk(
        "newsession type match length 7 jacoby off crawford on\n"
        "setscore 3 4\nsetcube value 2 owner p1\nsetturn p1",
        connection,
    )
    match = connection.handler.session.game.match
    assert (match.length, match.score, match.cube, match.cube_owner, match.on_roll) == (7, (3, 4), 2, 1, 1)
    talk("setcube value 1 owner center\nnewsession type money jacoby on", connection)
    match = connection.handler.session.game.match
    assert (match.length, match.cube_owner, match.jacoby) == (0, None, True)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("setoption", "unknown_command"),
        ("setoption name Seed value x", "bad_argument"),
        ("setoption name EvalMode value both", "bad_argument"),
        ("setoption name Deterministic value often", "bad_argument"),
        ("setoption name Hash value 2", "unsupported_feature"),
        ("newsession type match", "unknown_command"),
        ("newsession type money jacoby maybe", "bad_argument"),
        ("setcube value 3 owner p0", "bad_argument"),
        ("setcube value 2", "unknown_command"),
        ("go role chequer", "missing_context"),
        ("go role cube depth x", "bad_argument"),
    ],
)
def test_a_bad_line_gets_a_code_of_01_and_changes_nothing(line, code):
    connection = make_connection()
    before = connection.handler.session.game
    (answer,) = talk(line, connection)
    assert answer.split()[:2] == ["error", code]
    assert connection.handler.session.game == before


def test_ubgi_brings_the_codes_of_02_back():
    lines = talk("setturn p1\nnonsense\nubgi\nnonsense")
    assert lines[1].startswith("error unknown_command")
    assert lines[-1].startswith("error bad_command")


@pytest.mark.parametrize(
    ("option", "answer"),
    [
        ("EvalMode value cubeful", "engine.cubeful=true"),
        ("Deterministic value true", "Deterministic=true"),
        ("Variant value backgammon", "game.variant=backgammon"),
    ],
)
def test_the_options_that_01_recommends_are_taken(option, answer):
    assert talk(f"setoption name {option}") == [f"ok setoption {answer}"]


def test_each_setting_is_an_option_too():
    lines = talk("ubgi")
    options = [line for line in lines if line.startswith("option ")]
    assert len(options) == sum(line.startswith("key ") for line in lines) + 5 > 15
    assert options[2].startswith("option name Threads type spin default 1 min 1 max ")
    assert options[3:5] == [
        "option name EvalMode type combo default cubeful var cubeful var cubeless",
        "option name Deterministic type check default true",
    ]
    assert "option name game.cube_owner type combo default center var center var p0 var p1" in lines


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("newgame", "setcube value 1 owner p0"),
        ("newsession type match length 5", "setcube value 2 owner center"),
    ],
)
def test_a_cube_that_no_game_has_is_refused_at_once(before, line):
    connection = make_connection()
    talk(before, connection)
    game = connection.handler.session.game
    assert talk(line, connection)[0].startswith("error bad_argument terms: ")
    assert connection.handler.session.game is game
