"""Blocks of trials in lockstep: all of them make their first roll, then their second, and so on.

Variance reduction subtracts each roll's luck: the equity of the best reply to the roll thrown, minus the mean
over all 21 rolls, both by the same cheap evaluator. Whatever its errors, the luck of fair dice is zero on
average, so trials minus their luck have the same mean and a much smaller spread.

*Source:* the method is the one published for GNU Backgammon and Jellyfish (Jim Gillogly and Fredrik Dahl;
David Montgomery, "Variance Reduction", GammOnLine, 2000).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.errors import LimitError
from engine.evaluation.evaluator import CubefulEvaluator, Evaluator, ExactEvaluator
from engine.evaluation.pruning import PlayPruner
from engine.kernels import as_kernel_array
from engine.kernels.objectives import OUTCOME_COLUMNS, OUTCOMES_ONLY
from engine.kernels.rollout import DRAWN, LOOKS_FOR_REPEATS, PROGRESS_COUNTS, ROWS, TURN, TrialArrays
from engine.kernels.rollout_scoring import TrialRules
from engine.rollout.batching import AdaptiveBatcher
from engine.rollout.dice import CYCLE, draw_rolls
from engine.rollout.settings import MAX_TURNS, RolloutEvaluators, RolloutSettings
from engine.rollout.trial_scoring import Scores, TrialCubes, TrialScoring
from engine.rollout.trial_steps import SteppedTrials
from engine.rules.position import Board

BLOCK_ROWS = 2 * CYCLE
"""Maximum number of games in a block, which bounds the memory of a thread to some tens of MB."""

DRAWN_TURNS = 32
"""Turns whose dice are drawn together."""


class TrialLoop(Protocol):
    """A compiled loop that plays trials, to the bit as `SteppedTrials` does in steps."""

    def __call__(self, rules: TrialRules, trials: TrialArrays, rolls: int) -> bool:
        """Play on with a block of trials until a number of rolls are played, or those that are drawn.

        Args:
            rules: The rules.
            trials: in and out.
            rolls: Number of rolls, all 21 of a position where luck is measured; a few more may be played.

        Returns:
            Whether all trials have ended.
        """
        ...


@runtime_checkable
class TrialEvaluator(Evaluator, Protocol):
    """An evaluator that may be part of a compiled loop of trials; used from several threads."""

    def make_trial_loop(
        self,
        policy: PlayPruner,
        exact: tuple[ExactEvaluator, ...],
        exact_cubeful: tuple[CubefulEvaluator, ...],
    ) -> TrialLoop | None:
        """Return the loop of trials in which this evaluates all that is evaluated.

        Arguments as the attributes of `RolloutEvaluators`.

        Returns:
            The loop; None if one of these has no compiled form.
        """
        ...


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
    boards = as_kernel_array(starts, np.int8)
    rules = scoring.make_rules(settings)
    play_on = find_loop(evaluators, rules) or SteppedTrials(evaluators, cancelled)
    step = max(BLOCK_ROWS // len(starts), 1)
    parts = []
    for part in (trials[first : first + step] for first in range(0, len(trials), step)):
        block = make_block(boards, cubes, len(part), scoring.columns)
        numbers = np.tile(np.arange(part.start, part.stop), len(starts))
        for batch in AdaptiveBatcher(cancelled).iter_batches(sys.maxsize):
            if block.progress[TURN] == block.progress[DRAWN]:
                _draw_turns(block, settings.seed, numbers)
            if play_on(rules, block, batch.stop - batch.start):
                break
        parts.append(block.scores.reshape(len(starts), len(part), scoring.columns))
    return np.concatenate(parts, axis=1)


def find_loop(evaluators: RolloutEvaluators, rules: TrialRules) -> TrialLoop | None:
    """Return the compiled loop of trials; None if an evaluator that these trials ask has no compiled form."""
    evaluator = evaluators.luck_evaluator
    if (
        not isinstance(evaluator, TrialEvaluator)
        or (rules.variance_reduction and evaluators.effective_luck_policy is not evaluators.policy)
        or (rules.truncation > 0 and evaluators.leaf is not evaluator)
        or (rules.own.kind != OUTCOMES_ONLY and evaluators.cube_evaluator is not evaluator)
    ):
        return None
    return evaluator.make_trial_loop(evaluators.policy, evaluators.exact, evaluators.exact_cubeful)


def make_block(starts: Board, cubes: TrialCubes, trials: int, columns: int) -> TrialArrays:
    """Make a block of trials from each of several positions, with no rolls drawn."""
    rows = len(starts) * trials
    block = TrialArrays(
        boards=np.repeat(starts, trials, axis=0),
        places=np.arange(rows),
        states=np.repeat(cubes.states, trials),
        stakes=np.repeat(cubes.stakes, trials),
        kinds=np.zeros(rows, np.int8),
        outcomes=np.zeros((rows, OUTCOME_COLUMNS), np.float32),
        rolls=np.zeros((rows, DRAWN_TURNS), np.int8),
        scores=np.zeros((rows, columns)),
        groups=np.empty(rows, np.int64),
        ends=np.empty(rows, np.int64),
        progress=np.zeros(PROGRESS_COUNTS, np.int64),
    )
    block.progress[ROWS] = rows
    block.progress[LOOKS_FOR_REPEATS] = 1
    return block


def _draw_turns(block: TrialArrays, seed: int, numbers: NDArray[np.int64]) -> None:
    """Draw the next rolls of the trials in play, whose numbers are ``int64[n]``."""
    turn = int(block.progress[TURN])
    if turn >= MAX_TURNS:
        raise LimitError(f"a trial of a rollout took over {MAX_TURNS} turns")
    places = block.places[: block.progress[ROWS]]
    block.rolls[places] = draw_rolls(seed, numbers[places], range(turn, turn + DRAWN_TURNS))
    block.progress[DRAWN] += DRAWN_TURNS
