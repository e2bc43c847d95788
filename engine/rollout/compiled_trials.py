"""Blocks of trials by a compiled loop, which returns some fifty times a second."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.errors import LimitError
from engine.kernels import as_kernel_array
from engine.kernels.rollout import FIRST_TURN, LOOKS_FOR_REPEATS, PROGRESS_COUNTS, ROWS, TURN, TrialArrays
from engine.rollout.batching import AdaptiveBatcher
from engine.rollout.dice import draw_roll_numbers
from engine.rollout.settings import MAX_TURNS, RolloutSettings, TrialLoop
from engine.rollout.trial_scoring import Scores, TrialCubes, TrialScoring
from engine.rules.position import Board

DRAWN_TURNS = 32
"""Turns whose dice are drawn together."""


def play_compiled_trials(
    starts: Board,
    cubes: TrialCubes,
    trials: range,
    settings: RolloutSettings,
    loop: TrialLoop,
    scoring: TrialScoring,
    cancelled: Callable[[], bool],
) -> Scores:
    """Play the same trials from each of several positions, as `engine.rollout.trials.play_trials`."""
    count = len(trials)
    tables = scoring.make_tables()
    numbers = np.tile(np.arange(trials.start, trials.stop), len(starts))
    block = TrialArrays(
        boards=np.repeat(as_kernel_array(starts, np.int8), count, axis=0),
        places=np.arange(len(numbers)),
        states=np.repeat(cubes.states, count),
        stakes=np.repeat(cubes.stakes, count),
        rolls=np.zeros((len(numbers), DRAWN_TURNS), np.int8),
        scores=np.zeros((len(numbers), scoring.columns)),
        groups=np.empty(len(numbers), np.int64),
        ends=np.empty(len(numbers), np.int64),
        progress=np.zeros(PROGRESS_COUNTS, np.int64),
    )
    block.progress[ROWS] = len(numbers)
    block.progress[LOOKS_FOR_REPEATS] = 1
    _draw_rolls(settings.seed, numbers, block)
    for batch in AdaptiveBatcher(cancelled).iter_batches(sys.maxsize):
        if loop.play_on(settings, tables, block, batch.stop - batch.start):
            break
        if block.progress[TURN] == block.progress[FIRST_TURN] + DRAWN_TURNS:
            if block.progress[TURN] >= MAX_TURNS:
                raise LimitError(f"a trial of a rollout took over {MAX_TURNS} turns")
            block.progress[FIRST_TURN] = block.progress[TURN]
            _draw_rolls(settings.seed, numbers, block)
    return block.scores.reshape(len(starts), count, scoring.columns)


def _draw_rolls(seed: int, numbers: NDArray[np.int64], block: TrialArrays) -> None:
    """Draw the next rolls of the trials in play, whose numbers are ``int64[n]``."""
    places = block.places[: block.progress[ROWS]]
    first = int(block.progress[FIRST_TURN])
    block.rolls[places] = draw_roll_numbers(seed, numbers[places], range(first, first + DRAWN_TURNS))
