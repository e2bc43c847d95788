import pytest

from gammond.engine.rules.match import MatchState
from tests.protocol.repl.tables import make_talk
from tests.support.boards import position

AHEAD = position({1: 4, 2: 2}, {19: 5, 20: 5, 21: 4})


def table(*lines, board=None, **match):
    """A talk over a position, with a match state of the start if nothing else is said."""
    talk = make_talk()
    if board is not None:
        talk.session.set_position(board, MatchState(**match))
    for line in lines:
        assert not talk.answer(line)[0].startswith("error"), line
    return talk


def test_hint_ranks_the_plays_of_the_roll_and_says_the_plies_of_each():
    lines = table("newgame", "dice 3 1").answer("hint 2 plies=1 filter=tiny")
    assert lines[1].split() == [
        *("ply", "equity", "behind"),
        *("all", "gam", "bg", "gam", "bg", "play"),
    ]
    assert [line.split()[:2] for line in lines[2:4]] == [["1", "1"], ["2", "1"]]
    assert lines[4] == "    2 of 16 plays at 1-ply, net racing; cubeful equity"


def test_hint_counts_no_cube_where_the_settings_say_so():
    lines = table("newgame", "set engine.cubeful false", "dice 3 1").answer("hint 1")
    assert lines[-1] == "    1 of 16 plays at 0-ply, net racing; cubeless money equity"


@pytest.mark.parametrize(
    "match", [{"cube": 2, "cube_owner": 1}, {"length": 5, "score": (4, 2), "crawford": True}]
)
def test_hint_says_so_where_no_double_is_possible(match):
    roll, chances, source = table(board=AHEAD, **match).answer("hint")
    reason = "nobody doubles in the Crawford game" if "crawford" in match else "the opponent holds the cube"
    assert roll == f"    Roll: {reason}."
    assert chances.startswith("    win ")
    assert source == "    at 0-ply, net racing"
    assert not any("double" in line for line in (chances, source))


def test_hint_evaluates_a_resignation_for_the_side_that_answers():
    talk = table(board=AHEAD, length=5, resigned=1)
    lines = talk.answer("hint")
    assert lines[0].startswith("    Accept: playing on is worth -")
    assert lines[0].endswith(" %.")
    talk.session.set_position(AHEAD.swap_sides(), MatchState(resigned=1, cube=2, cube_owner=1))
    assert talk.answer("hint")[0].startswith(("    Accept: ", "    Reject: "))


def test_hint_refuses_a_resignation_that_answers_a_double():
    talk = table("newgame", "double", "resign single")
    assert talk.answer("hint") == ["error: no hint for a resignation while a double is pending"]


def test_a_rollout_of_the_cube_says_what_is_right():
    lines = table(board=AHEAD, length=5).answer("rollout cube trials=36 truncate=4")
    assert lines[2].endswith("  no double")
    assert lines[4].endswith("  double, take")
    assert ", drop: " in lines[6]
    assert ", taking a double costs 0." in lines[6]


def test_cube_answers_a_beaver_that_waits():
    talk = table("newgame", "play double", "play beaver")
    assert talk.answer("cube") == talk.answer("hint")
    assert talk.answer("cube")[1].split()[0] == "take"


def test_a_level_is_named_in_any_case_and_plies_alone_says_what_it_is_now():
    talk = table("level beginner")
    assert talk.session.engine_settings.level == "beginner"
    assert talk.answer("level Master") == talk.answer("level master") == talk.answer("plies")
    assert talk.answer("level nonsense")[0].startswith("error: expected one of beginner|")
    assert talk.answer("plies 1") == ["Custom level: 1-ply, filter narrow."]
    assert talk.answer("plies 5") == ["error: expected a whole number 0..4 for n, got '5'"]
