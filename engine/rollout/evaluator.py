"""Rollouts as an evaluator, for labels of training positions and for ranking plays."""

from __future__ import annotations

import numpy as np

from engine.rollout.settings import RolloutEvaluators, RolloutSettings
from engine.rollout.trial_scoring import Scores, TrialScoring
from engine.rollout.trials import play_trials
from engine.rules.outcome import Outcomes, sanitise_outcomes
from engine.rules.position import Board

_GAMES_AT_ONCE = 4096


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
        step = max(1, _GAMES_AT_ONCE // self._settings.trials)
        for start in range(0, len(boards), step):
            for row, scores in enumerate(self._play_trials(boards[start : start + step]), start):
                means[row] = scores.mean(axis=0)
        return sanitise_outcomes(means, boards)

    def _play_trials(self, boards: Board) -> Scores:
        """Play all trials; return their scores, ``float64[n, trials, 5]``."""
        trials = self._settings.trials
        parts = [
            play_trials(
                boards,
                range(first, min(first + _GAMES_AT_ONCE, trials)),
                self._settings,
                self._evaluators,
                TrialScoring(),
                lambda: False,
            )
            for first in range(0, trials, _GAMES_AT_ONCE)
        ]
        return np.concatenate(parts, axis=1)
