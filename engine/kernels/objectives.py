"""Values of positions for the player on roll: of outcomes, with the right to double, and of the replies.

The first five columns of values are the outcome; then comes one for each state of the cube, if any.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel
from gammond.engine.kernels.bearoff import number_position
from gammond.engine.kernels.bearoff_tables import BearoffTables
from gammond.engine.kernels.cubeful import (
    CUBELESS,
    MATCH,
    MONEY,
    GameArrays,
    compute_cube_values,
    compute_efficiencies,
)
from gammond.engine.kernels.outcomes import keep_best
from gammond.engine.kernels.phases import is_over
from gammond.engine.kernels.values import OUTCOME_COLUMNS, compute_equity, turn_round


@kernel
def is_settled(game: GameArrays, tables: BearoffTables, boards: NDArray[np.int8], at: int) -> bool:
    """Return whether look-ahead cannot change the value of a position: it is over, or known exactly.

    With the cube in a match no database knows the value.
    """
    if is_over(boards, at):
        return True
    return game.kind != MATCH and number_position(boards, at, tables.pair_ranks)[0] >= 0


@kernel
def write_values(
    game: GameArrays,
    tables: BearoffTables,
    boards: NDArray[np.int8],
    outcomes: NDArray[np.float32],
    rows: NDArray[np.int64],
    values: NDArray[np.float32],
) -> None:
    """Write the values of positions, before the roll and before a double.

    Args:
        game: The game, seen by the side on roll.
        tables: The two-sided bearoff database whose equities count in money play.
        boards: ``int8[n, 2, 26]``.
        outcomes: ``float32[n, 5]``.
        rows: ``int64[n]``, the row of each.
        values: out, ``float32[m, k]``.
    """
    count, states = boards.shape[0], game.states.shape[0]
    cubeful = np.empty((count, states), np.float32)
    if game.kind != CUBELESS:
        efficiencies = np.empty((count, 3), np.float32)
        if game.kind == MONEY or game.kind == MATCH:
            compute_efficiencies(boards, outcomes, game.efficiencies, efficiencies)
        compute_cube_values(game, outcomes, efficiencies, cubeful)
        if game.kind == MONEY:
            _overwrite_exact(game, tables, boards, cubeful)
    for i in range(count):
        for column in range(OUTCOME_COLUMNS):
            values[rows[i], column] = outcomes[i, column]
        for s in range(states):
            values[rows[i], OUTCOME_COLUMNS + s] = cubeful[i, s]


@kernel
def _overwrite_exact(
    game: GameArrays, tables: BearoffTables, boards: NDArray[np.int8], cubeful: NDArray[np.float32]
) -> None:
    """Overwrite the values of positions whose equities the two-sided database has."""
    for i in range(boards.shape[0]):
        own, other = number_position(boards, i, tables.pair_ranks)
        if own > 0 and other > 0:  # side 0 has finished
            for s in range(cubeful.shape[1]):
                cubeful[i, s] = tables.equities[own, other, game.exact_columns[s]]


@kernel
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
        The places of the chosen replies, the best of each roll first, and their offsets.
    """
    scores = np.empty(values.shape[0], np.float64)
    for reply in range(scores.shape[0]):
        scores[reply] = _score_reply(kind, values, reply, 0)
    return keep_best(scores, offsets, width, np.float64(margin))


@kernel
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
    sums, turned = np.empty(columns, np.float64), np.empty((1, OUTCOME_COLUMNS), np.float64)
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
                    turn_round(values, best, turned, 0)
                    for c in range(OUTCOME_COLUMNS):
                        sums[c] += weights[r] * turned[0, c]
                if kind != CUBELESS:
                    c = OUTCOME_COLUMNS + state
                    sums[c] += weights[r] * (total - float(values[best, c]))
        for c in range(columns):
            averages[i, c] = sums[c]
    return averages


@kernel
def _score_reply(kind: int, values: NDArray[np.float32], row: int, state: int) -> float:
    """Return a reply's value for the next mover, which the side that chooses wants least."""
    if kind != CUBELESS:
        return float(values[row, OUTCOME_COLUMNS + state])
    return compute_equity(values, row)
