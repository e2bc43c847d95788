"""Values of positions for the player on roll: of outcomes, with the right to double, and of the replies.

The first five columns of values are the outcome; then comes one for each state of the cube, if any.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import gil_kernel, kernel
from engine.kernels.bearoff import number_position
from engine.kernels.bearoff_tables import BearoffTables
from engine.kernels.cubeful import (
    DoubleOption,
    EfficiencyTables,
    compute_dead_cube_values,
    compute_efficiencies,
    compute_match_values,
    compute_money_values,
)
from engine.kernels.phases import is_over

OUTCOMES_ONLY, DEAD_CUBE, MONEY, MATCH = range(4)
"""What follows the outcome: nothing, the match-winning chance with a dead cube, values of cube states."""

OUTCOME_COLUMNS = 5


class ObjectiveRules(NamedTuple):
    """How values for the side on roll come from outcomes; from `engine.search.objective.Objective`.

    Attributes:
        kind: `OUTCOMES_ONLY`, `DEAD_CUBE`, `MONEY` or `MATCH`.
        efficiencies: Cube efficiencies, for `compute_efficiencies`.
        owners: ``int8[s]``, as for `compute_money_values`; s is 0 if values are outcomes alone.
        jacoby: Whether gammons do not count while the cube is centred.
        exact_columns: ``int64[s]``, the column of each state in the equities of the database.
        worths: ``float64[levels, 2, 3]``; this and the next two as for `compute_match_values`.
        turns: ``bool[levels, 2]``.
        states: ``int8[s, 3]``.
        option: The option to double; none where the cube is dead.
    """

    kind: int
    efficiencies: EfficiencyTables
    owners: NDArray[np.int8]
    jacoby: bool
    exact_columns: NDArray[np.int64]
    worths: NDArray[np.float64]
    turns: NDArray[np.bool_]
    states: NDArray[np.int8]
    option: DoubleOption


@kernel
def is_settled(rules: ObjectiveRules, tables: BearoffTables, boards: NDArray[np.int8], at: int) -> bool:
    """Return whether look-ahead cannot change the value of a position: it is over, or known exactly.

    With the cube in a match no database knows the value.
    """
    if is_over(boards, at):
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
    cubeful = np.empty((count, states), np.float32)
    if rules.kind == DEAD_CUBE:
        compute_dead_cube_values(outcomes, rules.worths, cubeful)
    elif rules.kind != OUTCOMES_ONLY:
        efficiencies = np.empty((count, 3), np.float32)
        compute_efficiencies(boards, outcomes, rules.efficiencies, efficiencies)
        if rules.kind == MONEY:
            compute_money_values(outcomes, efficiencies, rules.owners, rules.jacoby, cubeful)
            _overwrite_exact(rules, tables, boards, cubeful)
        else:
            compute_match_values(outcomes, efficiencies, rules.worths, rules.turns, rules.states, cubeful)
    for i in range(count):
        for column in range(OUTCOME_COLUMNS):
            values[rows[i], column] = outcomes[i, column]
        for s in range(states):
            values[rows[i], OUTCOME_COLUMNS + s] = cubeful[i, s]


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


@gil_kernel
def choose_replies(
    kind: int, values: NDArray[np.float32], offsets: NDArray[np.int64], width: int, margin: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Choose the best replies to each roll for the present state of the cube; ties go to the first.

    Args:
        kind: That of the values.
        values: ``float32[m, k]``, of the positions after the replies, for the next mover.
        offsets: ``int64[n + 1]``; the replies to roll i are at ``offsets[i]:offsets[i + 1]``, at least one.
        width: The largest number of replies for a roll, 1 or more.
        margin: The largest difference from the best reply.

    Returns:
        The places of the chosen replies, the best of each roll first, and ``int64[n + 1]`` their offsets.
    """
    chosen, chosen_offsets = np.empty(values.shape[0], np.int64), np.zeros_like(offsets)
    found = np.empty(width, np.float64)
    at = 0
    for i in range(offsets.shape[0] - 1):
        count = 0
        for reply in range(offsets[i], offsets[i + 1]):
            score = _score_reply(kind, values, reply, 0)
            if count == width and score >= found[count - 1]:
                continue
            if count < width:
                count += 1
            j = count - 1
            while j > 0 and found[j - 1] > score:
                found[j] = found[j - 1]
                chosen[at + j] = chosen[at + j - 1]
                j -= 1
            found[j] = score
            chosen[at + j] = reply
        while count > 1 and found[count - 1] > found[0] + margin:
            count -= 1
        at += count
        chosen_offsets[i + 1] = at
    return chosen[:at], chosen_offsets


@gil_kernel
def average_best_replies(
    kind: int, values: NDArray[np.float32], offsets: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Take the best reply to each roll, swap sides, and average over the rolls.

    Each state of the cube has its own best reply, ties go to the first; the outcome is that of the first
    state's.

    Args:
        kind: That of the values.
        values: ``float32[m, k]``, of the positions after the replies, for the next mover.
        offsets: ``int64[n * rolls + 1]``; the replies to roll r of position i are at
            ``offsets[i * rolls + r]:offsets[i * rolls + r + 1]``, at least one.
        weights: ``float64[rolls]``, the probability of each roll.

    Returns:
        ``float32[n, k]``, for the side on roll.
    """
    rolls, columns = weights.shape[0], values.shape[1]
    averages = np.empty(((offsets.shape[0] - 1) // rolls, columns), np.float32)
    sums = np.empty(columns, np.float64)
    total = 0.0 if kind == MONEY else 1.0  # of the values of both sides in a state
    for i in range(averages.shape[0]):
        for c in range(columns):
            sums[c] = 0.0
        for r in range(rolls):
            start, end = offsets[i * rolls + r], offsets[i * rolls + r + 1]
            for state in range(max(1, columns - OUTCOME_COLUMNS)):
                best, least = start, _score_reply(kind, values, start, state)
                for reply in range(start + 1, end):
                    score = _score_reply(kind, values, reply, state)
                    if score < least:
                        best, least = reply, score
                if state == 0:
                    sums[0] += weights[r] * (1.0 - float(values[best, 0]))
                    for c in range(1, 3):  # gammons and backgammons, won and lost
                        sums[c] += weights[r] * float(values[best, c + 2])
                        sums[c + 2] += weights[r] * float(values[best, c])
                if kind != OUTCOMES_ONLY:
                    c = OUTCOME_COLUMNS + state
                    sums[c] += weights[r] * (total - float(values[best, c]))
        for c in range(columns):
            averages[i, c] = sums[c]
    return averages


@kernel
def _score_reply(kind: int, values: NDArray[np.float32], row: int, state: int) -> float:
    """Return a reply's value for the next mover, which the side that chooses wants least."""
    if kind != OUTCOMES_ONLY:
        return float(values[row, OUTCOME_COLUMNS + state])
    wins = 2.0 * float(values[row, 0]) + float(values[row, 1]) + float(values[row, 2])
    return wins - float(values[row, 3]) - float(values[row, 4])
