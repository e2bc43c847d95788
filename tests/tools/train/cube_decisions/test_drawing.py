"""Drawn cube decisions are of the classes asked for, and most of them near the doubling window."""

import numpy as np
import pytest

from gammond.engine.cubeful import are_all_home
from gammond.nets.catalogue import load_evaluator, load_pruner
from gammond.tools.train.cube_decisions.drawing import BEAROFF, ENDING, draw_decisions, find_near_decisions
from gammond.tools.train.cube_decisions.match_states import MATCH_KINDS
from gammond.tools.train.labels.sampling import make_sampler
from gammond.tools.train.validation.position_classes import POSITION_CLASSES
from gammond.tools.train.weights.net_set import load_bearoff_evaluators, load_net_set

pytest.importorskip("onnx", reason="nets are read as ONNX files (extra 'train')")

COUNTS = {"contact": 12, BEAROFF: 10, ENDING: 5, "ace-point": 6}


@pytest.fixture(scope="module")
def evaluator():
    return load_evaluator("fast")


@pytest.fixture(scope="module")
def decisions(evaluator):
    return draw_decisions(COUNTS, 0.75, make_sampler(load_net_set("fast"), load_pruner()), evaluator, 4)


def boards_of(decisions, name):
    return np.stack([each.position.board for each in decisions if each.name == name])


def test_there_are_as_many_of_each_class_as_asked_for_in_random_order(decisions):
    names = [each.name for each in decisions]
    assert {name: names.count(name) for name in COUNTS} == COUNTS
    assert len(set(names[:10])) >= 3
    assert {each.kind for each in decisions} <= set(MATCH_KINDS)
    assert len({each.kind for each in decisions}) >= 5


def test_positions_are_of_their_class(decisions):
    assert POSITION_CLASSES["ace-point"].find_members(boards_of(decisions, "ace-point")).all()
    optimal = [each for each in load_bearoff_evaluators() if each.is_optimal]
    for name, are_known in ((BEAROFF, False), (ENDING, True)):
        bearoffs = boards_of(decisions, name)
        assert are_all_home(bearoffs).all()
        assert (np.any([each.covers(bearoffs) for each in optimal], axis=0) == are_known).all()


def test_most_are_near_the_doubling_window(decisions, evaluator):
    boards = np.stack([each.position.board for each in decisions])
    is_near = find_near_decisions(boards, [each.match for each in decisions], evaluator)
    assert is_near.mean() >= 0.6


def test_the_same_seed_draws_the_same(decisions, evaluator):
    sampler = make_sampler(load_net_set("fast"), load_pruner())
    assert draw_decisions(COUNTS, 0.75, sampler, evaluator, 4) == decisions
    assert draw_decisions(COUNTS, 0.75, sampler, evaluator, 5) != decisions
