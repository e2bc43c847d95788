"""Cubeful values in all states of the cube at once: of outcomes, and with the right to double.

A search goes leaf, doubling option, swap sides and average over the rolls, doubling option, … up to the root,
whose values stay without the option, for `engine.cubeful.decision` to compare.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.cubeful.state_space import CubefulValues, CubeStateSpace
from engine.kernels import as_kernel_array
from engine.kernels import cubeful as kernel_cubeful
from engine.rules.outcome import Outcomes

JACOBY_COLUMN = 3
"""The column of equities with the cube centred and the Jacoby rule, of evaluators with gammons."""


def compute_leaf_values(
    outcomes: Outcomes, efficiencies: NDArray[np.float32], space: CubeStateSpace
) -> CubefulValues:
    """Return values of outcomes by Janowski's model, before the roll, if the side on roll does not double.

    *Source:* Rick Janowski, "Take-Points in Money Games" (1993), the general model: dead value + efficiency ·
    (live value - dead value); in a match the same on match-winning chances, as published in GNU Backgammon's
    manual. Difference: a side with a free double uses it at its next turn, which costs the side on roll
    (1 - efficiency)² · (value of a double now - dead value).

    Args:
        outcomes: ``float32[n, 5]``.
        efficiencies: ``float32[n, 3]``, with the cube centred, owned by that side, and owned by the other; or
            ``float32[n]``, the same in all states. See `engine.cubeful.efficiency`.
        space: The states, seen by the side that the outcomes are for.

    Returns:
        ``float32[n, states]``.
    """
    outcomes = as_kernel_array(outcomes, np.float32)
    by_state = efficiencies if efficiencies.ndim == 2 else efficiencies[:, None]
    efficiencies = as_kernel_array(np.broadcast_to(by_state, (len(outcomes), 3)), np.float32)
    values = np.empty((len(outcomes), len(space.states)), np.float32)
    if space.is_money:
        kernel_cubeful.compute_money_values(
            outcomes, efficiencies, space.cube_owners, space.match.jacoby, values
        )
    else:
        kernel_cubeful.compute_match_values(
            outcomes, efficiencies, space.result_values, space.turns_cube, space.kernel_states, values
        )
    return values


def select_exact_values(equities: NDArray[np.float32], space: CubeStateSpace) -> CubefulValues:
    """Return the values of money positions whose equities in the three states of the cube are known.

    Args:
        equities: ``float32[n, 3]`` or ``float32[n, 4]``, see
            `engine.evaluation.evaluator.CubefulEvaluator.cubeful_equities`.
        space: The states, seen by the side on roll.

    Returns:
        ``float32[n, states]``, as `compute_leaf_values`.
    """
    return select_exact_columns(equities, list_exact_columns(space), jacoby=space.match.jacoby)


def select_exact_columns(
    equities: NDArray[np.float32], columns: NDArray[np.int64], *, jacoby: bool
) -> CubefulValues:
    """Return equities in the states of the cube, those of a centred cube by the Jacoby rule if it is played.

    Args:
        equities: As for `select_exact_values`.
        columns: As from `list_exact_columns`.
        jacoby: Whether the Jacoby rule is played.
    """
    if jacoby and equities.shape[1] > JACOBY_COLUMN:
        columns = np.where(columns == 0, JACOBY_COLUMN, columns)
    return equities[:, columns]


def list_exact_columns(space: CubeStateSpace) -> NDArray[np.int64]:
    """Return the column of each state of the cube in the equities of `select_exact_values`, ``int64[s]``."""
    columns = [0 if state.owner is None else 1 if state.owner == space.seat else 2 for state in space.states]
    return np.array(columns, np.int64)


def with_doubling_option(values: CubefulValues, space: CubeStateSpace, first: int = 0) -> CubefulValues:
    """Return values with the option to double now and the proper response, in every state that allows it.

    Where the match state has beavers, a double that should be beavered is.

    Args:
        values: ``float32[n, first + states]``, before the roll, without doubling: from `compute_leaf_values`,
            or averaged over the rolls.
        space: The states, seen by the side on roll.
        first: The column of the first state; those before it are copied.

    Returns:
        A new array of the same shape.
    """
    result = np.array(values, np.float32, order="C")
    kernel_cubeful.add_double_option(space.double_option, result, first)
    return result


def compute_dead_cube_values(outcomes: Outcomes, space: CubeStateSpace) -> NDArray[np.float32]:
    """Return the values of outcomes with a dead cube, gammons included.

    Args:
        outcomes: ``float32[n, 5]``.
        space: The states, seen by the side that the outcomes are for.

    Returns:
        ``float32[n]``: cubeless equity in money play, match-winning chance in a match.
    """
    outcomes = as_kernel_array(outcomes, np.float32)
    values = np.empty((len(outcomes), 1), np.float32)
    kernel_cubeful.compute_dead_cube_values(outcomes, space.result_values, values)
    return values[:, 0]


def to_equities(values: CubefulValues, space: CubeStateSpace) -> NDArray[np.float64]:
    """Convert values to equities: 1 is a single game won at the present cube, -1 one lost.

    Args:
        values: ``float32[...]`` of any shape.
        space: The states, seen by the side that the values are for.

    Returns:
        ``float64[...]`` of the same shape, in points for a cube of 1.
    """
    even, stake = space.equity_scale
    return (np.asarray(values, np.float64) - even) / stake
