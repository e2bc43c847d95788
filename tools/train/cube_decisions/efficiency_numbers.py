"""Cube efficiencies as vectors: a number for contact, one for crashed sides, and races by their pips."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np
from numpy.typing import NDArray

from gammond.engine.cubeful import CubeEfficiencies, EfficiencyFormula
from gammond.engine.cubeful.efficiency import BEAROFF_PIPS, RACE_PIPS
from gammond.engine.kernels.values import OUTCOME_COLUMNS
from gammond.engine.rules.outcome import Outcomes
from gammond.engine.rules.position import Board

EFFICIENCY_NAMES = (
    "contact",
    "crashed",
    *(f"race, {pips} pips" for pips in RACE_PIPS),
    *(f"bearoff, {pips} pips" for pips in BEAROFF_PIPS),
)
"""The numbers by phase and pips of an `EfficiencyFormula`, in the order of vectors of them."""

_FloatArray = NDArray[np.float64]


def formula_to_vector(formula: EfficiencyFormula) -> _FloatArray:
    """Convert the numbers by phase and pips to a vector, ``float64[len(EFFICIENCY_NAMES)]``."""
    return np.array([formula.contact, formula.crashed, *formula.race, *formula.bearoff], np.float64)


def formula_from_vector(vector: Iterable[float]) -> EfficiencyFormula:
    """Convert a vector to a formula that adds nothing to its numbers."""
    contact, crashed, *others = map(float, vector)
    race, bearoff = others[: len(RACE_PIPS)], others[len(RACE_PIPS) :]
    numbers = {"contact": contact, "crashed": crashed, "race": race, "bearoff": bearoff}
    return msgspec.convert(numbers, EfficiencyFormula)


def compute_weights(boards: Board) -> _FloatArray:
    """Compute the weight of each number in the efficiency of each position, ``float64[n, k]``."""
    none = np.zeros((len(boards), OUTCOME_COLUMNS), np.float32)
    units = map(formula_from_vector, np.eye(len(EFFICIENCY_NAMES)))
    found = [CubeEfficiencies.make_equal(unit).for_boards(boards, none)[:, 0] for unit in units]
    return np.stack(found, axis=1).astype(np.float64)


def average_efficiencies(efficiencies: CubeEfficiencies, boards: Board, outcomes: Outcomes) -> _FloatArray:
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
        averages: _FloatArray = means @ weights / weights.sum(axis=0)
    return averages
