"""Marks of plays, cube actions and rolls."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gammond.engine.match_analysis.analysed_match import add_marks
from gammond.engine.match_analysis.decision_errors import Choice, GamePhase, ScaledPoints
from gammond.engine.match_analysis.decisions import AnalysedDecision
from gammond.engine.match_files.model import ActionNotes
from gammond.engine.match_files.sgf.reader import parse_sgf

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
