"""Rolled-out cube decisions: the values, when they are accurate enough, and that nothing changes them."""

import dataclasses

import numpy as np
import pytest

from gammond.engine.cubeful import make_cube_game
from gammond.engine.rollout import RolloutSettings, roll_out_cube
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.rules import STANDARD_RULES
from gammond.tools.parallel.rollout_blocks import RolloutPlayers, load_rollout_evaluators
from gammond.tools.train.cube_decisions.decision_file import RatedDecision
from gammond.tools.train.cube_decisions.match_states import make_match
from gammond.tools.train.cube_decisions.rollout_tasks import (
    make_decision_tasks,
    roll_out_decision,
    roll_out_shard,
)
from tests.support.boards import position

PLAYERS = RolloutPlayers("fast", STANDARD_RULES, 0, 0)
SETTINGS = RolloutSettings(trials=36, seed=7, stop_error=0.0)
RACE = position({6: 6, 5: 5, 4: 4}, {19: 6, 20: 5, 21: 4})
MATCHES = (MatchState(beavers=False, jacoby=True), make_match(4, 2), make_match(3, 5, 2), make_match(5, 1))
DECISIONS = [RatedDecision("bearoff", "money", RACE, match) for match in MATCHES]


@pytest.mark.parametrize("match", MATCHES)
def test_the_values_are_those_of_a_rollout_of_the_decision(match):
    evaluators = load_rollout_evaluators(PLAYERS)
    found = roll_out_decision(RACE, match, evaluators, SETTINGS)
    wanted = roll_out_cube(
        RACE, make_cube_game(match), evaluators, dataclasses.replace(SETTINGS, stop_jsd=0.0)
    )
    assert wanted.take is not None
    assert wanted.gain is not None
    assert found.values == pytest.approx(
        (wanted.decision.no_double.equity, wanted.decision.double_take.equity), abs=1e-5
    )
    assert found.gain_error == pytest.approx(wanted.gain.error, rel=1e-6)
    assert found.errors[1] == pytest.approx(wanted.take.error, rel=1e-6)
    assert 0.5 < found.outcome.win < 0.9
    assert found.trials == 36


def test_trials_go_on_in_whole_rows_until_the_gain_is_known_well_enough():
    evaluators = load_rollout_evaluators(PLAYERS)
    settings = dataclasses.replace(SETTINGS, trials=360, min_trials=36)
    short = roll_out_decision(RACE, MATCHES[1], evaluators, dataclasses.replace(settings, stop_error=0.5))
    error = short.gain_error
    longer = roll_out_decision(
        RACE, MATCHES[1], evaluators, dataclasses.replace(settings, stop_error=0.6 * error)
    )
    most = roll_out_decision(RACE, MATCHES[1], evaluators, dataclasses.replace(settings, stop_error=1e-9))
    assert (short.trials, longer.trials, most.trials) == (36, 108, 360)
    assert longer.gain_error < error


def test_each_decision_has_dice_of_its_own(tmp_path):
    same = [DECISIONS[0]] * 2
    (task,) = make_decision_tasks(PLAYERS, SETTINGS, tmp_path, same)
    _, found = roll_out_shard(task)
    assert found[0].rollout != found[1].rollout
    _, later = roll_out_shard(dataclasses.replace(task, place=1))
    assert later[0].rollout == found[1].rollout
    assert np.isfinite([each.rollout.gain_error for each in found if each.rollout]).all()
