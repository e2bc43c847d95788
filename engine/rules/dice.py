"""Dice: the 21 rolls with their weights, and sources of rolls."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import FormatError, ValueRangeError
from gammond.engine.rules.seeded_random import make_generator, mix64, to_integers_below

Roll = tuple[int, int]

ROLLS: tuple[Roll, ...] = tuple((high, low) for high in range(1, 7) for low in range(1, high + 1))
"""The 21 distinct rolls, larger die first."""

ROLL_WEIGHTS: NDArray[np.float64] = np.array([(1 if a == b else 2) / 36 for a, b in ROLLS])
"""The probability of each of `ROLLS`."""

_OPENINGS = np.array([(high, low) for high in range(2, 7) for low in range(1, high)], np.int8)
_GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)

MAX_SEED = 2**63 - 1
"""The largest seed of dice and of errors."""


def validate_roll(die1: int, die2: int) -> Roll:
    """Return a roll, checked.

    Raises:
        ValueRangeError: A die is not 1..6.
    """
    for die in (die1, die2):
        if not 1 <= die <= 6:
            raise ValueRangeError(f"expected dice of 1 to 6, got {die}", field="dice")
    return die1, die2


_ROLL_TEXT = re.compile(r"\s*([0-9])\s*[-,]?\s*([0-9])\s*", re.ASCII)


def parse_roll(text: str) -> Roll:
    """Parse a roll: ``31``, ``3 1``, ``3-1`` or ``3,1``.

    Raises:
        FormatError: The text is not two digits.
        ValueRangeError: A die is not 1..6.
    """
    match = _ROLL_TEXT.fullmatch(text)
    if match is None:
        raise FormatError(f"expected two dice such as '3 1', got {text[:40]!r}", field="dice")
    return validate_roll(int(match[1]), int(match[2]))


def format_roll(dice: Sequence[int] | None) -> str:
    """Write a roll, or the dice that it gives, for people: the higher die first, ``3-1``; None is empty."""
    return "" if dice is None else f"{max(dice)}-{min(dice)}"


def encode_roll(roll: Roll) -> str:
    """Write a roll for programs: ``31``, as match files have it, and no spreadsheet takes it for a date."""
    return f"{roll[0]}{roll[1]}"


class DiceSource(Protocol):
    """A source of rolls."""

    def roll(self) -> Roll:
        """Return the next roll."""
        ...


class SeededDice:
    """Fair dice from a seed: the same seed gives the same rolls on every machine (PCG64).

    Args:
        seed: Any non-negative integer.

    Raises:
        ValueRangeError: The seed is negative.
    """

    def __init__(self, seed: int) -> None:
        self._generator = make_generator(seed)
        self.seed = seed

    def roll(self) -> Roll:
        """Return the next roll."""
        first, second = self._generator.integers(1, 7, size=2)
        return int(first), int(second)


class RollSequence:
    """A place in the rolls of a source: from one place on they are the same, however often they are read."""

    def __init__(self, source: DiceSource) -> None:
        self.source = source
        self._next: tuple[Roll, RollSequence] | None = None

    def read(self) -> tuple[Roll, RollSequence]:
        """Return the roll at this place, and the place after it."""
        if self._next is None:
            self._next = self.source.roll(), RollSequence(self.source)
        return self._next


def draw_paired_dice(seed: int, pairs: NDArray[np.int64], turns: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return the rolls, ``int8[n, 2]``, of turns in pairs of games, ``int64[n]`` each, numbered from 0.

    Turn 0 gets one of the 15 non-doubles, the winning roll of the opening throw. The seed is 0 or more.
    """
    series = mix64(np.array([seed % 2**64], np.uint64) + _GOLDEN_RATIO)
    numbers = mix64(
        mix64(series + pairs.astype(np.uint64) * _GOLDEN_RATIO) + turns.astype(np.uint64) * _GOLDEN_RATIO
    )
    faces = to_integers_below(numbers, 36)
    dice = np.stack([faces // 6 + 1, faces % 6 + 1], axis=1).astype(np.int8)
    opening = turns == 0
    dice[opening] = _OPENINGS[to_integers_below(numbers[opening], len(_OPENINGS))]
    return dice
