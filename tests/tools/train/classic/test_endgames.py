"""Decided endgames: they are what their names say, and judges are measured on what is known exactly."""

import numpy as np
import pytest

from engine.evaluator import Evaluator
from engine.outcome import Outcomes
from tools.train.classic.endgames import endgame_errors, sure_loss, sure_win, told_of_games
from tools.train.classic.player import bearoff_table


class Halving:
    """Says half of the exact chance."""

    name = "halving"
    plies = 0

    def evaluate(self, boards) -> Outcomes:
        return bearoff_table().evaluate(boards) / 2


def test_the_sure_endgames_are_sure():
    exact = bearoff_table().evaluate(np.stack([sure_win(), sure_loss()]))
    assert exact[:, 0].tolist() == [1.0, 0.0]


def test_a_judge_is_compared_with_what_is_known_exactly():
    perfect = endgame_errors(bearoff_table())
    assert perfect.rms == 0.0
    assert perfect.sure_wins > 0.995
    assert perfect.sure_losses < 0.005
    halving: Evaluator = Halving()
    errors = endgame_errors(halving)
    assert errors.sure_wins == pytest.approx(perfect.sure_wins / 2)
    assert 0.2 < errors.rms < 0.5


def test_what_a_log_is_told_has_the_start_and_the_sure_endgames():
    class Fixed(Halving):
        def evaluate(self, boards):
            return np.array([[0.5, 0.2, 0.1, 0.15, 0.0], [0.9, 0, 0, 0, 0], [0.3, 0, 0, 0, 0]], np.float32)

    told = told_of_games(Fixed())
    assert told["start"] == pytest.approx([0.5, 0.2, 0.15])
    assert (told["sure_win"], told["sure_loss"]) == pytest.approx((0.9, 0.3))
