"""Blocks of trials in lockstep: all of them make their first roll, then their second, and so on.

Variance reduction subtracts each roll's luck: the equity of the best reply to the roll thrown, minus the mean
over all 21 rolls, both by the same cheap evaluator. Whatever its errors, the luck of fair dice is zero on
average, so trials minus their luck have the same mean and a much smaller spread.

*Source:* the method is the one published for GNU Backgammon and Jellyfish (Jim Gillogly and Fredrik Dahl;
David Montgomery, "Variance Reduction", GammOnLine, 2000).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.errors import LimitError
from engine.evaluation.evaluator import Evaluator
from engine.kernels import rollout as kernel_rollout
from engine.rollout.batching import AdaptiveBatcher
from engine.rollout.compiled_trials import play_compiled_trials
from engine.rollout.dice import ROLL_NUMBERS, draw_rollout_dice
from engine.rollout.settings import MAX_TURNS, RolloutEvaluators, RolloutSettings
from engine.rollout.trial_scoring import OUTCOME_COLUMNS, Scores, TrialCubes, TrialScoring
from engine.rules.dice import ROLL_WEIGHTS, ROLLS
from engine.rules.outcome import Outcomes, evaluate_finished
from engine.rules.position import Board, find_finished

_ALL_ROLLS = np.array(ROLLS, np.int8)
_MOSTLY_DISTINCT = 0.9


def play_trials(
    starts: Board,
    trials: range,
    settings: RolloutSettings,
    evaluators: RolloutEvaluators,
    scoring: TrialScoring,
    cancelled: Callable[[], bool],
    cubes: TrialCubes | None = None,
) -> Scores:
    """Play the same trials, with the same dice, from each of several positions.

    Args:
        starts: ``int8[c, 2, 26]``; finished positions score as they ended.
        trials: Numbers of the trials.
        settings: Seed, truncation and variance reduction apply here.
        evaluators: The evaluators of the rollout.
        scoring: The scoring of the trials.
        cancelled: Asked some fifty times a second.
        cubes: The cube at each start; the present one if None.

    Returns:
        ``float64[c, len(trials), columns]``; the scores of a trial do not depend on the others in the block.

    Raises:
        CancelledWork: The rollout was cancelled.
        LimitError: A game did not end within `MAX_TURNS`.
    """
    cubes = TrialCubes.make_initial(len(starts)) if cubes is None else cubes
    loop = evaluators.loop
    if loop is not None and loop.supports(settings, scoring.make_tables()):
        return play_compiled_trials(starts, cubes, trials, settings, loop, scoring, cancelled)
    block = _TrialBlock(starts, cubes, trials, settings, evaluators, scoring, cancelled)
    block.play()
    return block.scores.reshape(len(starts), len(trials), scoring.columns)


class _TrialBlock:
    """Trials in progress, one row each, all at the same turn; the rows of finished ones are dropped."""

    def __init__(
        self,
        starts: Board,
        cubes: TrialCubes,
        trials: range,
        settings: RolloutSettings,
        evaluators: RolloutEvaluators,
        scoring: TrialScoring,
        cancelled: Callable[[], bool],
    ) -> None:
        self._settings = settings
        self._evaluators = evaluators
        self._scoring = scoring
        self._play_batcher, self._luck_batcher, self._leaf_batcher, self._cube_batcher = (
            AdaptiveBatcher(cancelled) for _ in range(4)
        )
        self._boards: Board = np.repeat(starts, len(trials), axis=0)
        self._trials = np.tile(np.arange(trials.start, trials.stop), len(starts))
        self._places = np.arange(len(self._boards))
        self._cubes = cubes[np.repeat(np.arange(len(starts)), len(trials))]
        self._turn = 0
        self._look_for_repeats = True
        self.scores: Scores = np.zeros((len(self._boards), scoring.columns))

    def play(self) -> None:
        """Play all trials to their end, subtracting luck from their scores."""
        self._finish_trials()
        while len(self._boards):
            if self._turn == MAX_TURNS:
                raise LimitError(f"a trial of a rollout took over {MAX_TURNS} turns")
            dice = draw_rollout_dice(self._settings.seed, self._trials, self._turn)
            rolls = ROLL_NUMBERS[dice[:, 0], dice[:, 1]]
            if not self._settings.variance_reduction:
                self._boards = self._play_rolls(rolls)
            else:
                cheap = self._subtract_luck(rolls)
                same = self._evaluators.effective_luck_policy is self._evaluators.policy
                self._boards = cheap if same else self._play_rolls(rolls)
            self._turn += 1
            self._finish_trials()

    def _play_rolls(self, rolls: NDArray[np.int8]) -> Board:
        """Return the positions after the policy's plays of the given rolls, ``int8[n, 2, 26]``."""
        rows, number = self._find_distinct(rolls)
        children = np.empty((len(rows), 2, 26), np.int8)
        for batch in self._play_batcher.iter_batches(len(rows)):
            of = rows[batch]
            replies = self._evaluators.policy.prune_plays(self._boards[of], _ALL_ROLLS[rolls[of]], 1, 0.0)
            children[batch] = replies.children
        return children[number]

    def _subtract_luck(self, rolls: NDArray[np.int8]) -> Board:
        """Subtract the luck of the given rolls from the scores.

        Returns:
            The positions after the plays that luck is measured by, ``int8[n, 2, 26]``.
        """
        rows, number = self._find_distinct(self._cubes.states)
        children = np.empty((len(rows), len(ROLLS), 2, 26), np.int8)
        scores = np.empty((len(rows), len(ROLLS), self._scoring.columns))
        means = np.empty((len(rows), self._scoring.columns))
        for batch in self._luck_batcher.iter_batches(len(rows)):
            after, after_scores = self._evaluate_all_rolls(rows[batch])
            children[batch] = after.reshape(-1, len(ROLLS), 2, 26)
            scores[batch] = after_scores.reshape(-1, len(ROLLS), self._scoring.columns)
            kernel_rollout.average_over_rolls(after_scores, ROLL_WEIGHTS, means[batch])
        luck = scores[number, rolls] - means[number]
        luck[:, OUTCOME_COLUMNS:] *= self._cubes.stakes[:, None]
        self.scores[self._places] -= luck
        return children[number, rolls]

    def _evaluate_all_rolls(self, rows: NDArray[np.int64]) -> tuple[Board, Scores]:
        """Return the cheap reply to each of the 21 rolls, and its scores, position by position."""
        boards = np.repeat(self._boards[rows], len(ROLLS), axis=0)
        dice = np.tile(_ALL_ROLLS, (len(rows), 1))
        children = self._evaluators.effective_luck_policy.prune_plays(boards, dice, 1, 0.0).children
        outcomes = self._evaluators.luck_evaluator.evaluate(children)
        states = np.repeat(self._cubes.states[rows], len(ROLLS))
        return children, self._scoring.score(outcomes, children, self._turn + 1, states)

    def _find_distinct(self, marks: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find repeated positions with equal marks, so that the work is done once for each.

        Games diverge quickly: once nearly all are distinct, repeats are not looked for any more.

        Args:
            marks: One small number for each row.

        Returns:
            A row of each distinct position, and for each row its index among those.
        """
        everything = np.arange(len(self._boards))
        if not self._look_for_repeats:
            return everything, everything
        keys = np.concatenate([self._boards.reshape(-1, 52), marks[:, None].astype(np.int8)], axis=1)
        _, rows, number = np.unique(keys.view("V53").ravel(), return_index=True, return_inverse=True)
        if len(rows) > _MOSTLY_DISTINCT * len(keys):
            self._look_for_repeats = False
        return rows, number

    def _finish_trials(self) -> None:
        """Score the trials that have ended, and drop them."""
        over = find_finished(self._boards)
        if over.any():
            self._score_and_drop(over, evaluate_finished(self._boards[over]))
        for cubeful in self._evaluators.exact_cubeful:
            covered = cubeful.covers(self._boards)
            covered &= self._scoring.can_settle(self._cubes.states, with_equities=True)
            if covered.any():
                boards = self._boards[covered]
                self._score_and_drop(covered, cubeful.evaluate(boards), cubeful.cubeful_equities(boards))
        for exact in self._evaluators.exact:
            covered = exact.covers(self._boards)
            covered &= self._scoring.can_settle(self._cubes.states, with_equities=False)
            if covered.any():
                self._score_and_drop(covered, exact.evaluate(self._boards[covered]))
        if self._turn and self._turn == self._settings.truncation:
            everything = np.ones(len(self._boards), np.bool_)
            self._score_and_drop(
                everything, _evaluate_in_batches(self._evaluators.leaf, self._boards, self._leaf_batcher)
            )
        self._act_on_cubes()

    def _act_on_cubes(self) -> None:
        """Play the cube actions, and end the trials in which the opponent passes."""
        rows = np.flatnonzero(self._scoring.may_double(self._turn, self._cubes.states))
        if not len(rows):
            return
        boards, cubes = self._boards[rows], self._cubes[rows]
        outcomes = _evaluate_in_batches(self._evaluators.cube_evaluator, boards, self._cube_batcher)
        passed, scores = self._scoring.act_on_cube(outcomes, boards, self._turn, cubes)
        self._cubes[rows] = cubes
        if passed.any():
            ended = np.zeros(len(self._boards), np.bool_)
            ended[rows[passed]] = True
            self._add_and_drop(ended, scores)

    def _score_and_drop(
        self,
        ended: NDArray[np.bool_],
        outcomes: Outcomes,
        equities: NDArray[np.float32] | None = None,
    ) -> None:
        """Score the trials of some rows by outcomes, and exact equities if known, and drop them."""
        states = self._cubes.states[ended]
        scores = self._scoring.score(outcomes, self._boards[ended], self._turn, states, equities)
        self._add_and_drop(ended, scores)

    def _add_and_drop(self, ended: NDArray[np.bool_], scores: Scores) -> None:
        """Add scores, at a stake of 1, to those of the trials of some rows, and drop the rows."""
        scores[:, OUTCOME_COLUMNS:] *= self._cubes.stakes[ended][:, None]
        self.scores[self._places[ended]] += scores
        left = ~ended
        self._boards, self._trials, self._places = self._boards[left], self._trials[left], self._places[left]
        self._cubes = self._cubes[left]


def _evaluate_in_batches(evaluator: Evaluator, boards: Board, batcher: AdaptiveBatcher) -> Outcomes:
    """Evaluate positions in batches, ``float32[n, 5]``."""
    outcomes = np.empty((len(boards), 5), np.float32)
    for batch in batcher.iter_batches(len(boards)):
        outcomes[batch] = evaluator.evaluate(boards[batch])
    return outcomes
