"""Random numbers that depend on a seed and a subject alone, such as a board and a roll.

A draw depends neither on other draws nor on their order, so choices and dice stay the same however games are
split over batches, threads and processes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import ValueRangeError
from gammond.engine.rules.position import Board

_BLOCK = 65_536
"""Boards that are hashed at once: they take eight times their memory."""


class BoardHasher:
    """Pseudo-random numbers for boards and rolls.

    Args:
        seed: Any non-negative integer.

    Raises:
        ValueRangeError: The seed is negative.
    """

    def __init__(self, seed: int) -> None:
        generator = make_generator(seed)
        self._board_keys = generator.integers(0, 2**64, size=52, dtype=np.uint64)
        self._dice_keys = generator.integers(0, 2**64, size=2, dtype=np.uint64)

    def hash_boards(self, boards: Board) -> NDArray[np.uint64]:
        """Return a number for each board, ``uint64[n]`` for ``int8[n, 2, 26]``."""
        return mix64(self._compute_keys(boards))

    def hash_rolls(self, boards: Board, dice: NDArray[np.int8]) -> NDArray[np.uint64]:
        """Return a number for each board and roll, ``int8[n, 2]``; the order of the dice matters."""
        return mix64(self._compute_keys(boards) + dice.astype(np.uint64) @ self._dice_keys)

    def _compute_keys(self, boards: Board) -> NDArray[np.uint64]:
        rows = boards.reshape(len(boards), 52)
        keys = np.empty(len(boards), np.uint64)
        for start in range(0, len(boards), _BLOCK):
            block = slice(start, start + _BLOCK)
            np.matmul(rows[block].astype(np.uint64), self._board_keys, out=keys[block])
        return keys


def check_seed(seed: int) -> None:
    """Check that a seed can start a generator.

    Raises:
        ValueRangeError: The seed is negative.
    """
    if seed < 0:
        raise ValueRangeError(f"expected a seed of 0 or more, got {seed}", field="seed")


def make_generator(seed: int) -> np.random.Generator:
    """Return a generator (PCG64), which gives the same numbers for the same seed on every machine.

    Raises:
        ValueRangeError: The seed is negative.
    """
    check_seed(seed)
    return np.random.Generator(np.random.PCG64(seed))


def mix64(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Turn distinct keys into pseudo-random numbers, one to one.

    *Source:* the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
    generators", 2014).
    """
    result = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    result = (result ^ (result >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return result ^ (result >> np.uint64(31))


def to_integers_below(numbers: NDArray[np.uint64], limits: NDArray[np.int64] | int) -> NDArray[np.int64]:
    """Scale random 64-bit numbers to 0 .. limit - 1, for limits up to 2^32.

    The bias is below 2^-20 for limits below 4096.
    """
    scaled = (numbers >> np.uint64(32)) * np.asarray(limits).astype(np.uint64)
    return (scaled >> np.uint64(32)).astype(np.int64)


def to_unit_floats(numbers: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Scale random 64-bit numbers to multiples of 2^-53 from 0 to 1, 1 excluded."""
    return (numbers >> np.uint64(11)).astype(np.float64) * 2.0**-53
