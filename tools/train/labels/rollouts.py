"""Rollouts as labels: many games from each position, by the nets, with variance reduction.

Each position has dice of its own, so the errors of labels do not depend on each other; the plays of one roll
share theirs, so that the differences between them err less. At 0-ply the evaluator
that chooses plays also measures luck, so that one compiled loop plays the games.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gammond.engine.cubeful import CUBELESS_GAME
from gammond.engine.evaluation.pruning import PlayPruner, ShortlistPruner
from gammond.engine.rollout import RolloutEvaluators, RolloutSettings
from gammond.engine.rollout.dice import FACES
from gammond.engine.rollout.results import Scores
from gammond.engine.rollout.trials import TrialBlock
from gammond.engine.rules.outcome import Outcomes
from gammond.engine.rules.position import Board
from gammond.engine.search import NPlyEvaluator
from gammond.tools.train.weights.net_set import NetSet, load_bearoff_evaluators


def make_rollout_evaluators(nets: NetSet, pruner: PlayPruner, plies: int = 0) -> RolloutEvaluators:
    """Make the evaluators of rollouts: play at a number of plies; all bearoff databases end games.

    Args:
        nets: Play, measure luck and evaluate where games are cut.
        pruner: Finds promising replies for the nets.
        plies: How far plays are looked ahead. From 1 on, luck is that of the replies that the pruner ranks
            first: a little more spread, in much less time.
    """
    evaluator, exact = nets.make_evaluator(), load_bearoff_evaluators()
    policy, luck_policy = nets.make_policy(evaluator, pruner), None
    if plies:
        optimal = tuple(each for each in exact if each.is_optimal)
        policy, luck_policy = (
            ShortlistPruner(pruner, NPlyEvaluator(evaluator, pruner, plies, exact=optimal)),
            pruner,
        )
    return RolloutEvaluators(policy, evaluator, luck=evaluator, luck_policy=luck_policy, exact=exact)


def roll_out_trials(
    board: Board, evaluators: RolloutEvaluators, settings: RolloutSettings, trials: range
) -> Scores:
    """Play trials from one position.

    Args:
        board: ``int8[2, 26]``.
        evaluators: Play and evaluate.
        settings: Seed, truncation and variance reduction apply.
        trials: Numbers of the trials.

    Returns:
        ``float64[trials, 5]``.
    """
    scores, _ = TrialBlock(board[None], trials, settings, CUBELESS_GAME).play(evaluators)
    own: Scores = scores[0]
    return own


def play_to_error(
    play: Callable[[range], Scores], measure: Callable[[Scores], Scores], settings: RolloutSettings
) -> Scores:
    """Play trials until a figure is known well enough.

    The spread of the first ``min_trials`` games tells how many it takes to come to a standard error of
    ``stop_error``, in whole rows of first rolls; no more than ``trials`` are played.

    Args:
        play: Plays trials, by their numbers: ``float64[..., trials, columns]``.
        measure: Returns the figure that counts of each trial, ``float64[trials]``.
        settings: Without ``stop_error`` all trials are played.

    Returns:
        What was played, ``float64[..., trials, columns]``.
    """
    first = min(settings.min_trials, settings.trials) if settings.stop_error else settings.trials
    scores = play(range(first))
    if not settings.stop_error:
        return scores
    rows = np.ceil(float(measure(scores).var(ddof=1)) / settings.stop_error**2 / FACES)
    last = min(int(rows) * FACES, settings.trials)
    return np.concatenate([scores, play(range(first, last))], axis=-2) if last > first else scores


def roll_out_labels(
    boards: Board,
    decisions: NDArray[np.int64],
    evaluators: RolloutEvaluators,
    settings: RolloutSettings,
    seed: tuple[int, ...],
) -> Outcomes:
    """Roll positions out, each with dice of its own, or the plays of a roll with the same ones.

    Args:
        boards: ``int8[n, 2, 26]``.
        decisions: ``int64[n]``, positions with the same number have the same dice.
        evaluators: Play and evaluate.
        settings: Trials, truncation and variance reduction apply.
        seed: Numbers that together with that number decide the dice.

    Returns:
        ``float32[n, 5]``, means of the trials; with variance reduction a probability near 0 or 1 may stray
        outside by about its error.
    """
    means = np.empty((len(boards), 5), np.float32)
    for place, (board, decision) in enumerate(zip(boards, decisions.tolist(), strict=True)):
        own = replace(settings, seed=derive_dice_seed(*seed, decision))
        means[place] = roll_out_trials(board, evaluators, own, range(settings.trials)).mean(axis=0)
    return means


def derive_dice_seed(*numbers: int) -> int:
    """Derive the seed of the dice of one position from numbers of its own."""
    (drawn,) = np.random.SeedSequence(numbers).generate_state(1, np.uint64)
    return int(drawn) >> 1
