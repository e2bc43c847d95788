"""Decided endgames: they are as named, and evaluators are measured against exact values."""

import numpy as np
import pytest

from gammond.engine.evaluation.evaluator import Evaluator
from gammond.engine.rules.outcome import Outcomes
from gammond.tools.heritage.computational_backgammon.endgames import (
    compute_probe_metrics,
    make_sure_loss,
    make_sure_win,
    measure_endgame_errors,
)
from gammond.tools.heritage.computational_backgammon.net_set import load_bearoff_table


class Halving:
    """Returns half of the exact winning chance."""

    name = "halving"
    plies = 0

    def evaluate(self, boards) -> Outcomes:
        return load_bearoff_table().evaluate(boards) / 2


def test_the_sure_endgames_are_sure():
    exact = load_bearoff_table().evaluate(np.stack([make_sure_win(), make_sure_loss()]))
    assert exact[:, 0].tolist() == [1.0, 0.0]


def test_an_evaluator_is_compared_with_exact_values():
    perfect_wins, perfect_losses, perfect_rms = measure_endgame_errors(load_bearoff_table())
    assert perfect_rms == 0.0
    assert perfect_wins > 0.995
    assert perfect_losses < 0.005
    halving: Evaluator = Halving()
    wins, _, rms = measure_endgame_errors(halving)
    assert wins == pytest.approx(perfect_wins / 2)
    assert 0.2 < rms < 0.5


def test_a_log_has_the_start_and_the_sure_endgames():
    class Fixed(Halving):
        def evaluate(self, boards):
            return np.array([[0.5, 0.2, 0.1, 0.15, 0.0], [0.9, 0, 0, 0, 0], [0.3, 0, 0, 0, 0]], np.float32)

    reported = compute_probe_metrics(Fixed())
    assert reported["start"] == pytest.approx([0.5, 0.2, 0.15])
    assert (reported["sure_win"], reported["sure_loss"]) == pytest.approx((0.9, 0.3))
