"""Dice of rollouts: a roll depends on the seed, the trial and the turn alone.

The first two rolls are quasi-random. Trials come in cycles of 1296 = 36 × 36, in which each pair of first two
rolls occurs exactly once, and in rows of 36, in which each first roll and each second roll does. The order
within a cycle is drawn from the seed, so the dice of any single trial are fair, and the mean of any number of
trials is unbiased. The error is least for multiples of 36, and best of 1296.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.rules.dice import ROLLS, draw_paired_dice
from gammond.engine.rules.seeded_random import mix64

FACES = 36
"""Ordered rolls of two dice."""

CYCLE = FACES * FACES
"""Trials in which each pair of first two rolls occurs once."""

STRATIFIED_TURNS = 2

_ROLL_NUMBERS = np.zeros((7, 7), np.int8)
"""The index of two dice in `ROLLS`."""
for _number, (_high, _low) in enumerate(ROLLS):
    _ROLL_NUMBERS[_high, _low] = _ROLL_NUMBERS[_low, _high] = _number

_ORDER_KEYS = np.uint64(0xD1B54A32D192ED03)


def draw_rolls(seed: int, trials: NDArray[np.int64], turns: range) -> NDArray[np.int8]:
    """Draw the rolls of some turns in given trials.

    Args:
        seed: Seed of the rollout, 0 or more.
        trials: ``int64[n]``, numbers of trials, 0 or more.
        turns: The turns, 0 for the first roll.

    Returns:
        ``int8[n, len(turns)]``, indices in `gammond.engine.rules.dice.ROLLS`.
    """
    dice = np.empty((len(trials), len(turns), 2), np.int8)
    stratified = [turn for turn in turns if turn < STRATIFIED_TURNS]
    for column, turn in enumerate(stratified):
        faces = _draw_stratified(seed, trials, turn)
        dice[:, column] = np.stack([faces // 6 + 1, faces % 6 + 1], axis=1)
    others = np.array(turns[len(stratified) :], np.int64)
    drawn = draw_paired_dice(seed, np.repeat(trials, len(others)), np.tile(others, len(trials)))
    dice[:, len(stratified) :] = drawn.reshape(len(trials), len(others), 2)
    return _ROLL_NUMBERS[dice[..., 0], dice[..., 1]]


def _draw_stratified(seed: int, trials: NDArray[np.int64], turn: int) -> NDArray[np.int64]:
    """Draw ordered rolls of the first or second turn, 0 to 35, ``int64[n]``."""
    cycles, cycle_of = np.unique(trials // CYCLE, return_inverse=True)
    row, column = np.divmod(trials % CYCLE, FACES)
    orders = [_draw_order(seed, int(cycle), turn) for cycle in cycles]
    place = column if turn == 0 else (row + column) % FACES
    faces: NDArray[np.int64] = np.array(orders, np.int64).reshape(-1, FACES)[cycle_of, place]
    return faces


def _draw_order(seed: int, cycle: int, turn: int) -> NDArray[np.int64]:
    """Draw the order in which the 36 rolls fill the places of a cycle."""
    series = mix64(np.array([seed % 2**64], np.uint64) + _ORDER_KEYS)
    of_cycle = mix64(series + np.array([2 * cycle + turn], np.uint64) * _ORDER_KEYS)
    return np.argsort(mix64(of_cycle + np.arange(FACES, dtype=np.uint64) * _ORDER_KEYS), kind="stable")
