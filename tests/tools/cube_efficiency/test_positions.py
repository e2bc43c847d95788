"""Positions for measuring cube efficiencies: of the right kind, near the window, by the seed alone."""

from __future__ import annotations

import numpy as np
import pytest

from engine.bearoff.two_sided import build_two_sided
from engine.errors import LimitError
from engine.outcome import WIN
from engine.position import Position
from engine.replies import EvaluatedReplies
from engine.rollout import RolloutJudges
from tests.boards import RacingJudge, position
from tools.cube_efficiency import positions as cube_efficiency_positions
from tools.cube_efficiency.positions import KINDS, draw_positions, kinds_of, near_the_window
from tools.cube_efficiency.values import money_game

JUDGE = RacingJudge()
TABLE = build_two_sided(6, 3, threads=1)
JUDGES = RolloutJudges(EvaluatedReplies(JUDGE), JUDGE, exact_cubeful=(TABLE,))


@pytest.mark.parametrize(
    ("where", "kind"),
    [
        (Position.start(), "contact"),
        (position({1: 7, 2: 7, 24: 1}, {23: 2, 20: 13}), "crashed"),
        (position({12: 1, 6: 14}, {19: 15}), "race"),
        (position({6: 15}, {18: 1, 19: 14}), "race"),
        (position({6: 15}, {19: 15}), "bearoff"),
        (position({6: 3}, {19: 4}), "bearoff"),
        (position({6: 3}, {19: 3}), "ending"),
    ],
)
def test_positions_have_a_kind(where, kind):
    assert KINDS[kinds_of(where.board[None], [TABLE])[0]] == kind


def test_finished_positions_have_none():
    assert kinds_of(position({}, {24: 2}).board[None], [TABLE]).tolist() == [-1]


def test_the_window_is_where_a_double_is_worth_thinking_of():
    wins = np.array([0.4, 0.6, 0.7, 0.78, 0.9, 0.95])
    outcomes = np.zeros((len(wins), 5), np.float32)
    outcomes[:, WIN] = wins
    boards = np.stack([Position.start().board] * len(wins))
    is_near = near_the_window(boards, outcomes, money_game())
    assert is_near.tolist() == [False, False, True, True, False, False]


def test_positions_are_drawn_in_turn_of_each_kind_and_depend_on_the_seed_alone(monkeypatch):
    monkeypatch.setattr(cube_efficiency_positions, "_GAMES_AT_ONCE", 64)
    told = []
    kinds = ("contact", "race")
    boards = draw_positions(JUDGES, kinds, 4, money_game(), 5, told.append)
    assert [KINDS[kind] for kind in kinds_of(boards, [TABLE])] == [*kinds] * 4
    assert near_the_window(boards, JUDGE.evaluate(boards), money_game()).all()
    assert told == sorted(told)
    assert told[-1] == len(boards) == 8
    assert np.array_equal(draw_positions(JUDGES, kinds, 4, money_game(), 5), boards)
    assert not np.array_equal(draw_positions(JUDGES, kinds, 4, money_game(), 6), boards)


def test_a_kind_that_never_comes_is_named(monkeypatch):
    monkeypatch.setattr(cube_efficiency_positions, "_MAX_TURNS", 3)
    with pytest.raises(LimitError, match="came up of: ending") as caught:
        draw_positions(JUDGES, ("ending",), 4, money_game(), 1)
    assert caught.value.field == "positions"
