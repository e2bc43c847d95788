"""Positions for measuring cube efficiencies: of the right kind, near the window, by the seed alone."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.bearoff.two_sided import build_two_sided
from gammond.engine.errors import LimitError
from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.engine.rollout import RolloutEvaluators
from gammond.engine.rules.outcome import WIN
from gammond.engine.rules.position import Position
from gammond.tools.measure.cube import positions as cube_efficiency_positions
from gammond.tools.measure.cube.positions import (
    KINDS,
    classify_positions,
    draw_positions,
    is_near_doubling_window,
)
from gammond.tools.measure.cube.values import make_money_game
from tests.support.boards import position
from tests.support.evaluators import RacingEvaluator

EVALUATOR = RacingEvaluator()
TABLE = build_two_sided(6, 3, threads=1)
EVALUATORS = RolloutEvaluators(EvaluatorPruner(EVALUATOR), EVALUATOR, exact_cubeful=(TABLE,))


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
    assert KINDS[classify_positions(where.board[None], [TABLE])[0]] == kind


def test_finished_positions_have_none():
    assert classify_positions(position({}, {24: 2}).board[None], [TABLE]).tolist() == [-1]


def test_the_window_is_where_a_double_is_worth_thinking_of():
    wins = np.array([0.4, 0.6, 0.7, 0.78, 0.9, 0.95])
    outcomes = np.zeros((len(wins), 5), np.float32)
    outcomes[:, WIN] = wins
    boards = np.stack([Position.start().board] * len(wins))
    is_near = is_near_doubling_window(boards, outcomes, make_money_game())
    assert is_near.tolist() == [False, False, True, True, False, False]


def test_positions_are_drawn_in_turn_of_each_kind_and_depend_on_the_seed_alone(monkeypatch):
    monkeypatch.setattr(cube_efficiency_positions, "_GAMES_AT_ONCE", 64)
    reported = []
    kinds = ("contact", "race")
    boards = draw_positions(EVALUATORS, kinds, 4, make_money_game(), 5, reported.append)
    assert [KINDS[kind] for kind in classify_positions(boards, [TABLE])] == [*kinds] * 4
    assert is_near_doubling_window(boards, EVALUATOR.evaluate(boards), make_money_game()).all()
    assert reported == sorted(reported)
    assert reported[-1] == len(boards) == 8
    assert np.array_equal(draw_positions(EVALUATORS, kinds, 4, make_money_game(), 5), boards)
    assert not np.array_equal(draw_positions(EVALUATORS, kinds, 4, make_money_game(), 6), boards)


def test_a_kind_that_never_comes_is_named(monkeypatch):
    monkeypatch.setattr(cube_efficiency_positions, "_MAX_TURNS", 3)
    with pytest.raises(LimitError, match="got fewer of ending") as caught:
        draw_positions(EVALUATORS, ("ending",), 4, make_money_game(), 1)
    assert caught.value.field == "positions"
