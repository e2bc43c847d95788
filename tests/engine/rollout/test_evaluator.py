import numpy as np

from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.engine.rollout import RolloutEvaluator, RolloutEvaluators, RolloutSettings, roll_out
from gammond.engine.rules.position import Position
from tests import boards

EVALUATOR = boards.RacingEvaluator()
EVALUATORS = RolloutEvaluators(EvaluatorPruner(EVALUATOR), EVALUATOR)
SETTINGS = RolloutSettings(trials=72, truncation=3)
BOARDS = boards.played_boards(EVALUATOR, 70, seed=8)


def test_values_are_the_means_of_rollouts_and_possible():
    outcomes = RolloutEvaluator(EVALUATORS, SETTINGS).evaluate(BOARDS)
    assert outcomes.dtype == np.float32
    assert ((outcomes >= 0) & (outcomes <= 1)).all()
    for row in (0, 33, 69):
        estimate = roll_out([Position(BOARDS[row])], EVALUATORS, SETTINGS).state.estimate()
        assert np.allclose(outcomes[row], np.clip(estimate.outcome, 0, 1), atol=1e-6)


def test_a_value_depends_on_its_own_board_alone():
    evaluator = RolloutEvaluator(EVALUATORS, SETTINGS)
    whole = evaluator.evaluate(BOARDS)
    assert np.array_equal(evaluator.evaluate(BOARDS[60:61]), whole[60:61])
    assert np.array_equal(evaluator.evaluate(BOARDS[::-1]), whole[::-1])


def test_more_trials_than_fit_at_once_are_played_in_parts(monkeypatch):
    whole = RolloutEvaluator(EVALUATORS, SETTINGS).evaluate(BOARDS[:2])
    monkeypatch.setattr("gammond.engine.rollout.trials.BLOCK_ROWS", 50)
    assert np.array_equal(RolloutEvaluator(EVALUATORS, SETTINGS).evaluate(BOARDS[:2]), whole)


def test_finished_positions_and_no_positions_are_evaluated():
    evaluator = RolloutEvaluator(EVALUATORS, SETTINGS)
    won = boards.position({}, {24: 3})
    assert evaluator.evaluate(won.board[None]).tolist() == [[1, 0, 0, 0, 0]]
    assert evaluator.evaluate(BOARDS[:0]).shape == (0, 5)


def test_names_and_depths_tell_what_was_done():
    evaluator = RolloutEvaluator(EVALUATORS, SETTINGS)
    assert evaluator.name == "rollout 72 racing"
    assert evaluator.plies == 3
