"""Dice of rollouts: a roll depends on the seed, the trial and the turn alone.

The first two rolls are quasi-random. Trials come in cycles of 1296 = 36 × 36, in which each pair of first two
rolls occurs exactly once, and in rows of 36, in which each first roll and each second roll does. The order
within a cycle is drawn from the seed, so the dice of any single trial are fair, and the mean of any number of
trials is unbiased. The error is least for multiples of 36, and best of 1296.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.rules.dice import ROLLS, draw_paired_dice
from engine.rules.seeded_random import mix64

FACES = 36
"""Ordered rolls of two dice."""

CYCLE = FACES * FACES
"""Trials in which each pair of first two rolls occurs once."""

STRATIFIED_TURNS = 2

_ORDER_KEYS = np.uint64(0xD1B54A32D192ED03)


def draw_rollout_dice(seed: int, trials: NDArray[np.int64], turn: int) -> NDArray[np.int8]:
    """Draw the rolls of one turn in given trials.

    Args:
        seed: Seed of the rollout, 0 or more.
        trials: ``int64[n]``, numbers of trials, 0 or more.
        turn: 0 for the first roll.

    Returns:
        ``int8[n, 2]``.
    """
    if turn >= STRATIFIED_TURNS:
        return draw_paired_dice(seed, trials, np.full(len(trials), turn))
    cycles, cycle_of = np.unique(trials // CYCLE, return_inverse=True)
    row, column = np.divmod(trials % CYCLE, FACES)
    place = column if turn == 0 else (row + column) % FACES
    orders = np.stack([_draw_order(seed, int(cycle), turn) for cycle in cycles]) if len(cycles) else _NO_ORDER
    faces = orders[cycle_of, place]
    return np.stack([faces // 6 + 1, faces % 6 + 1], axis=1).astype(np.int8)


def draw_roll_numbers(seed: int, trials: NDArray[np.int64], turns: range) -> NDArray[np.int8]:
    """Draw the rolls of some turns, as `draw_rollout_dice` does, and number them.

    Args:
        seed: Seed of the rollout, 0 or more.
        trials: ``int64[n]``, numbers of trials, 0 or more.
        turns: The turns.

    Returns:
        ``int8[n, len(turns)]``, indices in `engine.rules.dice.ROLLS`.
    """
    stratified = range(turns.start, max(turns.start, min(turns.stop, STRATIFIED_TURNS)))
    others = np.arange(stratified.stop, turns.stop)
    dice = np.empty((len(trials), len(turns), 2), np.int8)
    for column, turn in enumerate(stratified):
        dice[:, column] = draw_rollout_dice(seed, trials, turn)
    drawn = draw_paired_dice(seed, np.repeat(trials, len(others)), np.tile(others, len(trials)))
    dice[:, len(stratified) :] = drawn.reshape(len(trials), len(others), 2)
    return ROLL_NUMBERS[dice[..., 0], dice[..., 1]]


def _make_roll_numbers() -> NDArray[np.int8]:
    """Return ``int8[7, 7]``: the index of two dice in `ROLLS`."""
    numbers = np.zeros((7, 7), np.int8)
    for number, (high, low) in enumerate(ROLLS):
        numbers[high, low] = numbers[low, high] = number
    return numbers


ROLL_NUMBERS = _make_roll_numbers()
"""``int8[7, 7]``: the index of two dice in `engine.rules.dice.ROLLS`."""

_NO_ORDER = np.empty((0, FACES), np.int64)


def _draw_order(seed: int, cycle: int, turn: int) -> NDArray[np.int64]:
    """Draw the order in which the 36 rolls fill the places of a cycle."""
    series = mix64(np.array([seed % 2**64], np.uint64) + _ORDER_KEYS)
    of_cycle = mix64(series + np.array([2 * cycle + turn], np.uint64) * _ORDER_KEYS)
    return np.argsort(mix64(of_cycle + np.arange(FACES, dtype=np.uint64) * _ORDER_KEYS), kind="stable")
