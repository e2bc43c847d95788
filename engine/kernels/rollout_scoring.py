"""Scores of rollout trials: where trials end, cube actions, luck.

Scores are those of `engine.rollout.trial_scoring`: the outcome, and in cubeful rollouts the value, for the
side on roll at the start. All trials of a block are at the same turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import kernel
from engine.kernels.bearoff import number_position
from engine.kernels.bearoff_tables import BearoffTables, look_up_outcome
from engine.kernels.cubeful import (
    OWN,
    apply_double_option,
    compute_match_values,
    compute_money_values,
    look_up_efficiencies,
)
from engine.kernels.outcomes import write_finished
from engine.kernels.rollout import (
    FIRST_TURN,
    ROWS,
    TURN,
    TrialArrays,
    average_over_rolls,
    copy_board,
    drop_ended,
)

OUTCOME_COLUMNS = 5
TIE_TOLERANCE = 1e-5
"""Values closer than this count as equal: rounding of 32-bit numbers."""

_TIE = np.float32(TIE_TOLERANCE)
_TWO = np.float32(2.0)


class ScoringTables(NamedTuple):
    """How trials are scored; made by `engine.rollout.trial_scoring.TrialScoring.make_tables`.

    The first axis of the arrays is the seat on roll, 0 for the side on roll at the start; s is the number of
    states of the cube. Without the cube only `is_cubeful` counts.

    Attributes:
        is_cubeful: Whether scores have a sixth column, the value.
        is_money: Whether values are points, not match-winning chances.
        may_double_at_start: Whether the side on roll at the start may double before its first roll.
        jacoby: Whether gammons do not count while the cube is centred.
        beavers: Whether the option to double is valued with beavers.
        may_beaver: Whether the present cube may be beavered.
        stake_factor: Factor from the value of the state after a take to the value of a take.
        efficiencies: ``float32[4, pips]``, see `engine.kernels.cubeful.look_up_efficiencies`.
        states: ``int8[2, s, 3]``, see `engine.kernels.cubeful.compute_match_values`.
        owners: ``int8[2, s]``, who can turn the cube.
        turns: ``bool[2, levels, 2]``, see there.
        worths: ``float64[2, levels, 2, 3]``, see there.
        state_after_take: ``int64[2, s]``.
        may_double: ``bool[2, s]``.
        pass_values: ``float32[2, s]``.
        is_dead: ``bool[s]``: whether nobody can turn the cube.
        exact_columns: ``int64[2, s]``, the column of exact money equities in each state.
    """

    is_cubeful: bool
    is_money: bool
    may_double_at_start: bool
    jacoby: bool
    beavers: bool
    may_beaver: bool
    stake_factor: float
    efficiencies: NDArray[np.float32]
    states: NDArray[np.int8]
    owners: NDArray[np.int8]
    turns: NDArray[np.bool_]
    worths: NDArray[np.float64]
    state_after_take: NDArray[np.int64]
    may_double: NDArray[np.bool_]
    pass_values: NDArray[np.float32]
    is_dead: NDArray[np.bool_]
    exact_columns: NDArray[np.int64]


class TrialRules(NamedTuple):
    """How trials are played and where they end.

    Attributes:
        truncation: The turn at which all trials end; 0 for none.
        variance_reduction: Whether to subtract luck.
        dice: ``int8[21, 2]``, the rolls.
        weights: ``float64[21]``, the probability of each.
        cubeful_ends: Databases that end trials, money trials with their exact equities.
        ends: Databases that end trials whose cube is dead.
    """

    truncation: int
    variance_reduction: bool
    dice: NDArray[np.int8]
    weights: NDArray[np.float64]
    cubeful_ends: BearoffTables
    ends: BearoffTables


class TrialDecisions(NamedTuple):
    """The rows of a block that end at a turn, or whose side on roll may double; made by `make_decisions`.

    Attributes:
        rows: ``int64[n]``.
        kinds: ``int8[n]``, `END`, `EXACT_END`, `TRUNCATED` or `CUBE`.
        boards: ``int8[n, 2, 26]``.
        classes: ``int8[n]``, for the evaluator.
        outcomes: ``float32[n, 5]``; of `TRUNCATED` and `CUBE` the caller evaluates them.
    """

    rows: NDArray[np.int64]
    kinds: NDArray[np.int8]
    boards: NDArray[np.int8]
    classes: NDArray[np.int8]
    outcomes: NDArray[np.float32]


END, EXACT_END, TRUNCATED, CUBE = range(4)
"""Kinds of decisions: the outcome is known, the exact money equities too, or it is to be evaluated: that of a
truncated trial, and of a cube decision."""


@kernel
def make_decisions(rows: int) -> TrialDecisions:
    """Make room for the decisions of a number of rows."""
    return TrialDecisions(
        rows=np.empty(rows, np.int64),
        kinds=np.empty(rows, np.int8),
        boards=np.empty((rows, 2, 26), np.int8),
        classes=np.empty(rows, np.int8),
        outcomes=np.empty((rows, 5), np.float32),
    )


@kernel
def list_decisions(
    tables: ScoringTables, rules: TrialRules, trials: TrialArrays, decisions: TrialDecisions
) -> int:
    """List the rows that end before the next roll, or whose side on roll may double to its benefit.

    Args:
        tables: The scoring.
        rules: The rules.
        trials: The block.
        decisions: out, with room for all rows in play.

    Returns:
        Their number.
    """
    turn = trials.progress[TURN]
    has_option = tables.is_cubeful and (turn > 0 or tables.may_double_at_start)
    boards, outcomes = decisions.boards, decisions.outcomes
    count = 0
    for row in range(trials.progress[ROWS]):
        state = int(trials.states[row])
        is_dead = not tables.is_cubeful or tables.is_dead[state]
        copy_board(trials.boards, row, boards, count)
        kind = -1
        if boards[count, 0, 0] == 15 or boards[count, 1, 0] == 15:
            write_finished(boards, count, outcomes)
            kind = END
        elif (is_dead or tables.is_money) and look_up_outcome(rules.cubeful_ends, boards, count, outcomes):
            kind = EXACT_END if tables.is_cubeful and tables.is_money else END
        elif is_dead and look_up_outcome(rules.ends, boards, count, outcomes):
            kind = END
        elif turn and turn == rules.truncation:
            kind = TRUNCATED
        elif has_option and tables.may_double[turn % 2, state]:
            kind = CUBE
        if kind >= 0:
            decisions.rows[count] = row
            decisions.kinds[count] = kind
            count += 1
    return count


@kernel
def decide(
    tables: ScoringTables, rules: TrialRules, trials: TrialArrays, decisions: TrialDecisions, count: int
) -> None:
    """Score the trials that end, play the cube actions, and drop the rows that have ended.

    Args:
        tables: The scoring.
        rules: The rules.
        trials: in and out.
        decisions: From `list_decisions`, with all outcomes.
        count: Their number.
    """
    turn = trials.progress[TURN]
    seat = turn % 2
    has_option = turn > 0 or tables.may_double_at_start
    values = np.zeros((count, tables.states.shape[1]), np.float32)
    if tables.is_cubeful:
        compute_values(tables, seat, decisions.boards[:count], decisions.outcomes[:count], values)
    ended = np.zeros(trials.progress[ROWS], np.bool_)
    scores = np.empty((1, trials.scores.shape[1]))
    for i in range(count):
        row = decisions.rows[i]
        state = int(trials.states[row])
        value = tables.pass_values[seat, state]
        if decisions.kinds[i] == CUBE:
            if not _is_passed(tables, trials, row, values, i):
                continue
        elif tables.is_cubeful:
            if decisions.kinds[i] == EXACT_END:
                own, other = number_position(decisions.boards, i, rules.cubeful_ends.pair_ranks)
                for s in range(values.shape[1]):
                    values[i, s] = rules.cubeful_ends.equities[own, other, tables.exact_columns[seat, s]]
            if has_option:
                add_double_option(tables, seat, values[i : i + 1])
            value = values[i, state]
        _write_score(tables, seat, decisions.outcomes, i, value, scores, 0)
        place = trials.places[row]
        for column in range(scores.shape[1]):
            stake = trials.stakes[row] if column >= OUTCOME_COLUMNS else 1.0
            trials.scores[place, column] += scores[0, column] * stake
        ended[row] = True
    drop_ended(trials, ended)


@kernel
def compute_values(
    tables: ScoringTables,
    seat: int,
    boards: NDArray[np.int8],
    outcomes: NDArray[np.float32],
    values: NDArray[np.float32],
) -> None:
    """Write cubeful values in every state of the cube without the option to double now.

    Args:
        tables: The scoring.
        seat: The seat on roll.
        boards: ``int8[n, 2, 26]``.
        outcomes: ``float32[n, 5]``.
        values: out, ``float32[n, s]``.
    """
    efficiencies = np.empty(boards.shape[0], np.float32)
    look_up_efficiencies(boards, tables.efficiencies, efficiencies)
    if tables.is_money:
        compute_money_values(outcomes, efficiencies, tables.owners[seat], tables.jacoby, values)
    else:
        compute_match_values(
            outcomes, efficiencies, tables.worths[seat], tables.turns[seat], tables.states[seat], values
        )


@kernel
def add_double_option(tables: ScoringTables, seat: int, values: NDArray[np.float32]) -> None:
    """Add the option to double to values in every state of the cube, ``float32[n, s]``."""
    apply_double_option(
        values,
        0,
        tables.may_double[seat],
        tables.state_after_take[seat],
        tables.pass_values[seat],
        tables.stake_factor,
        tables.beavers,
    )


@kernel
def _write_score(
    tables: ScoringTables,
    seat: int,
    outcomes: NDArray[np.float32],
    row: int,
    value: float,
    scores: NDArray[np.float64],
    place: int,
) -> None:
    """Write a score at a stake of 1.

    Args:
        tables: The scoring.
        seat: The seat on roll.
        outcomes: ``float32[n, 5]``.
        row: The row of the outcome.
        value: Its cubeful value, if scores have one.
        scores: out, ``float64[m, columns]``.
        place: The row to write.
    """
    if seat == 0:
        for column in range(OUTCOME_COLUMNS):
            scores[place, column] = outcomes[row, column]
    else:
        scores[place, 0] = 1.0 - float(outcomes[row, 0])
        for column in range(1, 3):
            scores[place, column] = outcomes[row, column + 2]
            scores[place, column + 2] = outcomes[row, column]
    if tables.is_cubeful:
        total = 0.0 if tables.is_money else 1.0
        scores[place, OUTCOME_COLUMNS] = total - float(value) if seat else float(value)


@kernel
def subtract_luck(
    tables: ScoringTables,
    trials: TrialArrays,
    first: int,
    end: int,
    boards: NDArray[np.int8],
    outcomes: NDArray[np.float32],
    weights: NDArray[np.float64],
) -> None:
    """Subtract the luck of their rolls from the scores of the trials in one position.

    Args:
        tables: The scoring.
        trials: in and out.
        first: The first of the rows in ``trials.groups``.
        end: Where they end there.
        boards: ``int8[rolls, 2, 26]``, the position after the best play of each roll.
        outcomes: ``float32[rolls, 5]``, of those.
        weights: ``float64[rolls]``, the probability of each roll.
    """
    turn = trials.progress[TURN]
    seat = (turn + 1) % 2
    rolls, columns = weights.shape[0], trials.scores.shape[1]
    values = np.zeros((rolls, tables.states.shape[1]), np.float32)
    if tables.is_cubeful:
        compute_values(tables, seat, boards, outcomes, values)
        add_double_option(tables, seat, values)
    scores, means = np.empty((rolls, columns)), np.empty((1, columns))
    state = -1
    for at in range(first, end):
        row = trials.groups[at]
        place = trials.places[row]
        if trials.states[row] != state:
            state = int(trials.states[row])
            for roll in range(rolls):
                _write_score(tables, seat, outcomes, roll, values[roll, state], scores, roll)
            average_over_rolls(scores, weights, means)
        roll = int(trials.rolls[place, turn - trials.progress[FIRST_TURN]])
        for column in range(columns):
            stake = trials.stakes[row] if column >= OUTCOME_COLUMNS else 1.0
            trials.scores[place, column] -= (scores[roll, column] - means[0, column]) * stake


@kernel
def _is_passed(
    tables: ScoringTables, trials: TrialArrays, row: int, values: NDArray[np.float32], at: int
) -> bool:
    """Play the cube action of a row whose side on roll may double; one that costs nothing is made.

    Args:
        tables: The scoring.
        trials: in and out; the state and the stake change where a double is taken.
        row: The row.
        values: ``float32[n, s]``, values in every state, without the option to double.
        at: The place of the row's.

    Returns:
        Whether the double is passed, which ends the trial.
    """
    seat = trials.progress[TURN] % 2
    state = int(trials.states[row])
    after = tables.state_after_take[seat, state]
    held, passed = values[at, state], tables.pass_values[seat, state]
    taken = np.float32(tables.stake_factor) * values[at, after]
    factor = tables.stake_factor
    if tables.may_beaver and taken < -_TIE:
        taken = _TWO * taken
        factor *= 2.0
    doubled = min(taken, passed)
    costs_nothing = tables.states[seat, state, 2] == OWN
    if not (doubled > held + _TIE or (costs_nothing and doubled > held - _TIE)):
        return False
    if taken > passed + _TIE:
        return True
    trials.states[row] = after
    trials.stakes[row] *= factor
    return False
