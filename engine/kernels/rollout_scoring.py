"""Scores of rollout trials: where trials end, cube actions, luck.

A score is the outcome, and with the cube the value, for the side on roll at the start: see
`gammond.engine.rollout.results`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel
from gammond.engine.kernels.bearoff_tables import NO_TABLES, BearoffTables, look_up_outcome
from gammond.engine.kernels.cubeful import CUBELESS, MATCH, MONEY, OWN, GameArrays, add_double_option
from gammond.engine.kernels.objectives import write_values
from gammond.engine.kernels.outcomes import write_finished
from gammond.engine.kernels.phases import is_over
from gammond.engine.kernels.rollout import (
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
from gammond.engine.kernels.values import (
    OUTCOME_COLUMNS,
    ROLL_CHANCES,
    is_beaver,
    should_double,
    turn_round,
    value_take,
)

_TIE = np.float32(1e-5)
"""Values closer than this count as equal: rounding of 32-bit numbers."""


class TrialRules(NamedTuple):
    """How trials are played, where they end and what they score.

    Attributes:
        own: The game, seen by the side on roll at the start, which moves on even turns.
        other: The same, seen by the other side.
        may_double_first: Whether the side on roll at the start may double before its first roll.
        truncation: The turn at which all trials end; 0 for none.
        variance_reduction: Whether to subtract luck.
    """

    own: GameArrays
    other: GameArrays
    may_double_first: bool
    truncation: int
    variance_reduction: bool


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
    has_cube = side.kind != CUBELESS and (turn > 0 or rules.may_double_first)
    for row in range(trials.progress[ROWS]):
        kind = PLAYS_ON
        if is_over(trials.boards, row):
            write_finished(trials.boards, row, trials.outcomes)
            kind = END
        elif turn > 0 and turn == rules.truncation:
            kind = TRUNCATED
        elif has_cube and side.may_double[trials.states[row]]:
            kind = CUBE
        trials.kinds[row] = kind


@kernel
def look_up_ends(
    rules: TrialRules,
    cubeful_ends: BearoffTables,
    ends: BearoffTables,
    is_solved: bool,
    trials: TrialArrays,
) -> None:
    """End the rows whose value is known, after `mark_decisions`.

    Args:
        rules: The rules.
        cubeful_ends: Databases that end money trials, and those whose cube is dead.
        ends: Databases that end trials whose cube is dead.
        is_solved: Whether the caller's evaluator ends trials as ``cubeful_ends`` do: it knows all positions.
        trials: in and out: kinds, and outcomes.
    """
    is_money, has_cube = rules.own.kind != MATCH, rules.own.kind != CUBELESS
    for row in range(trials.progress[ROWS]):
        if trials.kinds[row] == END:
            continue
        state = trials.states[row]
        is_dead = not has_cube or not (rules.own.may_double[state] or rules.other.may_double[state])
        if is_solved and (is_dead or is_money):
            trials.kinds[row] = TRUNCATED
            continue
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
    values = np.empty((rows, OUTCOME_COLUMNS + side.states.shape[0]), np.float32)
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
    if turn > 0 or rules.may_double_first:
        add_double_option(side, best, OUTCOME_COLUMNS)
    scores = np.empty((values.shape[0], trials.scores.shape[1]))
    for row in range(values.shape[0]):
        state = int(trials.states[row])
        if trials.kinds[row] == CUBE:
            if _is_passed(rules, trials, row, values):
                best[row, OUTCOME_COLUMNS + state] = side.pass_values[state]
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
    values = np.empty((boards.shape[0], OUTCOME_COLUMNS + side.states.shape[0]), np.float32)
    write_values(side, NO_TABLES, boards, outcomes, np.arange(boards.shape[0]), values)
    add_double_option(side, values, OUTCOME_COLUMNS)
    first = trials.progress[NEXT_GROUP]
    rolls, columns = ROLL_CHANCES.shape[0], trials.scores.shape[1]
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
                        means[column] += ROLL_CHANCES[roll] * scores[roll, column]
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
    """Write a score at a stake of 1, given values that on odd turns are for the other side."""
    if turn % 2 == 0:
        for column in range(OUTCOME_COLUMNS):
            scores[place, column] = values[row, column]
    else:
        turn_round(values, row, scores, place)
    if rules.own.kind != CUBELESS:
        value = float(values[row, OUTCOME_COLUMNS + state])
        total = 0.0 if rules.own.kind == MONEY else 1.0
        scores[place, OUTCOME_COLUMNS] = total - value if turn % 2 else value


@kernel
def _is_passed(rules: TrialRules, trials: TrialArrays, row: int, values: NDArray[np.float32]) -> bool:
    """Play the cube action of a row whose side on roll may double; a double that costs nothing is made.

    A take changes the state and the stake. Return whether the double is passed, which ends the trial.
    """
    side = rules.other if trials.progress[TURN] % 2 else rules.own
    state = int(trials.states[row])
    after = side.state_after_take[state]
    held, passed = values[row, OUTCOME_COLUMNS + state], side.pass_values[state]
    held_after = values[row, OUTCOME_COLUMNS + after]
    taken = value_take(held_after, side.stake_factor, side.beavers, _TIE)
    if not should_double(held, min(taken, passed), side.states[state, 2] == OWN, _TIE):
        return False
    if taken > passed + _TIE:
        return True
    beavered = is_beaver(np.float32(side.stake_factor) * held_after, side.beavers, _TIE)
    trials.states[row] = after
    trials.stakes[row] *= side.stake_factor * (2.0 if beavered else 1.0)
    return False
