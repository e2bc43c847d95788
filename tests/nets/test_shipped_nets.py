"""The nets that ship: sane, stronger than pubeval, and played by the rules."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.play.lockstep import play_games
from gammond.engine.play.player import EvaluatorPlayer
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import Position
from gammond.nets.catalogue import load_evaluator
from gammond.nets.players.pubeval import PubevalPlayer
from tests.support import boards, naive


@pytest.fixture(scope="module")
def evaluator():
    return load_evaluator()


def test_the_opening_position_has_a_sane_evaluation(evaluator):
    opening = Outcome(*evaluator.evaluate(Position.start().board[None])[0])
    assert 0.51 < opening.win < 0.54
    assert 0.12 < opening.win_g < 0.18
    assert 0.0 < opening.equity < 0.12


@pytest.mark.slow
def test_pubeval_is_beaten_by_0_40_points_a_game_and_four_standard_errors_more(evaluator):
    result = play_games(EvaluatorPlayer(evaluator), PubevalPlayer(), 2000, seed=21)
    assert result.games == 2000
    assert result.score.value - 4 * result.score.error >= 0.40


@pytest.mark.slow
def test_20000_positions_of_games_it_plays_agree_with_the_slow_twin(evaluator):
    sample = boards.played_boards(evaluator, 20_000, seed=23)
    assert naive.disagreements(sample, boards.random_rolls(20_000, seed=24)) == []


def test_a_position_is_evaluated_the_same_to_the_last_bit_in_any_batch(evaluator):
    sample = boards.played_boards(evaluator, 1500, seed=25)
    together = evaluator.evaluate(sample)
    order = np.random.default_rng(26).permutation(len(sample))
    assert (evaluator.evaluate(sample[order]) == together[order]).all()
    alone = np.concatenate([evaluator.evaluate(sample[i : i + 1]) for i in range(0, 1500, 7)])
    assert (alone == together[::7]).all()
