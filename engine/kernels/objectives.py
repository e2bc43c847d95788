"""Values of outcomes for the player on roll: outcomes alone, with a dead cube, or in all states of the cube.

The compiled form of `engine.search.objective.Objective`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import kernel
from engine.kernels.bearoff import number_position
from engine.kernels.bearoff_tables import BearoffTables
from engine.kernels.cubeful import (
    apply_double_option,
    compute_match_values,
    compute_money_values,
    look_up_efficiencies,
)

OUTCOMES_ONLY, DEAD_CUBE, MONEY, MATCH = range(4)
"""What stands in the columns after the outcome: nothing, the match-winning chance, values of cube states."""

OUTCOME_COLUMNS = 5


class ObjectiveRules(NamedTuple):
    """How values for the side on roll come from outcomes, and from the values of the replies.

    Attributes:
        kind: `OUTCOMES_ONLY`, `DEAD_CUBE`, `MONEY` or `MATCH`.
        scores: ``float64[g, k]``; this and the next four are `engine.search.objective.BackupRule`.
        score_of: ``int64[k]``.
        opponent_column: ``int64[k]``.
        factors: ``float64[k]``.
        shifts: ``float64[k]``.
        efficiencies: ``float32[4, pips]``, the table of `look_up_efficiencies`.
        owners: ``int8[s]``, as for `compute_money_values`; s is 0 without a live cube.
        jacoby: Whether gammons do not count while the cube is centred.
        exact_columns: ``int64[s]``, the column of each state in the equities of the database.
        worths: ``float64[levels, 2, 3]``; this and the next two as for `compute_match_values`.
        turns: ``bool[levels, 2]``.
        states: ``int8[s, 3]``.
        may_double: ``bool[s]``; this and the next four as for `apply_double_option`.
        state_after_take: ``int64[s]``.
        pass_values: ``float32[s]``.
        stake_factor: Factor from the value of the state after a take to the value of a take.
        beavers: Whether a take that would be worth less than nothing to the doubler is a beaver.
        tags: ``int64[plies + 1]``, the tags of values in the cache by plies; -1 for values left out.
    """

    kind: int
    scores: NDArray[np.float64]
    score_of: NDArray[np.int64]
    opponent_column: NDArray[np.int64]
    factors: NDArray[np.float64]
    shifts: NDArray[np.float64]
    efficiencies: NDArray[np.float32]
    owners: NDArray[np.int8]
    jacoby: bool
    exact_columns: NDArray[np.int64]
    worths: NDArray[np.float64]
    turns: NDArray[np.bool_]
    states: NDArray[np.int8]
    may_double: NDArray[np.bool_]
    state_after_take: NDArray[np.int64]
    pass_values: NDArray[np.float32]
    stake_factor: float
    beavers: bool
    tags: NDArray[np.int64]


@kernel
def is_settled(rules: ObjectiveRules, tables: BearoffTables, boards: NDArray[np.int8], at: int) -> bool:
    """Return whether look-ahead cannot change the value of a position: it is over, or known exactly.

    With the cube in a match no database knows the value.
    """
    if boards[at, 0, 0] == 15 or boards[at, 1, 0] == 15:
        return True
    return rules.kind != MATCH and number_position(boards, at, tables.pair_ranks)[0] >= 0


@kernel
def write_values(
    rules: ObjectiveRules,
    tables: BearoffTables,
    boards: NDArray[np.int8],
    outcomes: NDArray[np.float32],
    rows: NDArray[np.int64],
    values: NDArray[np.float32],
) -> None:
    """Write the values of positions, before the roll and before a double.

    Args:
        rules: Those of the side on roll.
        tables: The two-sided bearoff database whose equities count in money play.
        boards: ``int8[n, 2, 26]``.
        outcomes: ``float32[n, 5]``.
        rows: ``int64[n]``, the row of each.
        values: out, ``float32[m, k]``.
    """
    count, states = boards.shape[0], rules.owners.shape[0]
    for i in range(count):
        for column in range(OUTCOME_COLUMNS):
            values[rows[i], column] = outcomes[i, column]
    if rules.kind == DEAD_CUBE:
        for i in range(count):
            values[rows[i], OUTCOME_COLUMNS] = _compute_dead_cube_value(rules.worths, outcomes, i)
    if rules.kind not in (MONEY, MATCH):
        return
    efficiencies = np.empty(count, np.float32)
    look_up_efficiencies(boards, rules.efficiencies, efficiencies)
    cubeful = np.empty((count, states), np.float32)
    if rules.kind == MONEY:
        compute_money_values(outcomes, efficiencies, rules.owners, rules.jacoby, cubeful)
        _overwrite_exact(rules, tables, boards, cubeful)
    else:
        compute_match_values(outcomes, efficiencies, rules.worths, rules.turns, rules.states, cubeful)
    for i in range(count):
        for s in range(states):
            values[rows[i], OUTCOME_COLUMNS + s] = cubeful[i, s]


@kernel
def add_double_option(rules: ObjectiveRules, values: NDArray[np.float32]) -> None:
    """Add the option of the side on roll to double to ``float32[n, k]`` values."""
    if rules.kind in (MONEY, MATCH):
        apply_double_option(
            values,
            OUTCOME_COLUMNS,
            rules.may_double,
            rules.state_after_take,
            rules.pass_values,
            rules.stake_factor,
            rules.beavers,
        )


@kernel
def _overwrite_exact(
    rules: ObjectiveRules, tables: BearoffTables, boards: NDArray[np.int8], cubeful: NDArray[np.float32]
) -> None:
    """Overwrite the values of positions whose equities the two-sided database has."""
    for i in range(boards.shape[0]):
        own, other = number_position(boards, i, tables.pair_ranks)
        if own > 0 and other > 0:  # side 0 has finished
            for s in range(cubeful.shape[1]):
                cubeful[i, s] = tables.equities[own, other, rules.exact_columns[s]]


@kernel
def _compute_dead_cube_value(worths: NDArray[np.float64], outcomes: NDArray[np.float32], at: int) -> float:
    """Return the match-winning chance of an outcome, as `engine.cubeful.compute_dead_cube_values`."""
    win, lose = outcomes[at, 0], np.float32(1.0) - outcomes[at, 0]
    value = win * worths[0, 1, 0] + lose * worths[0, 0, 0]
    value = value + outcomes[at, 1] * (worths[0, 1, 1] - worths[0, 1, 0])
    value = value + outcomes[at, 2] * (worths[0, 1, 2] - worths[0, 1, 1])
    value = value + outcomes[at, 3] * (worths[0, 0, 1] - worths[0, 0, 0])
    return value + outcomes[at, 4] * (worths[0, 0, 2] - worths[0, 0, 1])
