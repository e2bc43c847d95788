import numpy as np
import pytest

from gammond.engine.bearoff import load_bearoff
from gammond.engine.evaluation.pruning import EvaluatorPruner
from gammond.engine.rollout import RolloutEvaluators, RolloutSettings, roll_out_position
from gammond.engine.rules.position import Position
from gammond.nets.catalogue import load_evaluator


def evaluators(name):
    evaluator = load_evaluator(name)
    return RolloutEvaluators(EvaluatorPruner(evaluator), evaluator, exact=(load_bearoff().two_sided,))


@pytest.mark.slow
def test_the_opening_position_is_worth_what_is_known():
    settings = RolloutSettings(trials=648, truncation=7)
    estimate, _ = roll_out_position(Position.start(), evaluators("default"), settings)
    assert estimate.outcome.win == pytest.approx(0.526, abs=0.01)
    assert estimate.equity == pytest.approx(0.078, abs=0.03)
    assert estimate.error < 0.005


@pytest.mark.slow
def test_luck_measured_by_the_nets_makes_the_error_several_times_smaller():
    """It is more than three times smaller even with the small nets, which measure luck less well."""
    start, small = Position.start(), evaluators("fast")
    plain, reduced = (
        roll_out_position(start, small, RolloutSettings(trials=216, variance_reduction=on))[0]
        for on in (False, True)
    )
    assert abs(plain.equity - reduced.equity) < 3.5 * np.hypot(plain.error, reduced.error)
    assert reduced.error < plain.error / 2.5
