"""Sessions in which doubles are two checker moves: which players support that, and which refuse."""

from __future__ import annotations

import re

import pytest

from gammond.engine.rules.rules import Doubles
from tests.protocol.talking import make_connection, talk

VARIANT = "set game.doubles two"


def variant(*lines, before=()):
    """A connection of the variant in which lines have been said, and the answer to the last of them."""
    connection, answer = make_connection(), []
    for line in (*before, VARIANT, *lines):
        answer = talk(line, connection)
    return connection, answer


def test_doubles_are_four_moves_unless_a_setting_says_otherwise():
    assert talk("get game.doubles") == ["value game.doubles four"]
    assert talk("newgame\ndice 6 6\nlegal")[-1] == "legal count=11"
    _, answer = variant("newgame", "dice 6 6", "legal")
    assert answer[-1] == "legal count=6"
    assert answer[0].startswith("play number=1 play=24/18(2) ")


def test_plays_of_two_moves_are_made_and_those_of_four_are_not():
    connection, _ = variant("newgame", "dice 6 6")
    (refused,) = talk("play 24/18(2) 13/7(2)", connection)
    assert refused.startswith("error bad_value play: expected at most 2 checker moves with 6-6, got 4")
    assert talk("play 13/7(2)", connection)[0].startswith("ok play play=13/7(2) ")
    assert connection.handler.session.game.rules.doubles is Doubles.TWO


@pytest.mark.parametrize(
    "line",
    ["newgame", "position startpos", "position xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:66:0:0:0:0:10"],
)
def test_the_variant_stays_when_a_game_begins(line):
    connection, _ = variant(line, "dice 6 6")
    assert talk("legal", connection)[-1] == "legal count=6"


def test_undo_takes_the_variant_back_as_any_setting_of_the_game():
    connection, _ = variant("undo", before=("newgame",))
    assert connection.handler.session.game.rules.doubles is Doubles.FOUR


def test_plays_are_ranked_at_0_ply_and_without_the_cube():
    _, lines = variant("newgame", "dice 6 6", "moves")
    *moves, last = lines
    assert last == "moves count=6 shown=6 plies=0 net=racing"
    assert all(len(re.findall(r"[0-9]+/[0-9]+", move)) <= 2 and "cubeful" not in move for move in moves)


@pytest.mark.parametrize("player", ["net", "random:seed=2", "pubeval", "heuristic", "racing"])
def test_0_ply_players_play_two_moves(player):
    _, lines = variant("newgame", f"set engine.player {player}", "dice 6 6", "go")
    assert len(lines) == 2
    assert lines[0].startswith("info depth 1 ")
    assert len(lines[1].removeprefix("bestmove ").split()) == 2


def test_go_chooses_the_first_of_moves_and_a_level_that_errs_does_not_always():
    connection, _ = variant("newgame", "dice 4 4")
    best = re.search(r'play="?(.*?)"? win=', talk("moves 1", connection)[0])[1]
    plain = best.replace("13/9(2)", "13/9 13/9").replace("24/20(2)", "24/20 24/20")
    assert talk("go movetime 50", connection)[-1] == f"bestmove {plain}"
    talk("set engine.level beginner", connection)
    answers = set()
    for seed in range(20):
        talk(f"set engine.seed {seed}", connection)
        answers.add(talk("go", connection)[-1])
    assert len(answers) > 1


@pytest.mark.parametrize(
    "line",
    [
        "eval",
        "moves plies=1",
        "moves cubeful=true",
        "go chequer plies 1",
        "go cube",
        "go turn",
        "cube",
        "take",
        "resign",
        "matrix",
        "rollout",
        "rollout moves",
        "play resign single",
    ],
)
def test_requests_that_the_variant_does_not_support_are_refused(line):
    connection, _ = variant("newgame", "dice 6 6")
    (answer,) = talk(line, connection)
    assert re.match(
        r"error unsupported game.doubles: .* is not supported .*: set doubles to four$", answer
    ), answer


def test_there_is_no_doubling_in_the_variant():
    connection, _ = variant("newgame")
    (answer,) = talk("play double", connection)
    assert answer.startswith("error unsupported game.doubles: ")


def test_an_offer_that_came_with_a_position_can_be_answered():
    connection, _ = variant("position gnubgid 4HPwATDgc/ABMA:MBkAAAAAAAAE")
    assert talk("go take", connection)[0].startswith("error unsupported game.doubles: ")
    assert talk("play take", connection)[0].startswith("ok play play=take ")


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        (("set engine.level master",), "look-ahead"),
        (("set engine.player hard",), "hard, which looks ahead or errs, is not supported"),
    ],
)
def test_a_player_that_looks_ahead_is_refused_when_it_is_to_play(settings, what):
    connection, _ = variant("newgame", *settings, "dice 6 6")
    for line in ("go", "isready"):
        (answer,) = talk(line, connection)
        assert answer.startswith("error unsupported game.doubles: ")
        assert what in answer


def test_queries_are_of_the_usual_rules_whatever_the_session_plays():
    query = '{"id":1,"position":"4HPwATDgc/ABMA","dice":[6,6],"want":["moves"]}'
    connection, _ = variant()
    assert talk(query, connection) == talk(query)
