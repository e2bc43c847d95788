"""The check of gnubg's records, on a real one (its analysis left out) and on records with faults put in."""

import re
from pathlib import Path

import pytest

from gammond.engine.errors import FormatError
from gammond.tools.gnubg.record import ReplayResult, parse_record, replay_game

WHOLE_GAME = (Path(__file__).parent / "gnubg_game.sgf").read_text()
HEAD = (
    "(;FF[4]GM[6]CA[UTF-8]AP[GNU Backgammon:1.07.001]MI[length:{length}][game:0][ws:0][bs:0]PW[gnubg]PB[root]"
)


def record(nodes: str, result: str = "RE[B+1]", length: int = 0, rules: str = "RU[Jacoby]") -> str:
    return HEAD.format(length=length) + rules + result + "\n" + nodes + ")"


def faults_of(text: str) -> list[str]:
    (game,) = parse_record(text)
    return list(replay_game(game).faults)


OPENING = ";W[61xrfe]A[0][xrfe E ver 3 0.49 0C 0 1 0.0 1]\n;B[31qtst]\n"


def test_a_legal_beginning_that_ends_with_a_drop_is_in_order():
    text = record(OPENING + ";W[double]DA[E ver 3]\n;B[drop]\n", "RE[W+1]")
    (game,) = parse_record(text)
    assert game.actions[0] == (0, "61xrfe")
    assert (game.winner, game.points, game.is_resigned, game.jacoby) == (0, 1, False, True)
    assert replay_game(game) == ReplayResult(2, 2, ())


def test_a_pass_where_a_play_was_possible_is_a_fault():
    (fault,) = faults_of(record(OPENING + ";W[52]\n"))
    assert "seat 0 did not play with 5-2 at " in fault


def test_a_game_that_never_ended_is_a_fault():
    (fault,) = faults_of(record(OPENING, result=""))
    assert fault.startswith("the game was not finished")


def test_a_whole_game_with_a_redouble_dances_and_a_backgammon_is_in_order():
    (game,) = parse_record(WHOLE_GAME)
    assert (game.length, game.winner, game.points) == (3, 1, 12)
    assert replay_game(game) == ReplayResult(65, 4, ())
    assert len(re.findall(r";[WB]\[[1-6]", WHOLE_GAME)) == 65


def test_the_points_of_a_whole_game_are_checked():
    (fault,) = faults_of(WHOLE_GAME.replace("RE[B+12]", "RE[B+8]"))
    assert fault == "points of the game: expected 12, got 8"


def test_any_play_of_a_whole_game_left_out_is_a_fault():
    """A pass in place of a play is what gnubg makes of an illegal one."""
    plays = list(re.finditer(r"(;[WB]\[[1-6]{2})[a-z]+\]", WHOLE_GAME))
    assert len(plays) == 57
    for play in plays:
        assert faults_of(WHOLE_GAME[: play.end(1)] + WHOLE_GAME[play.end() - 1 :])


def test_an_illegal_play_is_a_fault():
    (fault,) = faults_of(record(";W[61xrfd]\n"))
    assert "not legal" in fault


def test_a_turn_out_of_turn_is_a_fault():
    (fault,) = faults_of(record(";W[61xrfe];W[31hffe]\n"))
    assert "out of turn" in fault


def test_checkers_from_nowhere_are_a_fault():
    assert faults_of(record(";W[61abcd]\n"))


def test_a_result_that_the_position_does_not_bear_out_is_a_fault():
    (fault,) = faults_of(record(OPENING, "RE[B+1]"))
    assert "the record has seat 1 win" in fault


def test_a_resigned_game_may_end_anywhere():
    assert faults_of(record(OPENING, "RE[B+1R]")) == []


def test_a_file_that_is_no_record_is_refused():
    with pytest.raises(FormatError, match="begins with"):
        parse_record("(;FF[4]GM[1])")
    with pytest.raises(FormatError, match="in each game of a gnubg record"):
        parse_record("(;FF[4]GM[6]PW[gnubg])")
