"""Trials in steps, by evaluators and policies of any kind, with kernels for all else."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.cubeful import select_exact_columns
from engine.evaluation.evaluator import ExactEvaluator
from engine.evaluation.pruning import PlayPruner
from engine.kernels import as_kernel_array
from engine.kernels.objectives import MATCH, MONEY, OUTCOME_COLUMNS
from engine.kernels.rollout import (
    CUBE,
    END,
    GROUPS,
    NEXT_GROUP,
    ROWS,
    TRUNCATED,
    TURN,
    TrialArrays,
    group_repeats,
    list_rolls,
    make_plays,
)
from engine.kernels.rollout_scoring import TrialRules, compute_values, decide, mark_decisions, subtract_luck
from engine.rollout.batching import AdaptiveBatcher
from engine.rollout.settings import RolloutEvaluators
from engine.rules.outcome import Outcomes
from engine.rules.position import Board


class SteppedTrials:
    """Plays a block of trials turn by turn; an `engine.rollout.trials.TrialLoop`.

    Args:
        evaluators: The evaluators of the rollout.
        cancelled: Asked before each batch of work.
    """

    def __init__(self, evaluators: RolloutEvaluators, cancelled: Callable[[], bool]) -> None:
        self._evaluators = evaluators
        self._leaf_batcher, self._cube_batcher, self._luck_batcher, self._play_batcher = (
            AdaptiveBatcher(cancelled) for _ in range(4)
        )

    def __call__(self, rules: TrialRules, trials: TrialArrays, rolls: int) -> bool:
        """Play one turn, as `engine.rollout.trials.TrialLoop`, however many rolls that are."""
        self._end_and_double(rules, trials)
        if not trials.progress[ROWS]:
            return True
        policy, luck_policy = self._evaluators.policy, self._evaluators.effective_luck_policy
        plays_with_luck = rules.variance_reduction and luck_policy is policy
        if rules.variance_reduction:
            self._play_rolls(rules, trials, luck_policy, self._luck_batcher, True, plays_with_luck)
        if not plays_with_luck:
            self._play_rolls(rules, trials, policy, self._play_batcher, False, True)
        return False

    def _end_and_double(self, rules: TrialRules, trials: TrialArrays) -> None:
        """End the trials whose value is known or that are truncated, and play the cube."""
        mark_decisions(rules, trials)
        rows = int(trials.progress[ROWS])
        boards, kinds, outcomes = trials.boards[:rows], trials.kinds[:rows], trials.outcomes[:rows]
        is_dead = rules.is_dead[trials.states[:rows]]
        settled = [
            (exact, _look_up_ends(exact, is_dead | (rules.own.kind != MATCH), boards, kinds, outcomes))
            for exact in self._evaluators.exact_cubeful
        ]
        for exact in self._evaluators.exact:
            _look_up_ends(exact, is_dead, boards, kinds, outcomes)
        for kind, evaluator, batcher in (
            (TRUNCATED, self._evaluators.leaf, self._leaf_batcher),
            (CUBE, self._evaluators.cube_evaluator, self._cube_batcher),
        ):
            asked = np.flatnonzero(kinds == kind)
            for batch in batcher.iter_batches(len(asked)):
                outcomes[asked[batch]] = evaluator.evaluate(boards[asked[batch]])
        values = compute_values(rules, rules.no_tables, trials)
        if rules.own.kind == MONEY:
            side = rules.other if trials.progress[TURN] % 2 else rules.own
            for cubeful, ended in settled:
                equities = cubeful.cubeful_equities(boards[ended])
                known = select_exact_columns(equities, side.exact_columns, jacoby=side.jacoby)
                values[ended, OUTCOME_COLUMNS:] = known
        decide(rules, trials, values)

    def _play_rolls(
        self,
        rules: TrialRules,
        trials: TrialArrays,
        policy: PlayPruner,
        batcher: AdaptiveBatcher,
        measures_luck: bool,
        makes_plays: bool,
    ) -> None:
        """Play the roll of each trial, or all 21 to measure luck; make the plays of its own."""
        per_group = len(rules.dice) if measures_luck else 1
        group_repeats(trials, not measures_luck)
        for batch in batcher.iter_batches(int(trials.progress[GROUPS])):
            count = (batch.stop - batch.start) * per_group
            boards, dice = np.empty((count, 2, 26), np.int8), np.empty((count, 2), np.int8)
            list_rolls(trials, batch.stop, per_group, rules.dice, boards, dice)
            children = as_kernel_array(policy.prune_plays(boards, dice, 1, 0.0).children, np.int8)
            if measures_luck:
                outcomes = self._evaluators.luck_evaluator.evaluate(children)
                subtract_luck(rules, trials, batch.stop, children, as_kernel_array(outcomes, np.float32))
            if makes_plays:
                make_plays(trials, batch.stop, per_group, children)
            else:
                trials.progress[NEXT_GROUP] = batch.stop


def _look_up_ends(
    exact: ExactEvaluator,
    may_settle: NDArray[np.bool_],
    boards: Board,
    kinds: NDArray[np.int8],
    outcomes: Outcomes,
) -> NDArray[np.int64]:
    """End the trials that an evaluator knows, and return their rows.

    Args:
        exact: The evaluator.
        may_settle: ``bool[n]``, whether an exact outcome settles the value of a game.
        boards: ``int8[n, 2, 26]``.
        kinds: in and out, ``int8[n]``.
        outcomes: in and out, ``float32[n, 5]``.
    """
    rows = np.flatnonzero(may_settle & (kinds != END))
    rows = rows[exact.covers(boards[rows])]
    if len(rows):
        outcomes[rows] = exact.evaluate(boards[rows])
        kinds[rows] = END
    return rows
