"""Cubeful values of positions: exact from the table, others from rollouts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gammond.engine.bearoff.two_sided import build_two_sided
from gammond.engine.cubeful import CubeEfficiencies, EfficiencyFormula
from gammond.engine.errors import CancelledWork
from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.engine.rollout import RolloutEvaluators
from gammond.tools.measure.cube.values import CubeValueEvaluator, make_money_game
from tests.support.boards import position

SMALL, LARGE = (build_two_sided(6, checkers, threads=1) for checkers in (2, 4))
EVALUATORS = RolloutEvaluators(EvaluatorPruner(LARGE), LARGE, exact_cubeful=(SMALL,))
BOARDS = np.stack(
    [
        position({6: 2}, {20: 2}).board,
        position({6: 2, 5: 1}, {19: 2, 20: 1}).board,
        position({6: 2, 5: 2}, {19: 3, 20: 1}).board,
        position({4: 3}, {20: 3, 21: 1}).board,
    ]
)


def roller(trials=288, seed=1, evaluators=EVALUATORS, cancelled=lambda: False):
    return CubeValueEvaluator(evaluators, make_money_game(), trials, seed, cancelled)


def test_positions_of_the_table_are_exact_and_others_are_rolled_out_to_their_values():
    reported = []
    known = roller().evaluate(BOARDS, 1, reported.append)
    assert known.is_exact.tolist() == [True, False, False, False]
    assert np.array_equal(known.values[0], SMALL.cubeful_equities(BOARDS[:1])[0].astype(float))
    assert np.array_equal(known.outcomes[0], SMALL.evaluate(BOARDS[:1])[0].astype(float))
    assert known.values == pytest.approx(LARGE.cubeful_equities(BOARDS), abs=0.05)
    assert known.outcomes == pytest.approx(LARGE.evaluate(BOARDS), abs=0.03)
    assert np.array_equal(known.net_outcomes, LARGE.evaluate(BOARDS))
    assert (known.values[1:, 1] > known.values[1:, 2]).all()
    assert reported == [2, 3, 4]


def test_values_depend_on_seed_and_place_and_on_no_threads():
    one, two = (roller(72).evaluate(BOARDS, threads) for threads in (1, 2))
    assert np.array_equal(one.values, two.values)
    assert np.array_equal(one.outcomes, two.outcomes)
    other = roller(72, seed=2).evaluate(BOARDS, 1)
    assert not np.array_equal(one.values[1:], other.values[1:])
    alone = roller(72).evaluate(BOARDS[:2], 1)
    assert np.array_equal(alone.values, one.values[:2])


def test_doubles_rest_on_the_efficiencies_that_are_given():
    boards = BOARDS[2:3]
    dead, live = (CubeEfficiencies.make_equal(EfficiencyFormula(bearoff=(each,) * 5)) for each in (0.0, 1.0))
    evaluators = replace(EVALUATORS, exact_cubeful=())
    dead_values, live_values = (
        CubeValueEvaluator(evaluators, make_money_game(each), 144, 1, lambda: False)
        .evaluate(boards, 1)
        .values
        for each in (dead, live)
    )
    assert not np.array_equal(dead_values, live_values)


def test_a_cancelled_run_keeps_what_is_done(monkeypatch):
    real = CubeValueEvaluator._roll_out_position

    def cancelled_at_the_third(self, board, place):
        if place >= 2:
            raise CancelledWork("stopped")
        return real(self, board, place)

    whole = roller(36).evaluate(BOARDS, 1)
    monkeypatch.setattr(CubeValueEvaluator, "_roll_out_position", cancelled_at_the_third)
    known = roller(36).evaluate(BOARDS, 1)
    assert len(known) == 2
    assert np.array_equal(known.values, whole.values[:2])
