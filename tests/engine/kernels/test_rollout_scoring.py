"""Cube actions and scores of rollout trials against the theory of the cube."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from gammond.engine.cubeful import CubeEfficiencies, EfficiencyFormula, make_cube_game
from gammond.engine.evaluation.results import CubeResponse
from gammond.engine.kernels.bearoff_tables import NO_TABLES
from gammond.engine.kernels.rollout import CUBE, ROWS, TRUNCATED
from gammond.engine.kernels.rollout_scoring import compute_values, decide, mark_decisions
from gammond.engine.rollout import RolloutSettings, TrialCubes
from gammond.engine.rollout.results import VALUE_COLUMN
from gammond.engine.rollout.trials import make_block, make_trial_rules
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcome
from tests.engine.rollout.racing import CONTACT


def play_cube(game, outcomes):
    """Play the cube actions before the first roll from one position, as if it had various outcomes."""
    cubes = TrialCubes.make_initial(1)
    block = make_block(CONTACT.board[None], cubes, len(outcomes), VALUE_COLUMN + 1)
    rules = make_trial_rules(game, RolloutSettings())
    mark_decisions(rules, block)
    assert (block.kinds == CUBE).all()
    block.outcomes[:] = outcomes
    decide(rules, block, compute_values(rules, NO_TABLES, block))
    return block


@pytest.mark.nojit
def test_doubles_are_those_of_the_cube_theory_and_beavers_count_four_times():
    # Only with a nearly dead cube is it right to double into a beaver.
    efficiency = 0.05
    outcomes = [
        (win, gammons, 0, 0.02, 0)
        for win, gammons in itertools.product(np.arange(0.3, 0.9, 0.01), np.arange(0.0, 0.9, 0.02))
        if gammons < win
    ]
    formula = EfficiencyFormula(contact=efficiency, crashed=efficiency)
    game = make_cube_game(MatchState(jacoby=True), efficiencies=CubeEfficiencies.make_equal(formula))
    game = replace(game, may_double_first=True)
    block = play_cube(game, outcomes)
    kept = block.places[: block.progress[ROWS]].tolist()
    seen = set()
    for trial, outcome in enumerate(np.array(outcomes, np.float32).tolist()):
        decision = game.decide_outcome(Outcome(*outcome), efficiency)
        is_passed = decision.should_double and not decision.should_take
        assert (trial not in kept) == is_passed
        assert block.scores[trial].tolist() == ([*outcome, 1.0] if is_passed else [0.0] * 6)
        if not is_passed:
            row = kept.index(trial)
            took = decision.should_double
            factor = {CubeResponse.TAKE: 2, CubeResponse.BEAVER: 4, CubeResponse.PASS: 1}[decision.response]
            assert block.stakes[row] == (factor if took else 1)
            assert block.states[row] == (game.state_after_take if took else 0)
        seen.add((decision.should_double, decision.response))
    assert {(True, CubeResponse.BEAVER), (True, CubeResponse.TAKE), (True, CubeResponse.PASS)} <= seen


@pytest.mark.nojit
def test_doubles_and_values_can_rest_on_other_efficiencies():
    match = MatchState(beavers=False)
    outcomes = np.array([[0.7, 0, 0, 0, 0]], np.float32)
    seen = []
    for efficiency in (0.0, 1.0):
        efficiencies = CubeEfficiencies.make_equal(EfficiencyFormula(contact=efficiency))
        game = replace(make_cube_game(match, efficiencies=efficiencies), may_double_first=True)
        doubled = play_cube(game, outcomes)
        truncated = make_block(CONTACT.board[None], TrialCubes.make_initial(1), 1, VALUE_COLUMN + 1)
        rules = make_trial_rules(game, RolloutSettings())
        truncated.kinds[:], truncated.outcomes[:] = TRUNCATED, outcomes
        decide(rules, truncated, compute_values(rules, NO_TABLES, truncated))
        seen.append((doubled.stakes[0], round(float(truncated.scores[0, VALUE_COLUMN]), 6)))
    assert seen == [(2.0, 0.8), (1.0, pytest.approx(2 / 3, abs=1e-5))]
    other = make_cube_game(match, efficiencies=CubeEfficiencies())
    assert make_cube_game(match).name != other.name
    assert other.other.efficiencies == other.efficiencies
