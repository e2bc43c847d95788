"""Values of positions of every class, known by long rollouts: what the nets say of them."""

import numpy as np
import pytest

from gammond.engine.cubeful import CUBELESS_GAME
from gammond.engine.rollout import RolloutSettings
from gammond.engine.rules.outcome import cubeless_equity
from gammond.nets.catalogue import load_evaluator, load_pruner
from gammond.tools.train.labels.rollouts import make_rollout_evaluators, roll_out_trials
from gammond.tools.train.validation.net_errors import rms
from gammond.tools.train.validation.position_classes import PLAYED_CLASSES, POSITION_CLASSES
from gammond.tools.train.weights.net_set import load_net_set
from tests.tools.train.validation.class_values import read_class_values

VALUES = read_class_values()


def test_each_class_that_is_known_by_what_it_is_has_positions_of_it_known_within_a_hundredth():
    names = {each.name for each in VALUES}
    assert names == set(PLAYED_CLASSES)
    for each in VALUES:
        assert POSITION_CLASSES[each.name].find_members(each.board[None]).all(), each
        assert each.error <= 0.01


def test_the_default_net_is_not_further_from_them_than_it_was():
    equities = cubeless_equity(load_evaluator().evaluate(np.stack([each.board for each in VALUES])))
    errors = equities - np.array([each.equity for each in VALUES])
    assert rms(errors) < 0.04
    ordinary = [each.name in ("contact", "race") or "-back-" in each.name for each in VALUES]
    assert rms(errors[ordinary]) < 0.025


@pytest.mark.slow
def test_other_games_find_the_same_values():
    pytest.importorskip("onnx", reason="nets are read as ONNX files (extra 'train')")
    evaluators = make_rollout_evaluators(load_net_set("default"), load_pruner())
    for place, each in enumerate(VALUES[::9]):
        settings = RolloutSettings(seed=1000 + place)
        points = CUBELESS_GAME.equities(roll_out_trials(each.board, evaluators, settings, range(72)))
        error = np.hypot(each.error, points.std(ddof=1) / np.sqrt(72))
        assert abs(points.mean() - each.equity) < 4.5 * error, each
