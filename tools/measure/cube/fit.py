"""The efficiencies that fit what positions are worth with the cube, and what decisions by them lose.

By Janowski's model the value of a position in a state of the cube is dead + efficiency · (live - dead), both
of which follow from its outcome. So efficiencies are a linear least-squares fit: value - dead to live - dead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cubeful import CubeEfficiencies, CubeStateSpace, compute_leaf_values
from engine.cubeful.efficiency import BEAROFF_PIPS, RACE_PIPS
from engine.rules.position import Board
from tools.measure.cube.values import CUBE_STATES, CubeValues, make_money_game

CENTRED, OWN, OTHER = range(CUBE_STATES)

EFFICIENCY_NAMES = (
    "contact",
    "crashed",
    *(f"race, {pips} pips" for pips in RACE_PIPS),
    *(f"bearoff, {pips} pips" for pips in BEAROFF_PIPS),
)
"""Where `CubeEfficiencies` has numbers, in the order of vectors of them."""

FloatArray = NDArray[np.float64]

_TAKEN_CUBE = 2.0
"""What a cube that the other side holds counts, after a double that was taken."""

FIT_TARGETS: dict[str, FloatArray] = {
    "values": np.array([[1, 0, 0], [0, 1, 0], [0, 0, _TAKEN_CUBE]]),
    "choices": np.array([[-1, 0, _TAKEN_CUBE], [0, -1, _TAKEN_CUBE], [0, 0, _TAKEN_CUBE]]),
    "centred": np.array([[1.0, 0, 0]]),
    "own": np.array([[0, 1.0, 0]]),
    "other": np.array([[0, 0, 1.0]]),
}
"""What can be fitted, as sums of the values in the states of the cube: the three values; what decides, a take
less not doubling, less not redoubling, and less a pass; or one of the values alone."""


def efficiencies_to_vector(efficiencies: CubeEfficiencies) -> FloatArray:
    """Write efficiencies as a vector, ``float64[len(PLACES)]``."""
    return np.array(
        [efficiencies.contact, efficiencies.crashed, *efficiencies.race, *efficiencies.bearoff], np.float64
    )


def efficiencies_from_vector(vector: Iterable[float]) -> CubeEfficiencies:
    """Read efficiencies from a vector."""
    contact, crashed, *others = map(float, vector)
    ends = len(RACE_PIPS)
    return CubeEfficiencies(contact, crashed, tuple(others[:ends]), tuple(others[ends:]))


def compute_weights(boards: Board) -> FloatArray:
    """Say what each number of a vector of efficiencies counts in each position: ``float64[n, k]``."""
    units = np.eye(len(EFFICIENCY_NAMES))
    return np.stack([efficiencies_from_vector(unit).for_boards(boards) for unit in units], axis=1).astype(
        np.float64
    )


@dataclass(frozen=True, eq=False)
class EfficiencyFit:
    """Numbers that were fitted, and how far they are known.

    Attributes:
        coefficients: ``float64[k]``; nan where no position says anything.
        errors: ``float64[k]``, their standard errors from the spread of the positions: the noise of rollouts
            and the faults of the model alike.
    """

    coefficients: FloatArray
    errors: FloatArray


def fit_efficiencies(measured: CubeValues, target: str) -> EfficiencyFit:
    """Fit all efficiencies at once.

    Args:
        measured: The positions.
        target: Of `ROWS`, what is to fit.

    Returns:
        Vectors in the order of `EFFICIENCY_NAMES`.
    """
    return _fit_least_squares(measured, compute_weights(measured.boards), FIT_TARGETS[target])


def fit_single_efficiency(measured: CubeValues, target: str) -> EfficiencyFit:
    """Fit a single efficiency to positions; arguments as `fit_efficiencies`."""
    return _fit_least_squares(measured, np.ones((len(measured), 1)), FIT_TARGETS[target])


def _fit_least_squares(measured: CubeValues, weights: FloatArray, rows: FloatArray) -> EfficiencyFit:
    """Fit numbers of which each position's efficiency is a weighted sum, ``float64[n, k]``."""
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


def _compute_model_values(outcomes: FloatArray, efficiency: float, space: CubeStateSpace) -> FloatArray:
    efficiencies = np.full(len(outcomes), efficiency, np.float32)
    return compute_leaf_values(outcomes.astype(np.float32), efficiencies, space).astype(np.float64)


def compute_decision_costs(measured: CubeValues, efficiencies: CubeEfficiencies) -> FloatArray:
    """Say what decisions by the net's outcomes and some efficiencies lose, by what positions are worth.

    Args:
        measured: The positions.
        efficiencies: What the decisions rest on.

    Returns:
        ``float64[n, 3]`` in points for the present cube: whether to double, whether to redouble, whether to
        take if doubled. After a double the other side answers as it should.
    """
    game = make_money_game()
    thought = compute_leaf_values(
        measured.net_outcomes, efficiencies.for_boards(measured.boards), game
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
"""Of `ROWS`, those that efficiencies to be used can be fitted to."""


def compute_held_out_costs(
    measured: CubeValues, kinds: NDArray[np.int8], defaults: CubeEfficiencies, target: str
) -> FloatArray:
    """Say what decisions by measured efficiencies lose, on positions that were not measured on.

    Each half of the positions of each kind is judged by the fit of the other halves.

    Args:
        measured: The positions.
        kinds: ``int8[n]``, their kinds.
        defaults: Taken where a half says nothing about an efficiency.
        target: Of `FITS`, what is fitted.

    Returns:
        ``float64[n, 3]``, as `compute_decision_costs`.
    """
    is_odd = np.zeros(len(measured), np.bool_)
    for kind in np.unique(kinds):
        is_odd[np.flatnonzero(kinds == kind)[1::2]] = True
    costs = np.empty((len(measured), len(DECISIONS)))
    for half in (is_odd, ~is_odd):
        numbers = fit_efficiencies(measured[~half], target).coefficients
        numbers = np.where(np.isnan(numbers), efficiencies_to_vector(defaults), numbers)
        costs[half] = compute_decision_costs(measured[half], efficiencies_from_vector(numbers))
    return costs
