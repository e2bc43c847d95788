"""The rolled-out cube decisions beside this file: what they are, and what the default net loses on them.

They are the first of a set, written by `gammond train validate-cube FOLDER strong --output`:

    gammond train cube-set FOLDER --net strong --seed 1
"""

from pathlib import Path

import numpy as np

from gammond.engine.cubeful import make_cube_game
from gammond.tools.train.cube_decisions.deciders import ask_decider
from gammond.tools.train.cube_decisions.decision_file import read_decisions, stack_rollouts
from gammond.tools.train.cube_decisions.losses import compare_players
from gammond.tools.train.cube_decisions.match_states import MATCH_KINDS

DECISIONS = read_decisions(Path(__file__).with_name("cube_decisions.txt"))


def test_they_are_of_all_kinds_of_match_states_and_known_within_some_hundredths():
    assert {each.kind for each in DECISIONS} == MATCH_KINDS.keys()
    assert all(make_cube_game(each.match).state_after_take >= 0 for each in DECISIONS)
    _, errors, _ = stack_rollouts(DECISIONS)
    assert np.sqrt(np.square(errors).mean()) < 0.03
    assert all(each.rollout is not None and each.rollout.trials >= 36 for each in DECISIONS)


def test_the_default_net_loses_no_more_on_them_than_it_did():
    found = compare_players(DECISIONS, {"default": ask_decider("default", DECISIONS)})[-1]
    errors = found.players["default"]
    assert errors.double_loss.value + errors.take_loss.value < 0.005
    assert errors.no_double_rmse.value < 0.08
    assert errors.take_rmse.value < 0.085
