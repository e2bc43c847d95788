"""The check of gnubg's records, on a real one (its analysis left out) and on records with faults put in."""

import re
from pathlib import Path

import pytest

from gammond.engine.errors import FormatError
from gammond.engine.rules.game_record import PlayAction
from gammond.engine.rules.match import GameResult
from gammond.tools.gnubg.match import check_record

WHOLE_GAME = (Path(__file__).parent / "gnubg_game.sgf").read_text()
HEAD = (
    "(;FF[4]GM[6]CA[UTF-8]AP[GNU Backgammon:1.07.001]MI[length:{length}][game:0][ws:0][bs:0]PW[gnubg]PB[root]"
)


def record(nodes: str, result: str = "RE[B+1]", length: int = 0, rules: str = "RU[Jacoby]") -> str:
    return HEAD.format(length=length) + rules + result + "\n" + nodes + ")"


def faults_of(text: str) -> list[str]:
    return check_record(text)[1]


OPENING = ";W[61xrfe]A[0][xrfe E ver 3 0.49 0C 0 1 0.0 1]\n;B[31qtst]\n"


def test_a_legal_beginning_that_ends_with_a_drop_is_in_order():
    (game,), faults = check_record(record(OPENING + ";W[double]DA[E ver 3]\n;B[drop]\n", "RE[W+1]"))
    assert (game.result, game.initial_state.jacoby, faults) == (GameResult(0, 1, 1), True, [])


def test_a_pass_where_a_play_was_possible_is_a_fault():
    assert "game 1: seat 0 did not play 5-2" in faults_of(record(OPENING + ";W[52]\n"))


def test_a_game_that_never_ended_is_a_fault():
    (fault,) = faults_of(record(OPENING, result=""))
    assert "no result" in fault


def test_a_whole_game_with_a_redouble_dances_and_a_backgammon_is_in_order():
    (game,), faults = check_record(WHOLE_GAME)
    assert (game.initial_state.length, game.result, faults) == (3, GameResult(1, 3, 12), [])
    assert sum(isinstance(action, PlayAction) for action in game.actions) == 65


def test_the_points_of_a_whole_game_are_checked():
    (fault,) = faults_of(WHOLE_GAME.replace("RE[B+12]", "RE[B+8]"))
    assert "wrong result: expected 12" in fault


def test_any_play_of_a_whole_game_left_out_is_a_fault():
    """A pass in place of a play is what gnubg makes of an illegal one."""
    plays = list(re.finditer(r"(;[WB]\[[1-6]{2})[a-z]+\]", WHOLE_GAME))
    assert len(plays) == 57
    for play in plays[::4]:
        assert faults_of(WHOLE_GAME[: play.end(1)] + WHOLE_GAME[play.end() - 1 :])


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        (";W[61xrfd]\n", "illegal play"),
        (";W[61xrfe];W[31hffe]\n", "out of turn"),
        (";W[61abcd]\n", "illegal play"),
        (OPENING, "the record has seat 1 win before its end"),
    ],
)
def test_what_the_rules_do_not_bear_out_is_a_fault(nodes, said):
    assert said in faults_of(record(nodes))[0]


def test_a_resigned_game_may_end_anywhere():
    assert faults_of(record(OPENING, "RE[B+1R]")) == []


def test_a_file_that_is_no_record_is_refused():
    with pytest.raises(FormatError, match="a game of backgammon"):
        check_record("gnubg")
    assert faults_of("(;FF[4]GM[1])")
