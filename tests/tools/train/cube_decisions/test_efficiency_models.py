"""Fits find the efficiencies that made the values, and are measured on decisions that they have not seen."""

import dataclasses
import math

import numpy as np
import pytest

from gammond.engine.cubeful import CubeEfficiencies, EfficiencyFormula, make_cube_game
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import Position
from gammond.tools.train.cube_decisions.deciders import CubeOpinions
from gammond.tools.train.cube_decisions.decision_file import DecisionRollout, RatedDecision
from gammond.tools.train.cube_decisions.efficiency_models import (
    IN_USE,
    MODELS,
    TARGETS,
    ModelInputs,
    decide_by_efficiencies,
    fit_changes,
    fit_efficiencies_held_out,
    fit_formulas,
    fit_phases,
    measure_models,
    weigh_phases,
)
from gammond.tools.train.cube_decisions.efficiency_numbers import (
    EFFICIENCY_NAMES,
    average_efficiencies,
    compute_weights,
    formula_to_vector,
)
from gammond.tools.train.cube_decisions.match_states import make_match
from tests.support.boards import played_boards
from tests.support.evaluators import RacingEvaluator

EFFICIENCY = 0.4
MATCHES = (MatchState(beavers=False), MatchState(beavers=False, jacoby=True), make_match(5, 7))


class KnownOutcomes:
    """An evaluator that gives what it was given."""

    name, plies = "known", 0

    def __init__(self, outcomes):
        self._outcomes = outcomes

    def evaluate(self, boards):
        return self._outcomes


@pytest.fixture(scope="module")
def inputs() -> ModelInputs:
    """Decisions whose values are those of one efficiency for all positions, and whose outcomes are known."""
    boards = played_boards(RacingEvaluator(), 400, 5)
    outcomes = np.zeros((len(boards), 5), np.float32)
    generator = np.random.Generator(np.random.PCG64(6))
    outcomes[:, 0] = generator.uniform(0.55, 0.9, len(boards)).round(3)
    outcomes[:, 1] = (0.3 * outcomes[:, 0]).round(3)
    decisions = []
    for row, (board, outcome) in enumerate(zip(boards, outcomes, strict=True)):
        match = MATCHES[row % len(MATCHES)]
        game = make_cube_game(match)
        values = game.evaluate(outcome[None], np.array([EFFICIENCY], np.float32))
        equities = game.to_equities(values)[0]
        pair = (float(equities[0]), float(game.arrays.stake_factor * equities[game.state_after_take]))
        rollout = DecisionRollout(pair, (0.0, 0.0), 0.0, 36, Outcome(*outcome.tolist()))
        decisions.append(RatedDecision("contact", "money", Position(board), match, rollout))
    return ModelInputs.from_rollouts(decisions, KnownOutcomes(outcomes), ("contact",))


@pytest.mark.parametrize("target", TARGETS)
def test_a_fit_finds_the_efficiency_that_made_the_values(inputs, target):
    found = fit_efficiencies_held_out(inputs, weigh_phases(inputs), target)
    is_contact = weigh_phases(inputs)[:, 0, 0] > 0.0
    assert is_contact.sum() > 100
    np.testing.assert_allclose(found[is_contact], EFFICIENCY, atol=0.03)


def test_the_efficiency_of_each_phase_is_found_within_its_error(inputs):
    found = fit_phases(inputs)
    assert tuple(found) == EFFICIENCY_NAMES
    weights = compute_weights(inputs.boards)
    for place, (name, each) in enumerate(found.items()):
        for figure in each.fitted.values():
            if weights[:, place].any():
                assert abs(figure.value - EFFICIENCY) < max(0.01, 2 * figure.error), name
            else:
                assert math.isnan(figure.value)
                assert math.isnan(each.in_use)


def test_efficiencies_in_use_are_averaged_by_phase_and_pips(inputs):
    """Of formulas that are equal in all states of the cube, their own numbers."""
    formula = EfficiencyFormula(0.5, 0.6, (0.3, 0.9), (0.1, 0.2, 0.4, 0.6, 0.8))
    none = np.zeros((len(inputs.boards), 5), np.float32)
    by_hand = compute_weights(inputs.boards) @ formula_to_vector(formula)
    used = CubeEfficiencies.make_equal(formula).for_boards(inputs.boards, none)
    np.testing.assert_allclose(used, np.repeat(by_hand[:, None], 3, axis=1), atol=1e-6)
    contact = average_efficiencies(CubeEfficiencies.make_equal(formula), inputs.boards, none)[0]
    assert contact == pytest.approx(0.5)


def test_a_half_is_fitted_without_its_own_values(inputs):
    weights = weigh_phases(inputs)
    odd = np.arange(len(inputs.decisions)) % 2 == 1
    other = dataclasses.replace(inputs, values=np.where(odd[:, None], (9.0, -9.0), inputs.values))
    before, after = (fit_efficiencies_held_out(each, weights, "values") for each in (inputs, other))
    np.testing.assert_array_equal(before[odd], after[odd])
    assert not np.allclose(before[~odd], after[~odd])


def test_without_information_the_efficiencies_in_use_stay(inputs):
    weights = np.zeros((len(inputs.boards), 2, 3))
    weights[:, :, 0] = 1.0
    changes = fit_changes(inputs, weights, "values", np.ones(len(weights), np.bool_))
    assert changes[0] != 0.0
    np.testing.assert_allclose(changes[1:], 0.0, atol=1e-12)


def test_decisions_are_those_of_the_formula(inputs):
    opinions = decide_by_efficiencies(inputs, np.full((len(inputs.boards), 2), EFFICIENCY))
    wanted = np.array([each.rollout.values for each in inputs.decisions])
    np.testing.assert_allclose(opinions.values, wanted, atol=1e-5)


@pytest.fixture(scope="module")
def measured(inputs):
    return measure_models(inputs)


def test_models_are_measured_beside_what_is_in_use(measured):
    assert next(iter(measured)) == IN_USE
    assert len(measured) == 1 + len(MODELS) * len(TARGETS)
    in_use, fitted = measured[IN_USE][1], measured["by phase, to values"][1]
    assert fitted.no_double_rmse.value < 0.5 * in_use.no_double_rmse.value
    assert fitted.extra_loss.value <= 0.0


def test_the_formulas_of_the_engine_are_found(inputs):
    """Positions of all states of the cube, whose values are those of formulas."""
    by = CubeEfficiencies(
        EfficiencyFormula(contact=0.5, crashed=0.5, win=0.3),
        EfficiencyFormula(contact=0.6, crashed=0.6, own_pips=0.1),
        EfficiencyFormula(contact=0.4, crashed=0.4, gammons_won=0.2),
    )
    generator = np.random.Generator(np.random.PCG64(8))
    boards = np.repeat(inputs.boards, 10, axis=0)
    outcomes = np.zeros((len(boards), 5), np.float32)
    outcomes[:, 0] = generator.uniform(0.2, 0.9, len(boards))
    outcomes[:, 1] = generator.uniform(0.0, 0.6, len(boards)) * outcomes[:, 0]
    decisions, values = [], []
    for row, (board, outcome) in enumerate(zip(boards, outcomes, strict=True)):
        match = (MatchState(beavers=False), MatchState(beavers=False, cube=2, cube_owner=0))[row % 2]
        game = make_cube_game(match)
        found = game.evaluate(outcome[None], by.for_boards(board[None], outcome[None]))
        equities = game.to_equities(found)[0]
        values.append((equities[0], game.arrays.stake_factor * equities[game.state_after_take]))
        decisions.append(RatedDecision("contact", "money", Position(board), match))
    opinions = CubeOpinions(np.array(values), np.zeros(len(values), np.bool_), np.ones(len(values), np.bool_))
    fitted = fit_formulas(
        ModelInputs.from_teacher(decisions, KnownOutcomes(outcomes), opinions, ("contact",))
    )
    assert fitted.centred.win == pytest.approx(0.3, abs=0.05)
    assert fitted.own.own_pips == pytest.approx(0.1, abs=0.05)
    assert fitted.other.gammons_won == pytest.approx(0.2, abs=0.05)
    assert fitted.centred.contact == pytest.approx(0.5, abs=0.05)
    assert fitted.own.contact == pytest.approx(0.6, abs=0.05)
    assert fitted.other.contact == pytest.approx(0.4, abs=0.05)


def test_a_teacher_is_believed_on_other_decisions(inputs, measured):
    odd = np.arange(len(inputs.decisions)) % 2 == 1
    rows = [each for each, is_odd in zip(inputs.decisions, odd, strict=True) if is_odd]
    outcomes = KnownOutcomes(inputs.outcomes[odd])
    right = CubeOpinions(inputs.values[odd], np.zeros(len(rows), np.bool_), np.ones(len(rows), np.bool_))
    dead = dataclasses.replace(right, values=np.zeros_like(right.values))
    good, bad = (
        measure_models(inputs, ModelInputs.from_teacher(rows, outcomes, each, ("contact",)))[
            "by phase, to values"
        ][1]
        for each in (right, dead)
    )
    in_use = measured[IN_USE][1]
    assert good.no_double_rmse.value < 0.5 * in_use.no_double_rmse.value < bad.no_double_rmse.value
