"""Rollouts as an evaluator, for labels of training positions and for ranking plays."""

from __future__ import annotations

import numpy as np

from engine.rollout.settings import RolloutEvaluators, RolloutSettings
from engine.rollout.trial_scoring import TrialScoring
from engine.rollout.trials import BLOCK_ROWS, play_trials
from engine.rules.outcome import Outcomes, sanitise_outcomes
from engine.rules.position import Board


class RolloutEvaluator:
    """Evaluates positions by rolling each of them out with the same dice, many in lockstep.

    The stop rules are not applied: a row depends on its own board alone.

    Args:
        evaluators: The evaluators of the rollout.
        settings: Trials, seed, truncation and variance reduction apply.
    """

    def __init__(self, evaluators: RolloutEvaluators, settings: RolloutSettings) -> None:
        self._evaluators = evaluators
        self._settings = settings

    @property
    def name(self) -> str:
        """The number of trials and the policy."""
        return f"rollout {self._settings.trials} {self._evaluators.policy.name}"

    @property
    def plies(self) -> int:
        """Plies played before the leaf evaluator; 0 if games are played out."""
        return self._settings.truncation

    def evaluate(self, boards: Board) -> Outcomes:
        """Roll positions out, as `engine.evaluation.evaluator.Evaluator.evaluate`."""
        means = np.empty((len(boards), 5), np.float32)
        trials = range(self._settings.trials)
        step = max(1, BLOCK_ROWS // len(trials))
        for start in range(0, len(boards), step):
            scores = play_trials(
                boards[start : start + step],
                trials,
                self._settings,
                self._evaluators,
                TrialScoring(),
                lambda: False,
            )
            for row, of_row in enumerate(scores, start):
                means[row] = of_row.mean(axis=0)
        return sanitise_outcomes(means, boards)
