"""Questions about the cube on the wire."""

from __future__ import annotations

import pytest

from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.rules.position import Position
from tests.protocol.talking import hear, make_connection, pump, talk
from tests.support.boards import played_boards
from tests.support.evaluators import FixedEvaluator, RacingEvaluator
from tests.support.replies import read_values

CRAWFORD = "set game.length 5\nset game.score_p0 4\nset game.crawford true\nnewgame"


def answered(line, evaluator, before="newgame"):
    """Ask after some lines; return the keys of the final line."""
    connection = make_connection(evaluator)
    for each in before.split("\n"):
        talk(each, connection)
    return read_values(talk(line, connection)[-1])


@pytest.mark.parametrize(
    ("outcome", "action", "double", "response"),
    [
        ((0.6, 0.1, 0, 0.1, 0), "No double, take", "false", "take"),
        ((0.7, 0.21, 0, 0.06, 0), "Double, take", "true", "take"),
        ((0.85, 0, 0, 0, 0), "Double, drop", "true", "drop"),
        ((0.95, 0.75, 0.05, 0, 0), "Too good to double, drop", "false", "drop"),
        ((0.4, 0, 0, 0, 0), "No double, beaver", "false", "beaver"),
    ],
)
def test_cube_says_the_proper_action_in_words_and_in_keys(outcome, action, double, response):
    found = answered("cube", FixedEvaluator(*outcome))
    assert (found["action"], found["double"], found["response"]) == (action, double, response)
    choices = [float(found[name]) for name in ("no_double", "take", "drop", "best")]
    assert choices[2] == 1.0
    expected = min(choices[1], 1.0) if double == "true" else choices[0]
    assert choices[3] == pytest.approx(expected, abs=1e-6)
    assert "mwc_best" not in found


def test_cube_is_asked_as_before_the_roll_and_before_the_double():
    evaluator = FixedEvaluator(0.74, 0, 0, 0, 0)
    plain = answered("cube", evaluator)
    assert answered("cube", evaluator, "newgame\ndice 3 1") == plain
    assert answered("cube", evaluator, "newgame\nplay double") == plain


def test_take_is_evaluated_for_the_side_that_answers():
    evaluator = FixedEvaluator(0.74, 0, 0, 0, 0)
    cube, take = answered("cube", evaluator), answered("take", evaluator)
    assert (take["seat"], take["response"]) == ("p1", "take")
    assert float(take["take"]) == -float(cube["take"])
    assert take["drop"] == "-1.000000"
    assert answered("take", evaluator, "newgame\nplay double") == take
    other = answered("take", evaluator, "set game.turn p1\nnewgame")
    assert other["seat"] == "p0"


def test_take_in_a_match_gives_the_chances_of_the_side_that_answers():
    before = "set game.length 7\nnewgame"
    evaluator = FixedEvaluator(0.74, 0.1, 0, 0.1, 0)
    cube, take = answered("cube", evaluator, before), answered("take", evaluator, before)
    assert float(take["mwc_take"]) == pytest.approx(1 - float(cube["mwc_take"]), abs=1e-6)
    assert float(take["mwc_drop"]) == pytest.approx(1 - float(cube["mwc_drop"]), abs=1e-6)


def test_take_and_go_take_answer_a_beaver_alike_in_many_positions():
    connection = make_connection(RacingEvaluator())
    answers = []
    for board in played_boards(RacingEvaluator(), 3000, seed=4)[::50]:
        position = Position(board)
        if position.is_over:
            continue
        setting_up = f"newgame\nposition gnubgid {encode_position_id(position)}\nplay double\nplay beaver"
        talk(setting_up, connection)
        take, go_take = talk("take", connection)[-1], talk("go take", connection)[-1]
        answers.append((read_values(take)["response"], go_take.removeprefix("besttake ")))
    assert len(answers) > 40
    assert set(answers) == {("take", "take"), ("drop", "drop")}


@pytest.mark.parametrize(("win", "response"), [(0.42, "take"), (0.2, "drop")])
def test_after_a_beaver_take_asks_the_doubler(win, response):
    found = answered("take", FixedEvaluator(win, 0, 0, 0, 0), "newgame\nplay double\nplay beaver")
    assert (found["seat"], found["response"], found["drop"]) == ("p0", response, "-1.000000")
    assert (float(found["take"]) > -1) == (response == "take")


def test_resign_offers_what_playing_on_costs_anyway():
    lost = FixedEvaluator(0, 0, 0, 0, 0)
    assert answered("resign", lost)["offer"] == "single"
    assert answered("resign", FixedEvaluator(0, 0, 0, 1, 0))["offer"] == "gammon"
    assert answered("resign", FixedEvaluator(0, 0, 0, 1, 1))["offer"] == "backgammon"
    assert answered("resign", FixedEvaluator(0.5, 0, 0, 0, 0))["offer"] == "none"
    gammonish = FixedEvaluator(0, 0, 0, 0.5, 0)
    assert answered("resign single", gammonish)["accept"] == "false"
    assert answered("resign gammon", gammonish)["accept"] == "true"


def test_resign_follows_the_score():
    gammon = FixedEvaluator(0, 0, 0, 1, 0)
    found = answered("resign", gammon, "set game.length 1\nnewgame")
    assert (found["offer"], found["mwc"]) == ("single", "0.000000")


def test_the_matrix_has_the_action_at_every_score():
    outcome = (0.7, 0.2, 0.01, 0.1, 0.0)
    connection = make_connection(FixedEvaluator(*outcome))
    lines = talk("newgame\nmatrix away=6", connection)[1:]
    rows = [read_values(line) for line in lines[:-1]]
    assert [row["away"] for row in rows] == list("123456")
    assert rows[0]["actions"] == "------"
    money = read_values(lines[-1])["money"]
    code = {"Double, take": "D", "Double, drop": "P", "No double, take": "N", "Too good to double, drop": "T"}
    for own in (2, 5):
        for other in (2, 4):
            talk(f"set game.length 6\nset game.score_p0 {6 - own}\nset game.score_p1 {6 - other}", connection)
            action = read_values(talk("cube", connection)[-1])["action"]
            expected = "-" if action.startswith("Never") else code[action]
            assert rows[own - 1]["actions"][other - 1] == expected
    talk("set game.length 0\nset game.beavers false", connection)
    assert code[read_values(talk("cube", connection)[-1])["action"]] == money


def test_the_matrix_reaches_nine_points_by_default_and_starts_from_any_cube():
    lines = talk("newgame\nmatrix\nmatrix away=4 cube=2")
    assert sum(line.startswith("row ") for line in lines) == 9 + 4
    assert lines[-2] == "row away=4 actions=" + lines[-2][-4:]
    assert read_values(lines[-1])["cube"] == "2"
    assert lines[-4].endswith("actions=----")  # 2 points away a cube of 2 is dead


def test_a_matrix_that_is_stopped_has_no_answer():
    connection = make_connection()
    hear(connection, b"newgame\nmatrix plies=2\n")
    assert pump(connection, stops_long=True)[-1].startswith("error stopped ")


@pytest.mark.parametrize(
    ("line", "start"),
    [
        ("cube now", "error bad_command arguments:"),
        (f"{CRAWFORD}\ntake", "error bad_state crawford:"),
        ("matrix away=26", "error bad_value away:"),
        ("newgame\nmatrix cube=3", "error bad_value cube:"),
        ("set game.length 9\nset game.cube 4\nposition startpos\ncube", "error bad_value game.cube_owner:"),
    ],
)
def test_a_bad_question_names_what_is_wrong(line, start):
    connection = make_connection()
    *before, last = line.split("\n")
    for each in before:
        talk(each, connection)
    game = connection.handler.session.game
    assert talk(last, connection)[-1].startswith(start)
    assert connection.handler.session.game is game
