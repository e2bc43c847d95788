"""Sixteen hand-made features of a position, gated by the phase of the game.

*Source:* the project "backgammon" with ``feature_vector.py``, as its README describes it: 8 features of the
side that has played, 8 of the other, each divided by its largest value; the phase by how many of its checkers
are outside its home; 48 inputs, of which those of the other phases are 0. The formula of each, with what the
README leaves open, is in ``docs/lab/history/4-phase-features.md``.
"""

from __future__ import annotations

import enum

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import as_kernel_array
from gammond.engine.rules.position import CHECKERS, Board
from gammond.nets.heritage.phase_features import kernels as kernel_features

FEATURES = kernel_features.FEATURES
INPUTS = kernel_features.INPUTS

_SIDE_MAXIMA = {
    "occupied_points": 7,
    "borne_off": CHECKERS,
    "on_bar": CHECKERS,
    "blot_distance": 270,
    "total_distance": 360,
    "excess_distance": 270,
    "blots": CHECKERS,
    "on_board": CHECKERS,
}
"""Features of a side, each with its largest value, the divisor."""

FEATURE_NAMES = (*_SIDE_MAXIMA, *(f"opponent_{name}" for name in reversed(_SIDE_MAXIMA)))
"""Names of the features in order: those of the side that has played, then its opponent's."""

FEATURE_MAXIMA: NDArray[np.float64] = np.array(
    [*_SIDE_MAXIMA.values(), *reversed(_SIDE_MAXIMA.values())], np.float64
)
"""``float64[16]``, divisors of normalised features."""


class FeaturePhase(enum.IntEnum):
    """How far the side that has played has come home; unrelated to `gammond.engine.rules.position.Phase`."""

    EARLY = kernel_features.EARLY
    MID = kernel_features.MID
    LATE = kernel_features.LATE


def compute_phase_features(
    boards: Board, *, is_normalised: bool = True
) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Count the features of positions after a play.

    Args:
        boards: ``int8[n, 2, 26]`` as the next mover sees them: row 1 has played.
        is_normalised: Whether to divide each by its largest value, to 0..1.

    Returns:
        ``float32[n, 16]`` in the order of `FEATURE_NAMES`, and for each position its `FeaturePhase`,
        ``int8[n]``.
    """
    values = np.empty((len(boards), FEATURES), np.float32)
    phases = np.empty(len(boards), np.int8)
    kernel_features.compute_features(
        as_kernel_array(boards, np.int8), get_divisors(is_normalised), values, phases
    )
    return values, phases


def list_phase_features(board: Board, *, is_normalised: bool = True) -> dict[str, float | str]:
    """List the phase of a position, ``int8[2, 26]``, and its features by name, as for their scorers."""
    values, phases = compute_phase_features(board[None], is_normalised=is_normalised)
    features = dict(zip(FEATURE_NAMES, values[0].tolist(), strict=True))
    return {"phase": FeaturePhase(phases[0]).name.lower(), **features}


def encode_gated_inputs(boards: Board, *, is_normalised: bool = True) -> NDArray[np.float32]:
    """Encode positions after a play: the features in the block of their phase, 0 in the others.

    Args:
        boards: ``int8[n, 2, 26]`` as the next mover sees them: row 1 has played.
        is_normalised: As in `compute_phase_features`.

    Returns:
        ``float32[n, 48]``.
    """
    values, phases = compute_phase_features(boards, is_normalised=is_normalised)
    inputs = np.zeros((len(boards), kernel_features.PHASES, FEATURES), np.float32)
    inputs[np.arange(len(boards)), phases] = values
    return inputs.reshape(len(boards), INPUTS)


def get_divisors(is_normalised: bool) -> NDArray[np.float64]:
    """Return the divisors of the counts, ``float64[16]``."""
    return FEATURE_MAXIMA if is_normalised else np.ones(FEATURES)
