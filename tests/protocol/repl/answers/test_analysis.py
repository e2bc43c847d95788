import pytest

from gammond.engine.analysis.levels import LEVELS
from gammond.engine.rules.match import MatchState
from gammond.protocol.repl.answers.analysis import describe_strength
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


def test_hint_shows_the_chance_to_win_a_match():
    lines = table("set game.length 5", "newgame", "dice 3 1").answer("hint 1")
    assert lines[1].split()[:4] == ["ply", "mwc", "%", "equity"]
    assert 40 < float(lines[2].split()[2]) < 60


def test_hint_counts_no_cube_where_the_settings_say_so():
    lines = table("newgame", "set engine.cubeful false", "dice 3 1").answer("hint 1")
    assert lines[-1] == "    1 of 16 plays at 0-ply, net racing; cubeless money equity"


def test_hint_searches_as_deep_as_the_session():
    lines = table("plies 1", "newgame", "dice 3 1").answer("hint 1")
    assert lines[2].split()[:2] == ["1", "1"]


def test_hint_before_the_roll_compares_the_actions_with_the_cube():
    lines = table(board=AHEAD, length=5).answer("hint")
    assert [line.split("  ")[2] for line in lines[1:4]] == ["no double", "double, take", "double, pass"]
    assert lines[3].split()[-2:] == ["+1.000", "57.73"]
    assert lines[4].startswith("    Double, drop: not doubling costs 0.")
    assert ", taking a double costs 0." in lines[4]
    assert lines[5].startswith("    win ")
    assert lines[6] == "    at 0-ply, net racing"


def test_the_cube_can_be_asked_about_with_dice_on_the_board():
    talk = table("newgame", "dice 3 1")
    assert talk.answer("cube")[-3].startswith("    No double, beaver: doubling costs ")
    assert talk.session.game.match.roll == (3, 1)


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


def test_hint_answers_a_double_for_the_side_that_must():
    lines = table(board=AHEAD, length=5, doubled=True).answer("hint")
    assert lines[1].split()[0] == "take"
    assert lines[2].split()[:2] == ["pass", "-1.000"]
    assert lines[3].startswith("    Pass: taking costs 0.")


def test_hint_answers_a_beaver_for_the_doubler():
    lines = table("newgame", "double", "beaver").answer("hint")
    assert lines[3].startswith("    Take: passing costs ")


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


def test_the_matrix_has_a_row_and_a_column_for_each_score():
    lines = table("newgame").answer("matrix away=3 cube=2")
    assert lines[1].split() == ["1", "2", "3"]
    assert [line.split()[0] for line in lines[2:5]] == ["1", "2", "3"]
    assert all(len(line.split()) == 4 for line in lines[2:5])
    assert lines[5].split(";")[1] == " cube 2"


def test_a_rollout_shows_each_play_with_its_errors():
    talk = table("newgame", "dice 3 1")
    lines = talk.answer("rollout moves trials=36 truncate=2 candidates=2 stop_jsd=0 vr=false")
    assert [line.split()[0] for line in lines[2:6]] == ["1", "±", "2", "±"]
    assert lines[3].endswith("  36 trials")
    assert lines[6].startswith("    all trials played, seed 0, ")
    more = talk.answer("rollout continue trials=72")
    assert more[3].endswith("  72 trials")


def test_a_rollout_takes_named_plays():
    talk = table("newgame", "dice 3 1")
    lines = talk.answer('rollout trials=36 truncate=2 play="13/10 6/5" play=24/23,13/10')
    assert sorted(line.split("  ")[-1] for line in lines[2:6:2]) == ["13/10 6/5", "24/23 13/10"]


def test_a_rollout_of_the_cube_says_what_is_right():
    lines = table(board=AHEAD, length=5).answer("rollout cube trials=36 truncate=4")
    assert lines[2].endswith("  no double")
    assert lines[4].endswith("  double, take")
    assert ", drop: " in lines[6]
    assert ", taking a double costs 0." in lines[6]


def test_arguments_of_rollouts_are_checked_by_the_table():
    talk = table("newgame")
    assert talk.answer("rollout moves") == ["error: no dice: 'roll' them, or set them with 'dice A B'"]
    assert talk.answer("rollout trials=0")[0].startswith("error: expected a whole number 1..")
    assert talk.answer("rollout continue trials=36")[0].startswith("error: no rollout to continue")


def test_cube_answers_a_beaver_that_waits():
    talk = table("newgame", "play double", "play beaver")
    assert talk.answer("cube") == talk.answer("hint")
    assert talk.answer("cube")[1].split()[0] == "take"


def test_level_sets_how_well_the_engine_plays_and_lists_what_there_is():
    talk = table()
    head, *rows, legend, present = talk.answer("level")
    assert head.index("strength") == rows[0].index("knows the rules")
    assert head.index("loss") + len("loss") == rows[0].index("  knows the rules")
    assert legend == "  loss: thousandths of a point per unforced play"
    assert [row[2:].split()[0] for row in rows] == list(LEVELS)
    assert [row[2:].split()[0] for row in rows if row.startswith("*")] == ["expert"]
    assert present == describe_strength(talk.session) == "Level expert: 0-ply, filter normal."
    assert talk.answer("level beginner")[0].endswith(", with noise.")
    assert talk.session.engine_settings.level == "beginner"
    assert talk.answer("level Master") == talk.answer("level master")
    assert talk.answer("level nonsense")[0].startswith("error: expected one of beginner|")


def test_plies_sets_only_the_look_ahead():
    talk = table("level master")
    assert talk.answer("plies 1") == ["Custom level: 1-ply, filter narrow."]
    assert talk.session.engine_settings.plies == 1
    assert talk.answer("plies") == talk.answer("plies 1")
    assert talk.answer("plies 5") == ["error: expected a whole number 0..4 for n, got '5'"]
