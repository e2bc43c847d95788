"""Rollout trials in one compiled loop, where a pruning net and a router play and evaluate."""

from __future__ import annotations

import numpy as np

from engine.bearoff.tables import pack_exact_table, pack_tables
from engine.evaluation.pruning import ShortlistPruner
from engine.kernels.rollout import TrialArrays
from engine.kernels.rollout_scoring import ScoringTables, TrialRules
from engine.rollout.settings import RolloutEvaluators, RolloutSettings
from engine.rules.dice import ROLL_WEIGHTS, ROLLS
from engine.runtime.thread_turns import release_turn
from nets.kernels import trials as kernel_trials
from nets.kernels.trials import MAX_KEPT, PolicyNets
from nets.pruning_net import PruningNet
from nets.router import Router

_DICE = np.array(ROLLS, np.int8)


class CompiledTrialLoop:
    """Plays trials as evaluators of a rollout would; an `engine.rollout.settings.TrialLoop`.

    Args:
        nets: The compiled form of the policy and of one evaluator.
        rules: How trials end, before settings.
        evaluates_luck: Whether the policy and the evaluator measure luck.
        evaluates_leaves: Whether the evaluator evaluates truncated trials.
        evaluates_cubes: Whether it evaluates cube decisions.
    """

    def __init__(
        self,
        nets: PolicyNets,
        rules: TrialRules,
        *,
        evaluates_luck: bool,
        evaluates_leaves: bool,
        evaluates_cubes: bool,
    ) -> None:
        self._nets = nets
        self._rules = rules
        self._evaluates_luck = evaluates_luck
        self._evaluates_leaves = evaluates_leaves
        self._evaluates_cubes = evaluates_cubes

    def supports(self, settings: RolloutSettings, tables: ScoringTables) -> bool:
        """Return whether all evaluators that such trials ask are compiled, as `TrialLoop.supports`."""
        return (
            (self._evaluates_luck or not settings.variance_reduction)
            and (self._evaluates_leaves or not settings.truncation)
            and (self._evaluates_cubes or not tables.is_cubeful)
        )

    def play_on(
        self, settings: RolloutSettings, tables: ScoringTables, trials: TrialArrays, rolls: int
    ) -> bool:
        """Play on with a block of trials, as `TrialLoop.play_on`."""
        rules = self._rules._replace(
            truncation=settings.truncation, variance_reduction=settings.variance_reduction
        )
        with release_turn():
            return kernel_trials.play_trials(self._nets, tables, rules, trials, rolls)


def make_trial_loop(evaluators: RolloutEvaluators) -> CompiledTrialLoop | None:
    """Make the compiled loop of the evaluators of a rollout, None where some have no compiled form."""
    policy, router = evaluators.policy, evaluators.luck_evaluator
    size, margin, chooser = 1, 0.0, router
    if isinstance(policy, ShortlistPruner):
        size, margin, chooser = policy.shortlist_size, policy.margin, policy.evaluator
        policy = policy.pruner
    ends, cubeful_ends = pack_tables(evaluators.exact), pack_exact_table(evaluators.exact_cubeful)
    if (
        not isinstance(policy, PruningNet)
        or not isinstance(router, Router)
        or chooser is not router
        or size > MAX_KEPT
        or router.compiled is None
        or router.bearoff is None
        or ends is None
        or cubeful_ends is None
    ):
        return None
    return CompiledTrialLoop(
        PolicyNets(*policy.weights, size, margin, *router.compiled, router.bearoff),
        TrialRules(0, True, _DICE, ROLL_WEIGHTS, cubeful_ends, ends),
        evaluates_luck=evaluators.effective_luck_policy is evaluators.policy,
        evaluates_leaves=evaluators.leaf is router,
        evaluates_cubes=evaluators.cube_evaluator is router,
    )
