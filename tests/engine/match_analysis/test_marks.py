"""Marks of plays, cube actions and rolls, and the phases of decisions."""

from dataclasses import replace

import pytest

from gammond.engine.match_analysis.analysed_match import add_marks
from gammond.engine.match_analysis.decision_errors import (
    OPENING_PLAYS,
    Choice,
    GamePhase,
    ScaledPoints,
    classify_game_phase,
)
from gammond.engine.match_analysis.decisions import AnalysedDecision
from gammond.engine.match_files.model import ActionNotes
from gammond.engine.match_files.sgf.reader import parse_sgf
from gammond.engine.rules.rules import HYPERGAMMON, STANDARD_RULES
from tests.support.boards import position

GAME = "(;FF[4]GM[6]MI[length:0][game:0][ws:0][bs:0]PW[ann]PB[bob];W[31hefe];B[52lqln];W[double];B[take])"


def mark(*decisions, luck=None):
    (match,) = parse_sgf(GAME)
    notes = {place: ActionNotes(luck=luck if place < 2 else None) for place in range(4)}
    match = replace(match, games=(replace(match.games[0], notes=notes),))
    (game,) = match.games
    rated = [
        AnalysedDecision(
            *(0, choice, ScaledPoints(points, None), True, True, True, GamePhase.CONTACT, 0, place),
            *(*game.replayed[place], notes[place]),
        )
        for place, choice, points in decisions
    ]
    return add_marks(match, rated).games[0].notes


@pytest.mark.parametrize(
    ("points", "expected"),
    [(0.0299, ""), (0.03, "doubtful"), (0.06, "bad"), (0.119, "bad"), (0.12, "very bad")],
)
def test_a_loss_has_the_mark_of_its_size(points, expected):
    notes = mark((1, Choice.PLAY, points), (1, Choice.NO_DOUBLE, 0.0), (2, Choice.DOUBLE, points))
    assert (notes[1].play_mark, notes[1].cube_mark) == (expected, "")
    assert (notes[2].play_mark, notes[2].cube_mark) == ("", expected)
    assert mark((1, Choice.NO_DOUBLE, points))[1].cube_mark == expected


@pytest.mark.parametrize(
    ("luck", "expected"),
    [(0.299, ""), (0.3, "lucky"), (0.6, "very lucky"), (-0.3, "unlucky"), (-0.9, "very unlucky"), (None, "")],
)
def test_a_roll_has_the_mark_of_its_luck(luck, expected):
    assert mark(luck=luck)[0].luck_mark == expected


START = STANDARD_RULES.starting_position
CRASHED = position(x={1: 7, 2: 6, 24: 2}, o={23: 9})
RACE = position(x={7: 1, 6: 14}, o={19: 15})


@pytest.mark.parametrize(
    ("board", "plays_done", "phase"),
    [
        (START, 0, GamePhase.OPENING),
        (START, OPENING_PLAYS - 1, GamePhase.OPENING),
        (START, OPENING_PLAYS, GamePhase.CONTACT),
        (START, None, GamePhase.CONTACT),
        (CRASHED, 1, GamePhase.CRASHED),
        (RACE, 30, GamePhase.RACE),
        (RACE.swap_sides(), 30, GamePhase.BEAROFF),
        (position(x={3: 2}, o={19: 1}), None, GamePhase.BEAROFF),
    ],
)
def test_a_decision_has_the_phase_of_its_position(board, plays_done, phase):
    assert classify_game_phase(board, plays_done) is phase


def test_no_position_of_hypergammon_is_crashed():
    start = HYPERGAMMON.starting_position
    assert classify_game_phase(start, 0) is GamePhase.OPENING
    assert classify_game_phase(start, OPENING_PLAYS) is GamePhase.CONTACT
