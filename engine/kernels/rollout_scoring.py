"""Scores of rollout trials: where trials end, cube actions, luck.

A score is the outcome, and with the cube the value, for the side on roll at the start: see
`engine.rollout.trial_scoring`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import kernel
from engine.kernels.bearoff_tables import BearoffTables, look_up_outcome
from engine.kernels.cubeful import OWN, add_double_option
from engine.kernels.objectives import (
    MATCH,
    MONEY,
    OUTCOME_COLUMNS,
    OUTCOMES_ONLY,
    ObjectiveRules,
    write_values,
)
from engine.kernels.outcomes import write_finished
from engine.kernels.phases import is_over
from engine.kernels.rollout import (
    CUBE,
    END,
    NEXT_GROUP,
    PLAYS_ON,
    ROWS,
    TRUNCATED,
    TURN,
    TrialArrays,
    drop_ended,
)

_TIE = np.float32(1e-5)
"""Values closer than this count as equal: rounding of 32-bit numbers."""

_TWO = np.float32(2.0)


class TrialRules(NamedTuple):
    """How trials are played, where they end and what they score.

    Attributes:
        own: The values of the side on roll at the start, which moves on even turns.
        other: Those of the other side.
        is_dead: ``bool[s]``: in which states nobody can turn the cube any more.
        may_double_at_start: Whether the side on roll at the start may double before its first roll.
        may_beaver: Whether the present cube may be beavered.
        truncation: The turn at which all trials end; 0 for none.
        variance_reduction: Whether to subtract luck.
        dice: ``int8[21, 2]``, the rolls.
        weights: ``float64[21]``, the probability of each.
        no_tables: Empty databases: luck is measured by an evaluator alone.
    """

    own: ObjectiveRules
    other: ObjectiveRules
    is_dead: NDArray[np.bool_]
    may_double_at_start: bool
    may_beaver: bool
    truncation: int
    variance_reduction: bool
    dice: NDArray[np.int8]
    weights: NDArray[np.float64]
    no_tables: BearoffTables


@kernel
def mark_decisions(rules: TrialRules, trials: TrialArrays) -> None:
    """Mark the rows that end before the roll, and those whose side on roll may double to its benefit.

    Those that are over get their outcomes; the caller evaluates the others.

    Args:
        rules: The rules.
        trials: in and out: kinds, and outcomes.
    """
    turn = trials.progress[TURN]
    side = rules.other if turn % 2 else rules.own
    has_cube = side.kind != OUTCOMES_ONLY and (turn > 0 or rules.may_double_at_start)
    for row in range(trials.progress[ROWS]):
        kind = PLAYS_ON
        if is_over(trials.boards, row):
            write_finished(trials.boards, row, trials.outcomes)
            kind = END
        elif turn > 0 and turn == rules.truncation:
            kind = TRUNCATED
        elif has_cube and side.option.may_double[trials.states[row]]:
            kind = CUBE
        trials.kinds[row] = kind


@kernel
def look_up_ends(
    rules: TrialRules, cubeful_ends: BearoffTables, ends: BearoffTables, trials: TrialArrays
) -> None:
    """End the rows whose value is known, after `mark_decisions`.

    Args:
        rules: The rules.
        cubeful_ends: Databases that end money trials, and those whose cube is dead.
        ends: Databases that end trials whose cube is dead.
        trials: in and out: kinds, and outcomes.
    """
    is_money = rules.own.kind != MATCH
    for row in range(trials.progress[ROWS]):
        if trials.kinds[row] == END:
            continue
        is_dead = rules.is_dead[trials.states[row]]
        is_known = (is_dead or is_money) and look_up_outcome(
            cubeful_ends, trials.boards, row, trials.outcomes
        )
        if is_known or (is_dead and look_up_outcome(ends, trials.boards, row, trials.outcomes)):
            trials.kinds[row] = END


@kernel
def compute_values(rules: TrialRules, tables: BearoffTables, trials: TrialArrays) -> NDArray[np.float32]:
    """Compute the values of all rows in play, without the option to double now.

    Args:
        rules: The rules.
        tables: Databases whose equities count in money play.
        trials: The block; where rows play on, the values are anything.

    Returns:
        ``float32[n, 5 + s]``, the outcomes, and the values in all states of the cube.
    """
    side = rules.other if trials.progress[TURN] % 2 else rules.own
    rows = trials.progress[ROWS]
    values = np.empty((rows, OUTCOME_COLUMNS + side.owners.shape[0]), np.float32)
    write_values(side, tables, trials.boards[:rows], trials.outcomes[:rows], np.arange(rows), values)
    return values


@kernel
def decide(rules: TrialRules, trials: TrialArrays, values: NDArray[np.float32]) -> None:
    """Score the trials that end, play the cube actions, and drop the rows that have ended.

    Args:
        rules: The rules.
        trials: in and out.
        values: ``float32[n, 5 + s]``, from `compute_values`.
    """
    turn = trials.progress[TURN]
    side = rules.other if turn % 2 else rules.own
    best = values.copy()
    if turn > 0 or rules.may_double_at_start:
        add_double_option(side.option, best, OUTCOME_COLUMNS)
    scores = np.empty((values.shape[0], trials.scores.shape[1]))
    for row in range(values.shape[0]):
        state = int(trials.states[row])
        if trials.kinds[row] == CUBE:
            if _is_passed(rules, trials, row, values):
                best[row, OUTCOME_COLUMNS + state] = side.option.pass_values[state]
            else:
                trials.kinds[row] = PLAYS_ON
        if trials.kinds[row] == PLAYS_ON:
            continue
        _write_score(rules, turn, best, row, state, scores, row)
        place = trials.places[row]
        for column in range(scores.shape[1]):
            stake = trials.stakes[row] if column >= OUTCOME_COLUMNS else 1.0
            trials.scores[place, column] += scores[row, column] * stake
    drop_ended(trials)


@kernel
def subtract_luck(
    rules: TrialRules,
    trials: TrialArrays,
    end: int,
    boards: NDArray[np.int8],
    outcomes: NDArray[np.float32],
) -> None:
    """Subtract the luck of their rolls from the scores of the trials of the next groups.

    Args:
        rules: The rules.
        trials: in and out.
        end: The group after the last one.
        boards: ``int8[m, 2, 26]``, the positions after the best play of each roll, group by group.
        outcomes: ``float32[m, 5]``, of those.
    """
    turn = trials.progress[TURN]
    side = rules.own if turn % 2 else rules.other
    values = np.empty((boards.shape[0], OUTCOME_COLUMNS + side.owners.shape[0]), np.float32)
    write_values(side, rules.no_tables, boards, outcomes, np.arange(boards.shape[0]), values)
    add_double_option(side.option, values, OUTCOME_COLUMNS)
    first = trials.progress[NEXT_GROUP]
    rolls, columns = rules.weights.shape[0], trials.scores.shape[1]
    scores, means = np.empty((rolls, columns)), np.empty(columns)
    for group in range(first, end):
        state = -1
        for i in range(trials.ends[group - 1] if group else 0, trials.ends[group]):
            row = trials.groups[i]
            place = trials.places[row]
            if trials.states[row] != state:
                state = int(trials.states[row])
                for roll in range(rolls):
                    _write_score(rules, turn + 1, values, (group - first) * rolls + roll, state, scores, roll)
                for column in range(columns):
                    means[column] = 0.0
                    for roll in range(rolls):
                        means[column] += rules.weights[roll] * scores[roll, column]
            roll = int(trials.rolls[place, turn % trials.rolls.shape[1]])
            for column in range(columns):
                stake = trials.stakes[row] if column >= OUTCOME_COLUMNS else 1.0
                trials.scores[place, column] -= (scores[roll, column] - means[column]) * stake


@kernel
def _write_score(
    rules: TrialRules,
    turn: int,
    values: NDArray[np.float32],
    row: int,
    state: int,
    scores: NDArray[np.float64],
    place: int,
) -> None:
    """Write a score at a stake of 1.

    Args:
        rules: The rules.
        turn: The turn; on odd ones the values are for the other side.
        values: ``float32[n, 5 + s]``.
        row: The row of values.
        state: The state of the cube.
        scores: out, ``float64[m, columns]``.
        place: The row to write.
    """
    if turn % 2 == 0:
        for column in range(OUTCOME_COLUMNS):
            scores[place, column] = values[row, column]
    else:
        scores[place, 0] = 1.0 - float(values[row, 0])
        for column in range(1, 3):
            scores[place, column] = values[row, column + 2]
            scores[place, column + 2] = values[row, column]
    if rules.own.kind != OUTCOMES_ONLY:
        value = float(values[row, OUTCOME_COLUMNS + state])
        total = 0.0 if rules.own.kind == MONEY else 1.0
        scores[place, OUTCOME_COLUMNS] = total - value if turn % 2 else value


@kernel
def _is_passed(rules: TrialRules, trials: TrialArrays, row: int, values: NDArray[np.float32]) -> bool:
    """Play the cube action of a row whose side on roll may double; a double that costs nothing is made.

    Args:
        rules: The rules.
        trials: in and out; the state and the stake change where a double is taken.
        row: The row.
        values: ``float32[n, 5 + s]``, without the option to double.

    Returns:
        Whether the double is passed, which ends the trial.
    """
    side = rules.other if trials.progress[TURN] % 2 else rules.own
    state = int(trials.states[row])
    after = side.option.state_after_take[state]
    held, passed = values[row, OUTCOME_COLUMNS + state], side.option.pass_values[state]
    taken = np.float32(side.option.stake_factor) * values[row, OUTCOME_COLUMNS + after]
    factor = side.option.stake_factor
    if rules.may_beaver and taken < -_TIE:
        taken = _TWO * taken
        factor *= 2.0
    doubled = min(taken, passed)
    costs_nothing = side.states[state, 2] == OWN
    if not (doubled > held + _TIE or (costs_nothing and doubled > held - _TIE)):
        return False
    if taken > passed + _TIE:
        return True
    trials.states[row] = after
    trials.stakes[row] *= factor
    return False
