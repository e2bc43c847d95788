"""The phases of a game that statistics are split by."""

from __future__ import annotations

import pytest

from gammond.engine.match_analysis.decision_errors import OPENING_PLAYS, GamePhase, classify_game_phase
from gammond.engine.rules.rules import HYPERGAMMON, STANDARD_RULES
from tests.support.boards import position

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
