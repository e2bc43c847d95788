"""Cube actions and scores of rollout trials against the theory of the cube."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.bearoff.tables import NO_TABLES
from engine.cubeful import (
    CubeEfficiencies,
    CubeResponse,
    EfficiencyFormula,
    build_cube_state_space,
    decide_from_outcome,
)
from engine.kernels.rollout import CUBE, END, ROWS, TRUNCATED
from engine.kernels.rollout_scoring import compute_values, decide, mark_decisions
from engine.rollout import CubefulScoring, RolloutSettings, TrialCubes
from engine.rollout.trial_scoring import VALUE_COLUMN
from engine.rollout.trials import make_block
from engine.rules.match import MatchState
from engine.rules.outcome import Outcome
from tests import boards

CONTACT = boards.position({25: 1, 20: 2, 6: 3, 4: 2}, {2: 2, 7: 1, 19: 4, 21: 3})


def play_cube(scoring, outcomes):
    """Play the cube actions before the first roll from one position, as if it had various outcomes."""
    cubes = TrialCubes.make_initial(1)
    block = make_block(CONTACT.board[None], cubes, len(outcomes), VALUE_COLUMN + 1)
    rules = scoring.make_rules(RolloutSettings())
    mark_decisions(rules, block)
    assert (block.kinds == CUBE).all()
    block.outcomes[:] = outcomes
    decide(rules, block, compute_values(rules, NO_TABLES, block))
    return block


@pytest.mark.nojit
def test_doubles_are_those_of_the_cube_theory_and_beavers_count_four_times():
    # Only with a nearly dead cube is it right to double into a beaver.
    efficiency = 0.05
    game = build_cube_state_space(MatchState(jacoby=True))
    outcomes = [
        (win, gammons, 0, 0.02, 0)
        for win, gammons in itertools.product(np.arange(0.3, 0.9, 0.01), np.arange(0.0, 0.9, 0.02))
        if gammons < win
    ]
    formula = EfficiencyFormula(contact=efficiency, crashed=efficiency)
    scoring = CubefulScoring(
        game, may_double_at_start=True, efficiencies=CubeEfficiencies.make_equal(formula)
    )
    block = play_cube(scoring, outcomes)
    kept = block.places[: block.progress[ROWS]].tolist()
    seen = set()
    for trial, outcome in enumerate(np.array(outcomes, np.float32).tolist()):
        decision = decide_from_outcome(Outcome(*outcome), efficiency, game)
        is_passed = decision.should_double and not decision.should_take
        assert (trial not in kept) == is_passed
        assert block.scores[trial].tolist() == ([*outcome, 1.0] if is_passed else [0.0] * 6)
        if not is_passed:
            row = kept.index(trial)
            took = decision.should_double
            factor = {CubeResponse.TAKE: 2, CubeResponse.BEAVER: 4, CubeResponse.PASS: 1}[decision.response]
            assert block.stakes[row] == (factor if took else 1)
            assert block.states[row] == (game.state_after_take[0] if took else 0)
        seen.add((decision.should_double, decision.response))
    assert {(True, CubeResponse.BEAVER), (True, CubeResponse.TAKE), (True, CubeResponse.PASS)} <= seen


@pytest.mark.nojit
def test_doubles_and_values_can_rest_on_other_efficiencies():
    game = build_cube_state_space(MatchState(beavers=False))
    outcomes = np.array([[0.7, 0, 0, 0, 0]], np.float32)
    seen = []
    for efficiency in (0.0, 1.0):
        efficiencies = CubeEfficiencies.make_equal(EfficiencyFormula(contact=efficiency))
        scoring = CubefulScoring(game, may_double_at_start=True, efficiencies=efficiencies)
        doubled = play_cube(scoring, outcomes)
        truncated = make_block(CONTACT.board[None], TrialCubes.make_initial(1), 1, VALUE_COLUMN + 1)
        rules = scoring.make_rules(RolloutSettings())
        truncated.kinds[:], truncated.outcomes[:] = TRUNCATED, outcomes
        decide(rules, truncated, compute_values(rules, NO_TABLES, truncated))
        seen.append((doubled.stakes[0], round(float(truncated.scores[0, VALUE_COLUMN]), 6)))
    assert seen == [(2.0, 0.8), (1.0, pytest.approx(2 / 3, abs=1e-5))]
    assert CubefulScoring(game).name != CubefulScoring(game, efficiencies=CubeEfficiencies()).name


@pytest.mark.nojit
@pytest.mark.parametrize("turn", [0, 1])
def test_a_finished_game_scores_for_the_side_on_roll_at_the_start(turn):
    """The side that is not on roll has just won a gammon with the cube at 2."""
    space = build_cube_state_space(MatchState())
    scoring = CubefulScoring(space)
    cubes = TrialCubes(space.state_after_take[:1].astype(np.int8), np.array([2.0]))
    lost = boards.position({24: 15}, {})
    block = make_block(lost.board[None], cubes, 1, VALUE_COLUMN + 1)
    block.progress[1] = turn
    rules = scoring.make_rules(RolloutSettings())
    mark_decisions(rules, block)
    assert block.kinds.tolist() == [END]
    decide(rules, block, compute_values(rules, NO_TABLES, block))
    assert block.progress[ROWS] == 0
    assert block.scores[0].tolist() == ([1, 1, 1, 0, 0, 6] if turn else [0, 0, 0, 1, 1, -6])
