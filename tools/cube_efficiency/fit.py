"""The efficiencies that fit what positions are worth with the cube, and what decisions by them lose.

By Janowski's model the value of a position in a state of the cube is dead + efficiency · (live - dead), both
of which follow from its outcome. So efficiencies are a linear least-squares fit: value - dead to live - dead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cubeful import CubeEfficiencies, CubeGame, leaf_values
from engine.cubeful.efficiency import BEAROFF_PIPS, RACE_PIPS
from engine.position import Board
from tools.cube_efficiency.values import STATES, CubeValues, money_game

CENTRED, OWN, OTHER = range(STATES)

PLACES = (
    "contact",
    "crashed",
    *(f"race, {pips} pips" for pips in RACE_PIPS),
    *(f"bearoff, {pips} pips" for pips in BEAROFF_PIPS),
)
"""Where `CubeEfficiencies` has numbers, in the order of vectors of them."""

Numbers = NDArray[np.float64]

_TAKEN = 2.0
"""What a cube that the other side holds counts, after a double that was taken."""

ROWS: dict[str, Numbers] = {
    "values": np.array([[1, 0, 0], [0, 1, 0], [0, 0, _TAKEN]]),
    "choices": np.array([[-1, 0, _TAKEN], [0, -1, _TAKEN], [0, 0, _TAKEN]]),
    "centred": np.array([[1.0, 0, 0]]),
    "own": np.array([[0, 1.0, 0]]),
    "other": np.array([[0, 0, 1.0]]),
}
"""What can be fitted, as sums of the values in the states of the cube: the three values; what decides, a take
less not doubling, less not redoubling, and less a pass; or one of the values alone."""


def vector_of(efficiencies: CubeEfficiencies) -> Numbers:
    """Write efficiencies as a vector, ``float64[len(PLACES)]``."""
    return np.array(
        [efficiencies.contact, efficiencies.crashed, *efficiencies.race, *efficiencies.bearoff], np.float64
    )


def efficiencies_of(vector: Iterable[float]) -> CubeEfficiencies:
    """Read efficiencies from a vector."""
    contact, crashed, *others = map(float, vector)
    ends = len(RACE_PIPS)
    return CubeEfficiencies(contact, crashed, tuple(others[:ends]), tuple(others[ends:]))


def weights_of(boards: Board) -> Numbers:
    """Say what each number of a vector of efficiencies counts in each position: ``float64[n, k]``."""
    units = np.eye(len(PLACES))
    return np.stack([efficiencies_of(unit).of(boards) for unit in units], axis=1).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Fit:
    """Numbers that were fitted, and how far they are known.

    Attributes:
        numbers: ``float64[k]``; nan where no position says anything.
        errors: ``float64[k]``, their standard errors from the spread of the positions: the noise of rollouts
            and the faults of the model alike.
    """

    numbers: Numbers
    errors: Numbers


def fit_efficiencies(known: CubeValues, what: str) -> Fit:
    """Fit all efficiencies at once.

    Args:
        known: The positions.
        what: Of `ROWS`, what is to fit.

    Returns:
        Vectors in the order of `PLACES`.
    """
    return _least_squares(known, weights_of(known.boards), ROWS[what])


def fit_flat(known: CubeValues, what: str) -> Fit:
    """Fit a single efficiency to positions; arguments as `fit_efficiencies`."""
    return _least_squares(known, np.ones((len(known), 1)), ROWS[what])


def _least_squares(known: CubeValues, weights: Numbers, rows: Numbers) -> Fit:
    """Fit numbers of which each position's efficiency is a weighted sum, ``float64[n, k]``."""
    dead, live = (_model_values(known.outcomes, efficiency, money_game()) for efficiency in (0.0, 1.0))
    levers = ((live - dead) @ rows.T)[:, :, None] * weights[:, None, :]
    wanted = (known.values - dead) @ rows.T
    squares = np.einsum("nsk,nsl->kl", levers, levers)
    is_known = np.diag(squares) > 0.0
    inverse = np.zeros_like(squares)
    inverse[np.ix_(is_known, is_known)] = np.linalg.pinv(squares[np.ix_(is_known, is_known)])
    numbers = inverse @ np.einsum("nsk,ns->k", levers, wanted)
    pulls = np.einsum("nsk,ns->nk", levers, wanted - levers @ numbers) @ inverse
    counts = (levers != 0.0).any(axis=1).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.sqrt((pulls**2).sum(axis=0) * counts / (counts - 1.0))
    return Fit(np.where(is_known, numbers, np.nan), np.where(is_known & (counts > 1), errors, np.nan))


def _model_values(outcomes: Numbers, efficiency: float, game: CubeGame) -> Numbers:
    efficiencies = np.full(len(outcomes), efficiency, np.float32)
    return leaf_values(outcomes.astype(np.float32), efficiencies, game).astype(np.float64)


def decision_costs(known: CubeValues, efficiencies: CubeEfficiencies) -> Numbers:
    """Say what decisions by the net's outcomes and some efficiencies lose, by what positions are worth.

    Args:
        known: The positions.
        efficiencies: What the decisions rest on.

    Returns:
        ``float64[n, 3]`` in points for the present cube: whether to double, whether to redouble, whether to
        take if doubled. After a double the other side answers as it should.
    """
    game = money_game()
    thought = leaf_values(known.judged, efficiencies.of(known.boards), game).astype(np.float64)
    costs = np.empty((len(known), 3))
    taken, thought_taken = _TAKEN * known.values[:, OTHER], _TAKEN * thought[:, OTHER]
    doubled, thought_doubled = np.minimum(taken, 1.0), np.minimum(thought_taken, 1.0)
    for column, state in enumerate((CENTRED, OWN)):
        held = known.values[:, state]
        chosen = np.where(thought_doubled > thought[:, state], doubled, held)
        costs[:, column] = np.maximum(doubled, held) - chosen
    costs[:, 2] = np.where(thought_taken <= 1.0, taken, 1.0) - doubled
    return costs


DECISIONS = ("double", "redouble", "take")
"""The columns of costs."""

FITS = ("values", "choices")
"""Of `ROWS`, those that efficiencies to be used can be fitted to."""


def held_out_costs(known: CubeValues, kinds: NDArray[np.int8], usual: CubeEfficiencies, what: str) -> Numbers:
    """Say what decisions by measured efficiencies lose, on positions that were not measured on.

    Each half of the positions of each kind is judged by the fit of the other halves.

    Args:
        known: The positions.
        kinds: ``int8[n]``, their kinds.
        usual: Taken where a half says nothing about an efficiency.
        what: Of `FITS`, what is fitted.

    Returns:
        ``float64[n, 3]``, as `decision_costs`.
    """
    is_odd = np.zeros(len(known), np.bool_)
    for kind in np.unique(kinds):
        is_odd[np.flatnonzero(kinds == kind)[1::2]] = True
    costs = np.empty((len(known), len(DECISIONS)))
    for half in (is_odd, ~is_odd):
        numbers = fit_efficiencies(known[~half], what).numbers
        numbers = np.where(np.isnan(numbers), vector_of(usual), numbers)
        costs[half] = decision_costs(known[half], efficiencies_of(numbers))
    return costs
