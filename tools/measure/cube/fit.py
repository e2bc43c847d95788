"""Fits of cube efficiencies to cubeful values, and the losses of cube decisions by them.

In Janowski's model the value of a position in a cube state is dead + efficiency · (live - dead), where both
dead and live follow from its outcome. So efficiencies are a linear least-squares fit of value - dead to
live - dead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gammond.engine.cubeful import CubeEfficiencies, CubeGame, EfficiencyFormula
from gammond.engine.cubeful.efficiency import BEAROFF_PIPS, RACE_PIPS
from gammond.engine.kernels.values import OUTCOME_COLUMNS
from gammond.engine.rules.outcome import Outcomes
from gammond.engine.rules.position import Board
from gammond.tools.measure.cube.values import CUBE_STATES, CubeValues, make_money_game

CENTRED, OWN, OTHER = range(CUBE_STATES)

EFFICIENCY_NAMES = (
    "contact",
    "crashed",
    *(f"race, {pips} pips" for pips in RACE_PIPS),
    *(f"bearoff, {pips} pips" for pips in BEAROFF_PIPS),
)
"""The numbers by phase and pips of an `EfficiencyFormula`, in the order of vectors of them."""

FloatArray = NDArray[np.float64]

_TAKEN_CUBE = 2.0
"""The value of the cube that the opponent holds after a take."""

FIT_TARGETS: dict[str, FloatArray] = {
    "values": np.array([[1, 0, 0], [0, 1, 0], [0, 0, _TAKEN_CUBE]]),
    "choices": np.array([[-1, 0, _TAKEN_CUBE], [0, -1, _TAKEN_CUBE], [0, 0, _TAKEN_CUBE]]),
    "centred": np.array([[1.0, 0, 0]]),
    "own": np.array([[0, 1.0, 0]]),
    "other": np.array([[0, 0, 1.0]]),
}
"""What can be fitted, as weighted sums of the values in the cube states: the three values; the differences
that decide (take minus no double, take minus no redouble, take minus pass); or one value alone."""


def formula_to_vector(formula: EfficiencyFormula) -> FloatArray:
    """Convert the numbers by phase and pips to a vector, ``float64[len(EFFICIENCY_NAMES)]``."""
    return np.array([formula.contact, formula.crashed, *formula.race, *formula.bearoff], np.float64)


def formula_from_vector(vector: Iterable[float]) -> EfficiencyFormula:
    """Convert a vector to a formula that adds nothing to its numbers."""
    contact, crashed, *others = map(float, vector)
    ends = len(RACE_PIPS)
    return EfficiencyFormula(contact, crashed, tuple(others[:ends]), tuple(others[ends:]))


def efficiencies_from_vector(vector: Iterable[float]) -> CubeEfficiencies:
    """Convert a vector to efficiencies, the same in all states of the cube."""
    return CubeEfficiencies.make_equal(formula_from_vector(vector))


def compute_weights(boards: Board) -> FloatArray:
    """Compute the weight of each number of an efficiency vector in each position: ``float64[n, k]``."""
    none = np.zeros((len(boards), OUTCOME_COLUMNS), np.float32)
    units = np.eye(len(EFFICIENCY_NAMES))
    found = [efficiencies_from_vector(unit).for_boards(boards, none)[:, CENTRED] for unit in units]
    return np.stack(found, axis=1).astype(np.float64)


def average_efficiencies(efficiencies: CubeEfficiencies, boards: Board, outcomes: Outcomes) -> FloatArray:
    """Average efficiencies over positions and states of the cube, as a vector.

    Args:
        efficiencies: The efficiencies.
        boards: ``int8[n, 2, 26]``.
        outcomes: ``float32[n, 5]``, theirs.

    Returns:
        ``float64[len(EFFICIENCY_NAMES)]``, each the mean by its weights; nan where no position has any.
    """
    weights = compute_weights(boards)
    means = efficiencies.for_boards(boards, outcomes).mean(axis=1, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        averages: FloatArray = means @ weights / weights.sum(axis=0)
    return averages


@dataclass(frozen=True, eq=False)
class EfficiencyFit:
    """Fitted numbers and their errors.

    Attributes:
        coefficients: ``float64[k]``; nan where no position has information about one.
        errors: ``float64[k]``, their standard errors from the spread of the positions, which includes the
            noise of rollouts and the errors of the model.
    """

    coefficients: FloatArray
    errors: FloatArray


def fit_efficiencies(measured: CubeValues, target: str) -> EfficiencyFit:
    """Fit all efficiencies at once.

    Args:
        measured: The positions.
        target: A key of `FIT_TARGETS`.

    Returns:
        Vectors in the order of `EFFICIENCY_NAMES`.
    """
    return _fit_least_squares(measured, compute_weights(measured.boards), FIT_TARGETS[target])


def fit_single_efficiency(measured: CubeValues, target: str) -> EfficiencyFit:
    """Fit a single efficiency to positions; arguments as `fit_efficiencies`."""
    return _fit_least_squares(measured, np.ones((len(measured), 1)), FIT_TARGETS[target])


def _fit_least_squares(measured: CubeValues, weights: FloatArray, rows: FloatArray) -> EfficiencyFit:
    """Fit numbers whose weighted sum is the efficiency of each position; weights ``float64[n, k]``."""
    dead, live = (
        _compute_model_values(measured.outcomes, efficiency, make_money_game()) for efficiency in (0.0, 1.0)
    )
    levers = ((live - dead) @ rows.T)[:, :, None] * weights[:, None, :]
    wanted = (measured.values - dead) @ rows.T
    squares = np.einsum("nsk,nsl->kl", levers, levers)
    is_known = np.diag(squares) > 0.0
    inverse = np.zeros_like(squares)
    inverse[np.ix_(is_known, is_known)] = np.linalg.pinv(squares[np.ix_(is_known, is_known)])
    numbers = inverse @ np.einsum("nsk,ns->k", levers, wanted)
    pulls = np.einsum("nsk,ns->nk", levers, wanted - levers @ numbers) @ inverse
    counts = (levers != 0.0).any(axis=1).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.sqrt((pulls**2).sum(axis=0) * counts / (counts - 1.0))
    return EfficiencyFit(
        np.where(is_known, numbers, np.nan), np.where(is_known & (counts > 1), errors, np.nan)
    )


def _compute_model_values(outcomes: FloatArray, efficiency: float, game: CubeGame) -> FloatArray:
    efficiencies = np.full(len(outcomes), efficiency, np.float32)
    return game.evaluate(outcomes.astype(np.float32), efficiencies).astype(np.float64)


def compute_decision_costs(measured: CubeValues, efficiencies: CubeEfficiencies) -> FloatArray:
    """Compute the losses of cube decisions by the net's outcomes and some efficiencies.

    Args:
        measured: The positions.
        efficiencies: Of the decisions.

    Returns:
        ``float64[n, 3]``, points at the present cube: to double or not, to redouble or not, to take or pass.
        The opponent gives the proper response to a double.
    """
    game = make_money_game()
    thought = game.evaluate(
        measured.net_outcomes, efficiencies.for_boards(measured.boards, measured.net_outcomes)
    ).astype(np.float64)
    costs = np.empty((len(measured), 3))
    taken, thought_taken = _TAKEN_CUBE * measured.values[:, OTHER], _TAKEN_CUBE * thought[:, OTHER]
    doubled, thought_doubled = np.minimum(taken, 1.0), np.minimum(thought_taken, 1.0)
    for column, state in enumerate((CENTRED, OWN)):
        held = measured.values[:, state]
        chosen = np.where(thought_doubled > thought[:, state], doubled, held)
        costs[:, column] = np.maximum(doubled, held) - chosen
    costs[:, 2] = np.where(thought_taken <= 1.0, taken, 1.0) - doubled
    return costs


DECISIONS = ("double", "redouble", "take")
"""The columns of costs."""

EFFICIENCY_TARGETS = ("values", "choices")
"""Keys of `FIT_TARGETS` for efficiencies to be used."""


def compute_held_out_costs(
    measured: CubeValues, kinds: NDArray[np.int8], defaults: CubeEfficiencies, target: str
) -> FloatArray:
    """Compute the losses of cube decisions by measured efficiencies, each on positions left out of its fit.

    Each half of the positions of each kind is evaluated by the fit to the other halves.

    Args:
        measured: The positions.
        kinds: ``int8[n]``, places in `gammond.tools.measure.cube.positions.KINDS`.
        defaults: Their averages are used where a half has no information about an efficiency.
        target: A key of `FIT_TARGETS`.

    Returns:
        ``float64[n, 3]``, as `compute_decision_costs`.
    """
    is_odd = np.zeros(len(measured), np.bool_)
    for kind in np.unique(kinds):
        is_odd[np.flatnonzero(kinds == kind)[1::2]] = True
    costs = np.empty((len(measured), len(DECISIONS)))
    averages = average_efficiencies(defaults, measured.boards, measured.net_outcomes)
    for half in (is_odd, ~is_odd):
        numbers = fit_efficiencies(measured[~half], target).coefficients
        numbers = np.where(np.isnan(numbers), np.nan_to_num(averages), numbers)
        costs[half] = compute_decision_costs(measured[half], efficiencies_from_vector(numbers))
    return costs
