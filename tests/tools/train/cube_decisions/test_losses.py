"""Losses are those of the action taken, against the best one by the rollouts."""

import math

import numpy as np
import pytest

from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcome
from gammond.tools.train.cube_decisions.deciders import CubeOpinions
from gammond.tools.train.cube_decisions.decision_file import DecisionRollout, RatedDecision, stack_rollouts
from gammond.tools.train.cube_decisions.losses import compare_players, compute_losses
from gammond.tools.train.cube_decisions.match_states import make_match
from tests.support.boards import position

RACE = position({5: 4, 6: 5}, {20: 5, 19: 4})


def decision(held: float, taken: float, *, error=0.0, name="contact", match=None) -> RatedDecision:
    rollout = DecisionRollout((held, taken), (error, error), error, 36, Outcome(0.7, 0, 0, 0, 0))
    kind = "money" if match is None else "dead"
    return RatedDecision(name, kind, RACE, match or MatchState(beavers=False), rollout)


def opinions(doubles, takes, values=((0.5, 0.5),)) -> CubeOpinions:
    count = len(doubles)
    return CubeOpinions(np.resize(np.array(values, float), (count, 2)), np.array(doubles), np.array(takes))


def lose(decisions, by):
    """What a player loses by the rollouts."""
    values, _, _ = stack_rollouts(decisions)
    return compute_losses(decisions, values, by)


def test_a_double_loses_what_no_double_is_worth_more_and_the_reverse():
    decisions = [decision(0.6, 0.5), decision(0.6, 0.5), decision(0.6, 0.9), decision(0.6, 0.9)]
    found = lose(decisions, opinions([True, False, True, False], [True] * 4))
    np.testing.assert_allclose(found[:, 0], [0.1, 0.0, 0.0, 0.3])
    np.testing.assert_allclose(found[:, 1], 0.0)


def test_the_opponent_of_a_double_passes_where_that_is_right():
    decisions = [decision(0.8, 1.4), decision(0.8, 1.4), decision(1.1, 1.4)]
    found = lose(decisions, opinions([True, False, True], [True, False, False]))
    np.testing.assert_allclose(found[:, 0], [0.0, 0.2, 0.1])
    np.testing.assert_allclose(found[:, 1], [0.4, 0.0, 0.0])


def test_a_wrong_pass_loses_what_the_take_was_better():
    found = lose([decision(0.6, 0.7)], opinions([True], [False]))
    np.testing.assert_allclose(found[0, 1], 0.3)


def test_a_dead_cube_is_no_decision_of_the_doubler():
    found = lose([decision(0.6, 0.5, match=make_match(2, 5, 2))], opinions([True], [True]))
    assert math.isnan(found[0, 0])
    assert found[0, 1] == 0.0


def test_groups_are_classes_kinds_and_all_and_later_players_are_compared_with_the_first():
    decisions = [decision(0.6, 0.9, name="bearoff"), decision(0.6, 0.9), decision(0.6, 0.9)]
    players = {"good": opinions([True] * 3, [True] * 3), "timid": opinions([False] * 3, [True] * 3)}
    groups = compare_players(decisions, players)
    assert [(each.name, each.decisions) for each in groups] == [
        ("bearoff", 1),
        ("contact", 2),
        ("money", 3),
        ("all", 3),
    ]
    good, timid = groups[-1].players.values()
    assert good.extra_loss.value == 0.0
    assert timid.extra_loss.value == pytest.approx(0.3)
    assert timid.double_loss.value == pytest.approx(0.3)
    assert timid.take_loss.value == 0.0


def test_the_noise_of_rollouts_is_taken_off_squared_errors():
    exact = compare_players([decision(0.1, 0.2)] * 2, {"a": opinions([True] * 2, [True] * 2, [(0.4, 0.6)])})
    noisy = compare_players(
        [decision(0.1, 0.2, error=0.1)] * 2, {"a": opinions([True] * 2, [True] * 2, [(0.4, 0.6)])}
    )
    assert exact[-1].players["a"].no_double_rmse.value == pytest.approx(0.3)
    assert exact[-1].players["a"].take_rmse.value == pytest.approx(0.4)
    assert noisy[-1].players["a"].no_double_rmse.value == pytest.approx(math.sqrt(0.08))
    assert noisy[-1].value_error == pytest.approx(0.1)
