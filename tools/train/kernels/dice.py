"""Dice for compiled games."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel


@kernel
def next_random(state: NDArray[np.uint64]) -> np.uint64:
    """Splitmix64; changes ``uint64[1]`` in place.

    Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
    """
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def roll_die(state: NDArray[np.uint64]) -> int:
    """Roll a die, 1 to 6; changes ``uint64[1]`` in place."""
    return 1 + int((next_random(state) >> np.uint64(33)) % np.uint64(6))


@kernel
def roll_dice(state: NDArray[np.uint64], is_first: bool) -> tuple[int, int]:
    """Roll two dice, the first time in a game until they differ; changes ``uint64[1]`` in place."""
    die1 = roll_die(state)
    die2 = roll_die(state)
    while is_first and die1 == die2:
        die1 = roll_die(state)
        die2 = roll_die(state)
    return die1, die2
