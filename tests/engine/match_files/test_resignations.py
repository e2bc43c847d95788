"""A resignation is somebody's decision where the file says so, and not where it only says who won."""

import pytest

from gammond.engine.match_analysis.tasks import list_tasks
from gammond.engine.match_files.documents import describe_record
from gammond.engine.match_files.reading import read_matches
from gammond.engine.match_files.writing import MATCH_FORMATS
from gammond.engine.match_files.xg.records import GAME_FOOTER, decode_record, is_resigned
from gammond.engine.rules.game_record import DoubleAction, ResignationAction, ResponseAction
from tests.engine.match_files.xg import xg_files

_MAT = " 5 point match\n\n Game 1\n one : 0    two : 0\n  1) 31: 8/5 6/5      64: 24/18 13/9\n{}"
_SGF = "(;FF[4]GM[6]MI[length:5][game:0][ws:0][bs:0]PW[one]PB[two]RE[W+2{}];W[31hefe];B[64alls])"
_FIBS = (
    "Score is 0-0 in a 5 point match.\none is X - two is O\n\nX: (3 1) 8-5 6-5\nO: (6 4) 1-7 12-16\n{}"
    "X: wins 2 points.\n"
)
_SGG = (
    "one vs. two\n\nMonday November 23, 2026\nGamesGrid Backgammon Server\nCrawford: Yes\n"
    "Game 1.0-0/5\n\n1\t31: 8/5, 6/5\n1\t\t64: 24/18, 13/9\n{}\none wins 2 points.\n"
)
_PARTY = (
    "boardid=1\nMATCHLENGTH=5\nGAME_1_PLAYER_1=one\nGAME_1_PLAYER_2=two\n"
    "GAME_1_GAMEPLAY=1 12 Rolls 31 8/5 6/5#2 12 Rolls 64 24/18 13/9{}\nGAME_1_SCORE1=2\nGAME_1_SCORE2=0\n"
)
_TMG = (
    "MatchID: 1\nPlayer1: 1001 one 100.00\nPlayer2: 1002 two 100.00\nLength: 5\nVariant: 1\n\nGame 1: 0-0\n"
    "  1 1 31:\n  2 4 8/5 6/5\n  -3 1 64:\n  -4 4 24/18 13/9\n  5 15 2 wins\n"
)

BY_RESULT = {
    "mat": _MAT.format("      Wins 2 points\n"),
    "mat, loses": _MAT.format("  2)                      Loses 2 points\n"),
    "mat, forfeits": _MAT.format("  2)                      Forfeits 2 points\n"),
    "sgf": _SGF.format(""),
    "oldmoves": _FIBS.format(""),
    "oldmoves, rejected": _FIBS.format("O: wants to resign.\nX: rejects.\n"),
    "sgg": _SGG.format(""),
    "party": _PARTY.format(""),
    "tmg": _TMG,
}
STATED = {
    "mat": _MAT.format("  2)                      Resigns 2 points\n"),
    "mat, nothing rolled": _MAT.format("  2)                      00: ????\n      Wins 2 points\n"),
    "sgf": _SGF.format("R"),
    "oldmoves": _FIBS.format("O: wants to resign.\nX: accepts.\n"),
    "sgg": _SGG.format("2\t\tResigns\n"),
    "party": _PARTY.format("#2 12 Resigns"),
}


def read(text):
    (match,) = read_matches(text.encode())
    assert match.is_whole
    return match


@pytest.mark.parametrize("text", BY_RESULT.values(), ids=BY_RESULT)
def test_a_game_of_which_only_the_result_tells_was_nobodys_decision_to_give_up(text):
    match = read(text)
    (game,) = match.games
    last = game.actions[-1]
    assert (last, game.result.winner, game.result.points) == (ResignationAction(1, 2), 0, 2)
    assert not last.is_stated
    place = len(game.actions) - 1
    assert place not in [each for task in list_tasks(0, game) for each in task.places]
    (described,) = describe_record(match)["games"]
    assert described["actions"][-1]["by_result"] is True


@pytest.mark.parametrize("text", STATED.values(), ids=STATED)
def test_a_resignation_that_the_file_states_was_somebodys_decision(text):
    match = read(text)
    (game,) = match.games
    last = game.actions[-1]
    assert (last, game.result.winner, game.result.points) == (ResignationAction(1, 2), 0, 2)
    assert last.is_stated
    assert list(list_tasks(0, game))[-1].places == (len(game.actions) - 1,)
    assert "by_result" not in describe_record(match)["games"][0]["actions"][-1]


@pytest.mark.parametrize("text", [BY_RESULT["mat"], STATED["sgf"]], ids=["by the result", "stated"])
@pytest.mark.parametrize("name", ["sgf", "ogxm"])
def test_whether_a_resignation_was_stated_survives_a_conversion(text, name):
    if name == "ogxm":
        pytest.importorskip("ogxm")
    match = read(text)
    (again,) = MATCH_FORMATS[name].parse(MATCH_FORMATS[name].write(match))
    assert again.games[0].actions[-1].is_stated == match.games[0].actions[-1].is_stated


@pytest.mark.parametrize(("termination", "expected"), [(0, 0), (2, 0), (101, 1), (102, 1), (1001, 0)])
def test_files_of_extreme_gammon_say_whether_the_loser_resigned(termination, expected):
    footer = decode_record(xg_files.make_record(GAME_FOOTER, Termination=termination))
    assert is_resigned(footer) == expected


def test_a_double_behind_which_the_doubler_wins_the_cube_as_it_was_is_passed():
    match = read(_MAT.format("  2) Doubles => 2\n      Wins 1 point\n"))
    (game,) = match.games
    assert game.actions[-2:] == (DoubleAction(0, 2), ResponseAction(1, is_take=False))
    assert (game.result.winner, game.result.points) == (0, 1)
    (gammon,) = read(_MAT.format("  2) Doubles => 2\n      Wins 2 points\n")).games
    assert gammon.actions[-1] == ResignationAction(1, 2)


def test_of_a_resignation_whose_points_the_score_contradicts_nobody_knows_what_was_offered():
    text = _MAT.format("  2) 53: ????\n                          Wins 4 points\n")
    (match,) = read_matches(f"{text}\n Game 2\n one : 0    two : 3\n  1) 31: 8/5 6/5\n".encode())
    last = match.games[0].actions[-1]
    assert (last, last.is_stated) == (ResignationAction(0, 3), False)
