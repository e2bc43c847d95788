"""Cube actions and resignations at the table."""

from __future__ import annotations

import re

import pytest

from gammond.engine.formats.fibs_board import encode_fibs_board
from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.xgid import decode_xgid
from gammond.engine.rules.match import MatchState
from tests.protocol.talking import make_connection, talk


def played(*lines, before="newgame"):
    """Play lines one after the other; return the session and the last answer."""
    connection = make_connection()
    for line in (*before.split("\n"), *(f"play {action}" for action in lines)):
        (answer,) = talk(line, connection)
    return connection, answer


@pytest.mark.parametrize("form", ["ogid", "gnubgid"])
def test_a_position_that_programs_write_in_two_ways_comes_with_what_was_assumed(form):
    (answer,) = talk(f"position {form} OGID=11ccccchhhjjjjj:66666888dddddoo:N0N:31:W:R:2:1:5:0")
    assert 'assumed="the colour W of this OGID is read as that of the player who reached' in answer
    (answer,) = talk(f"position {form} OGID=11ccccchhhjjjjj:66666888dddddoo:N0N")
    assert "assumed" not in answer


@pytest.mark.parametrize(
    "text",
    [
        'xgid "{xgid}".',
        "gnubgid XGID%3D{encoded}",
        "xgid {encoded}",
        "gnubgid see https://example.org/#/analyse/{xgid}",
        'fibs "{fibs}"',
    ],
)
def test_what_stands_around_a_position_is_passed_over(text):
    xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"
    fibs = encode_fibs_board(*decode_xgid(xgid))
    (answer,) = talk("position " + text.format(xgid=xgid, encoded=xgid[5:].replace(":", "%3A"), fibs=fibs))
    assert answer.startswith("ok position gnubgid=4HPwATDgc/ABMA")


def test_a_beaver_that_waits_is_set_up_and_told_by_its_xgid():
    connection = make_connection()
    talk("set engine.xgid true", connection)
    xgid = "-b----E-C---eE---c-e----B-:0:0:1:B:0:0:2:0:10"
    (answer,) = talk(f"position xgid {xgid}", connection)
    assert f"xgid={xgid}" in answer
    (answer,) = talk("play take", connection)
    assert "xgid=-b----E-C---eE---c-e----B-:2:-1:1:00:0:0:2:0:10" in answer


@pytest.mark.parametrize(
    ("actions", "result"),
    [
        (("double", "drop"), "winner=p0 result=single points=1"),
        (("double", "beaver", "drop"), "winner=p1 result=single points=2"),
        (("resign gammon", "accept"), "winner=p1 result=gammon points=2"),
        (("double", "take", "resign backgammon", "accept"), "winner=p1 result=backgammon points=6"),
        (("double", "beaver", "take", "resign single", "accept"), "winner=p1 result=single points=4"),
        (("double", "resign single", "accept"), "winner=p0 result=single points=1"),
    ],
)
def test_a_conceded_game_ends_with_its_result_and_undo_takes_it_back(actions, result):
    connection, answer = played(*actions)
    assert answer.endswith(result)
    for line in ("roll", "dice 3 1", "play double", "cube", "rollout", "eval"):
        assert talk(line, connection)[0].startswith("error bad_state position: the game is over"), line
    assert talk("undo", connection)[0].startswith("ok undo")
    (again,) = talk(f"play {actions[-1]}", connection)
    assert again == answer
    talk("newgame", connection)
    assert talk("roll", connection)[0].startswith("roll ")


def test_a_rejected_resignation_leaves_the_game_as_it_was():
    connection, answer = played("resign gammon", "reject")
    assert answer.startswith("ok play play=reject ")
    assert connection.handler.session.game.match == MatchState()


def test_blanks_between_the_words_do_not_matter():
    _, answer = played("resign   gammon")
    assert answer.startswith('ok play play="resign gammon" ')


@pytest.mark.parametrize(
    ("before", "line", "start"),
    [
        ("position startpos", "play drop", "error bad_state doubled: no double to drop"),
        ("position startpos", "play accept", "error bad_state resigned:"),
        ("position startpos", "play resign", "error bad_command play:"),
        ("position startpos", "play resign triple", "error bad_command play:"),
        ("position startpos", "play doubles", "error bad_state dice:"),
        ("newgame\nplay double", "play double", "error bad_state doubled:"),
        ("newgame\nplay double", "play 8/5 6/5", "error bad_state doubled: a double is pending: "),
        ("newgame\ndice 3 1\nplay resign single", "play 8/5 6/5", "error bad_state resigned:"),
        ("newgame\nplay resign single", "play resign single", "error bad_state resigned:"),
        ("set game.length 3\nnewgame\nplay double", "play beaver", "error bad_state beavers:"),
        ("set game.beavers false\nnewgame\nplay double", "play beaver", "error bad_state beavers:"),
        (
            "set game.length 3\nset game.score_p0 2\nset game.crawford true\nnewgame",
            "play double",
            "error bad_state crawford: no doubling in the Crawford game",
        ),
        ("set game.length 3", "play double", "error bad_state position:"),
    ],
)
def test_an_action_that_the_rules_forbid_names_why_and_changes_nothing(before, line, start):
    connection = make_connection()
    talk(before, connection)
    game = connection.handler.session.game
    (answer,) = talk(line, connection)
    assert answer.startswith(start)
    assert connection.handler.session.game is game


def test_a_setting_that_takes_the_dice_away_ends_a_beaver_that_waits():
    connection, _ = played("double", "beaver")
    assert talk("set game.turn p1", connection) == ["ok set game.turn=p1"]
    assert connection.handler.session.game.match == MatchState(cube=2, cube_owner=1, on_roll=1)


@pytest.mark.parametrize("offer", ["play double", "play resign gammon"])
@pytest.mark.parametrize(
    "setting",
    [
        "game.length 5",
        "game.score_p0 3",
        "game.cube 2",
        "game.cube_owner p1",
        "game.jacoby true",
        "game.beavers false",
    ],
)
def test_a_setting_of_the_game_takes_a_waiting_offer_away(offer, setting):
    connection = make_connection()
    assert talk(f"newgame\n{offer}\nset {setting}", connection)[-1].startswith("ok set ")
    assert connection.handler.session.game.match.to_act == 0
    assert talk("roll", connection)[0].startswith("roll ")


@pytest.mark.parametrize("line", ["legal", "moves", "rollout moves", "go", "play 8/5 6/5"])
def test_before_the_dice_an_offer_that_waits_is_named_with_its_answers(line):
    for offer, answers in (("double", ("take", "drop")), ("resign single", ("accept", "reject"))):
        lines = talk(f"newgame\nplay {offer}\n{line}")
        assert " is pending: " in lines[-1]
        assert line == "go" or all(f"'play {answer}'" in lines[-1] for answer in answers)


@pytest.mark.parametrize(
    "line", ["eval", "moves", "cube", "take", "resign", "go", "go cube", "rollout trials=2"]
)
def test_a_cube_at_one_with_an_owner_loads_and_is_not_evaluated(line):
    connection = make_connection()
    held = encode_match_id(MatchState(cube_owner=0, roll=(3, 1)))
    assert talk(f"position gnubgid 4HPwATDgc/ABMA:{held}", connection)[0].startswith("ok ")
    refused = "error bad_value game.cube_owner: a cube at 1 has no owner: expected center, got p0"
    assert talk(line, connection) == [refused]
    talk("set game.cube_owner center", connection)
    assert not talk(line, connection)[-1].startswith("error bad_value")


def test_a_position_of_another_game_begins_after_a_conceded_one():
    connection, _ = played("double", "drop")
    talk("position gnubgid 4HPwATDgc/ABMA", connection)
    assert re.match("roll die1=", talk("roll", connection)[0])


def test_an_offer_that_waits_is_refused_in_the_same_words_by_every_line():
    double = (
        "error bad_state doubled: a double is pending: 'play take', 'play drop' or 'play beaver' answers it"
    )
    assert talk("newgame\nplay double\nplay double\nroll\ndice 3 1")[-3:] == [double] * 3
    resigned = "error bad_state resigned: a resignation is pending: 'play accept' or 'play reject' answers it"
    lines = "newgame\ndice 3 1\nplay resign single\nplay resign gammon\nplay 8/5 6/5\nplay take"
    assert talk(lines)[-3:] == [resigned] * 3


@pytest.mark.parametrize("text", ["4HPwATDgc/ABMA", "4HPwATDgc/ABMA:cIkFAAAAAAAE"])
def test_a_position_without_its_form_says_what_to_send(text):
    expected = f"error bad_value form: expected the form before the position: send 'position gnubgid {text}'"
    assert talk(f"position {text}") == [expected]
    assert talk(f"position GNUBGID {text}")[0].startswith("ok position")


def test_the_seat_that_begins_can_be_named_and_the_opening_decides_without_it():
    connection = make_connection()
    for line in ("set game.keep true", "newgame p1"):
        (answer,) = talk(line, connection)
    assert answer.endswith(" to_act=p1")
    talk("dice 6 6\nplay 13/7(2) 8/2(2)", connection)
    assert connection.handler.session.log.actions[0].before.match.on_roll == 1
    (answer,) = talk("newgame", connection)
    assert "to_act" not in answer
    assert talk("dice 6 5", connection) == ["ok dice die1=6 die2=5 seat=p0"]
    talk("set game.keep false", connection)
    assert talk("newgame p1\nget game.turn", connection)[-1] == "value game.turn p1"
    assert talk("newgame p2", connection)[0].startswith("error bad_value first: expected one of p0|p1")
