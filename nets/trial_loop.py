"""Rollout trials in one compiled loop, in which the nets of a router evaluate and choose."""

from __future__ import annotations

from collections.abc import Sequence

from engine.bearoff.tables import pack_exact_table, pack_tables
from engine.evaluation.evaluator import Evaluator, ExactEvaluator
from engine.evaluation.pruning import PlayPruner, ShortlistPruner
from engine.kernels.bearoff_tables import BearoffTables
from engine.kernels.rollout import TrialArrays
from engine.kernels.rollout_scoring import TrialRules
from engine.rollout.trials import TrialLoop
from engine.runtime.thread_turns import release_turn
from nets.compiled_net import CompiledRoutes
from nets.kernels.trials import MAX_KEPT, TrialNets, play_trials
from nets.pruning_net import PruningNet


def make_trial_loop(
    evaluator: Evaluator,
    routes: CompiledRoutes,
    tables: BearoffTables,
    policy: PlayPruner,
    exact: Sequence[ExactEvaluator],
    exact_cubeful: Sequence[ExactEvaluator],
) -> TrialLoop | None:
    """Return the loop of rollout trials with some nets.

    Args:
        evaluator: The evaluator whose compiled form these nets are.
        routes: Evaluate positions.
        tables: Evaluate the races that they cover.
        policy: Plays both sides.
        exact: End trials.
        exact_cubeful: End trials, those of money games with the cubeful value.

    Returns:
        The loop; None if one of these has no compiled form.
    """
    size, margin, chooser = 1, 0.0, evaluator
    if isinstance(policy, ShortlistPruner):
        size, margin, chooser = policy.shortlist_size, policy.margin, policy.evaluator
        policy = policy.pruner
    cubeful_ends, ends = pack_exact_table(exact_cubeful), pack_tables(exact)
    if not isinstance(policy, PruningNet) or chooser is not evaluator or size > MAX_KEPT:
        return None
    if cubeful_ends is None or ends is None:
        return None
    nets = TrialNets(*routes, tables, cubeful_ends, ends, *policy.weights, size, margin)

    def play_on(rules: TrialRules, trials: TrialArrays, rolls: int) -> bool:
        with release_turn():
            return play_trials(nets, rules, trials, rolls)

    return play_on
