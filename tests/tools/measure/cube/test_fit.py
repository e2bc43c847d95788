"""Fits of cube efficiencies find those that made the values, and decisions cost the equity lost."""

from __future__ import annotations

import numpy as np
import pytest

from gammond.engine.cubeful import CubeEfficiencies, EfficiencyFormula
from gammond.engine.rules.position import Position
from gammond.tools.measure.cube.fit import (
    CENTRED,
    EFFICIENCY_NAMES,
    EFFICIENCY_TARGETS,
    OTHER,
    OWN,
    average_efficiencies,
    compute_decision_costs,
    compute_held_out_costs,
    compute_weights,
    efficiencies_from_vector,
    fit_efficiencies,
    fit_single_efficiency,
    formula_to_vector,
)
from gammond.tools.measure.cube.values import CubeValues, make_money_game
from tests.support.boards import position

ODD_FORMULA = EfficiencyFormula(0.81, 0.55, (0.4, 0.9), (0.05, 0.2, 0.5, 0.6, 0.75))
ODD = CubeEfficiencies.make_equal(ODD_FORMULA)
PUBLISHED = CubeEfficiencies()
STARTS = [
    Position.start(),
    position({1: 7, 2: 7, 24: 1}, {23: 2, 20: 13}),
    *(position({12: far, 6: 15 - far}, {19: 15}) for far in (1, 5, 9, 14)),
    *(position({pips: 1}, {24: 2}) for pips in (3, 4, 5, 6)),
    *(position({1: 2 + more, 6: more}, {24: 2}) for more in (1, 2, 3, 5, 6)),
]


def outcomes(count, seed=1):
    """Outcomes around the doubling window, some with gammons."""
    generator = np.random.default_rng(seed)
    win = generator.uniform(0.6, 0.9, count)
    lose_g = 0.1 * (1 - win)
    zeros = np.zeros(count)
    return np.stack([win, generator.uniform(0, 0.3, count) * win, zeros, lose_g, zeros], 1).astype(np.float32)


def known(efficiencies, repeats=8, noise=0.0, seed=1):
    """Values that the model gives by some efficiencies, and the net's outcomes equal to the true ones."""
    boards = np.stack([start.board for start in STARTS] * repeats)
    true = outcomes(len(boards), seed)
    values = make_money_game().evaluate(true, efficiencies.for_boards(boards, true))
    values = values.astype(np.float64)
    values += noise * np.random.default_rng(seed).normal(size=values.shape)
    return CubeValues(boards, true, np.zeros(len(boards), np.bool_), true.astype(np.float64), values)


def one(evaluated_win, centred, own, other):
    """A contact position that the net thinks is won so often, without gammons, and its true values."""
    evaluated = np.array([[evaluated_win, 0, 0, 0, 0]], np.float32)
    values = np.array([[centred, own, other]])
    return CubeValues(
        Position.start().board[None], evaluated, np.zeros(1, np.bool_), evaluated.astype(np.float64), values
    )


def test_vectors_and_weights_say_the_same_as_efficiencies():
    vector = formula_to_vector(ODD_FORMULA)
    assert efficiencies_from_vector(vector) == ODD
    boards = np.stack([start.board for start in STARTS])
    expected = ODD.for_boards(boards, outcomes(len(boards)))
    assert compute_weights(boards) @ vector == pytest.approx(expected[:, CENTRED], abs=1e-6)
    assert (expected == expected[:, :1]).all()
    assert len(EFFICIENCY_NAMES) == len(vector)


def test_averages_are_those_of_the_positions_that_count():
    boards, three = np.stack([start.board for start in STARTS[:2]]), np.repeat(outcomes(1), 2, axis=0)
    efficiencies = CubeEfficiencies(
        EfficiencyFormula(contact=0.2), EfficiencyFormula(contact=0.4), EfficiencyFormula(contact=0.9)
    )
    averages = average_efficiencies(efficiencies, boards, three)
    assert averages[:2] == pytest.approx([0.5, 0.68], abs=1e-6)
    assert np.isnan(averages[2:]).all()


@pytest.mark.parametrize("what", EFFICIENCY_TARGETS)
def test_the_efficiencies_that_made_the_values_are_found(what):
    fit = fit_efficiencies(known(ODD), what)
    assert fit.coefficients == pytest.approx(formula_to_vector(ODD_FORMULA), abs=2e-4)
    assert fit.errors == pytest.approx(0.0, abs=2e-4)


def test_there_is_no_fit_where_there_are_no_positions():
    data = known(ODD)
    contact = data[np.arange(len(data)) % len(STARTS) == 0]
    fit = fit_efficiencies(contact, "values")
    assert fit.coefficients[0] == pytest.approx(0.81, abs=1e-4)
    assert np.isnan(fit.coefficients[1:]).all()
    assert np.isnan(fit.errors[1:]).all()


@pytest.mark.parametrize("what", EFFICIENCY_TARGETS)
def test_standard_errors_are_the_spread_of_repeated_measurements(what):
    fits = [fit_efficiencies(known(ODD, noise=0.1, seed=seed), what) for seed in range(60)]
    spread = np.std([fit.coefficients for fit in fits], axis=0)
    stated = np.mean([fit.errors for fit in fits], axis=0)
    assert stated[:2] == pytest.approx(spread[:2], rel=0.35)
    bias = np.mean([fit.coefficients for fit in fits], axis=0) - formula_to_vector(ODD_FORMULA)
    assert np.abs(bias / (spread / np.sqrt(60))).max() < 4.0


def test_each_state_of_the_cube_can_be_fitted_alone():
    data = known(ODD)
    data = data[np.arange(len(data)) % len(STARTS) == 0]
    for state, efficiency in enumerate((0.3, 0.5, 0.9)):
        flat = np.full(len(data), efficiency, np.float32)
        data.values[:, state] = make_money_game().evaluate(data.net_outcomes, flat)[:, state]
    for state, efficiency in (("centred", 0.3), ("own", 0.5), ("other", 0.9)):
        assert fit_single_efficiency(data, state).coefficients == pytest.approx([efficiency], abs=1e-4)
    assert 0.3 < fit_single_efficiency(data, "values").coefficients[0] < 0.9


@pytest.mark.parametrize(
    ("evaluated_win", "values", "costs"),
    [
        (0.5, (0.1, 0.2, -0.1), (0.0, 0.0, 0.0)),  # rolls and would take: right
        (0.5, (0.5, 0.7, 0.4), (0.3, 0.1, 0.0)),  # rolls where a take costs 0.8
        (0.5, (0.5, 0.7, 0.6), (0.5, 0.3, 0.2)),  # and takes what should be passed
        (0.77, (0.7, 0.9, 0.45), (0.0, 0.0, 0.0)),  # doubles and takes
        (0.75, (0.5, 0.6, 0.1), (0.3, 0.4, 0.0)),  # doubles too early
        (0.9, (0.9, 0.95, 0.45), (0.0, 0.05, 0.1)),  # cashes against one who should take
    ],
)
def test_decisions_cost_what_the_better_choice_is_worth_more(evaluated_win, values, costs):
    assert compute_decision_costs(one(evaluated_win, *values), PUBLISHED)[0] == pytest.approx(costs)


@pytest.mark.parametrize("what", EFFICIENCY_TARGETS)
def test_efficiencies_that_are_right_lose_nothing_where_wrong_ones_do(what):
    data = known(efficiencies_from_vector([0.95] * len(EFFICIENCY_NAMES)), repeats=20)
    dead = efficiencies_from_vector([0.2] * len(EFFICIENCY_NAMES))
    assert (compute_decision_costs(data, dead).mean(axis=0) > 1e-3).all()
    assert compute_held_out_costs(data, np.zeros(len(data), np.int8), dead, what) == pytest.approx(
        0.0, abs=1e-4
    )


@pytest.mark.parametrize("what", EFFICIENCY_TARGETS)
def test_each_half_of_a_kind_is_decided_by_the_other_halves_alone(what):
    data = known(PUBLISHED, repeats=40)
    data = data[np.arange(len(data)) % len(STARTS) < 2]
    kinds = (np.arange(len(data)) % 2).astype(np.int8)
    is_odd = np.arange(len(data)) // 2 % 2 == 1
    for rows, efficiency in ((is_odd, 0.2), (~is_odd, 0.9)):
        flat = np.full(int(rows.sum()), efficiency, np.float32)
        data.values[rows] = make_money_game().evaluate(data.net_outcomes[rows], flat)
    costs = compute_held_out_costs(data, kinds, PUBLISHED, what)
    for rows, efficiency in ((is_odd, 0.9), (~is_odd, 0.2)):
        expected = compute_decision_costs(
            data[rows], efficiencies_from_vector([efficiency] * len(EFFICIENCY_NAMES))
        )
        assert costs[rows] == pytest.approx(expected, abs=1e-4)


def test_the_fit_to_choices_heeds_what_decides_and_not_what_values_share():
    data = known(PUBLISHED)
    data = data[np.arange(len(data)) % len(STARTS) == 0]
    gain = 2 * data.values[:, OTHER] - data.values[:, CENTRED]
    data.values[:, [CENTRED, OWN]] += 0.1
    data.values[:, OTHER] += 0.05
    assert 2 * data.values[:, OTHER] - data.values[:, CENTRED] == pytest.approx(gain)
    by_values, by_choices = (fit_single_efficiency(data, what).coefficients[0] for what in EFFICIENCY_TARGETS)
    assert abs(by_choices - 0.68) < abs(by_values - 0.68)


def test_states_are_in_the_order_of_the_values():
    states = make_money_game().states
    assert [states[each].owner for each in (CENTRED, OWN, OTHER)] == [None, 0, 1]
