"""Slow, obvious twins of the bearoff tables, in exact fractions, from the rules of the game alone.

A side is a tuple of checkers by point: place 0 the ace point.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from gammond.engine.bearoff.one_sided import OneSidedTable

Side = tuple[int, ...]

ROLLS = [(a, b, Fraction(1 if a == b else 2, 36)) for a in range(1, 7) for b in range(1, a + 1)]


def sides(points: int, checkers: int) -> list[Side]:
    """All sides of up to so many checkers."""
    if points == 0:
        return [()]
    return [(n, *rest) for n in range(checkers + 1) for rest in sides(points - 1, checkers - n)]


def number_sides(numbering, sides):
    """The numbers of sides, ``int[n, points]``, by the ranks of their checkers from the last point down."""
    above = np.cumsum(np.asarray(sides, np.int64)[:, ::-1], axis=1)[:, ::-1]
    return numbering.ranks[np.arange(1, numbering.points + 1), above].sum(axis=1)


@cache
def results(side: Side, dice: tuple[int, ...]) -> frozenset[Side]:
    """Return the positions after playing the dice in this order, as many as can be."""
    if not dice or not any(side):
        return frozenset([side])
    die, rest = dice[0], dice[1:]
    highest = max(point for point, count in enumerate(side, 1) if count)
    reached: set[Side] = set()
    for point, count in enumerate(side, 1):
        if not count:
            continue
        after = list(side)
        after[point - 1] -= 1
        if point > die:
            after[point - die - 1] += 1
        elif highest > 6 or (point < die and point < highest):
            continue
        reached |= results(tuple(after), rest)
    return frozenset(reached)


def list_roll_results(side: Side, a: int, b: int) -> frozenset[Side]:
    """Return the positions after all legal plays of a roll."""
    return results(side, (a,) * 4) if a == b else results(side, (a, b)) | results(side, (b, a))


@cache
def chance(own: Side, other: Side) -> Fraction:
    """The chance of the player on roll, own, to bear off first."""
    if not any(own):
        return Fraction(1)
    if not any(other):
        return Fraction(0)
    return sum(
        (
            weight * max(1 - chance(other, after) for after in list_roll_results(own, a, b))
            for a, b, weight in ROLLS
        ),
        Fraction(0),
    )


@cache
def equity(own: Side, other: Side, cube: str) -> Fraction:
    """The points of the player on roll, own, for a cube of 1, when he does not double before this roll.

    The cube is "centred", "own" or "other": in the middle, held by the player on roll, held by the other.
    """
    if not any(own):
        return Fraction(1)
    if not any(other):
        return Fraction(-1)
    turned = {"centred": "centred", "own": "other", "other": "own"}[cube]
    return sum(
        (
            weight
            * max(-value_before_doubling(other, after, turned) for after in list_roll_results(own, a, b))
            for a, b, weight in ROLLS
        ),
        Fraction(0),
    )


def value_before_doubling(own: Side, other: Side, cube: str) -> Fraction:
    """The points of the player on roll, own, which may double first unless the other owns the cube."""
    held = equity(own, other, cube)
    if cube == "other":
        return held
    taken, passed = 2 * equity(own, other, "other"), Fraction(1)
    return max(held, min(taken, passed))


Distribution = tuple[Fraction, ...]


def mean(chances: Distribution) -> Fraction:
    """The mean number of rolls."""
    return sum((rolls * chance for rolls, chance in enumerate(chances)), Fraction(0))


def _hash_key(parts: list[tuple[Fraction, Distribution]]) -> Distribution:
    longest = max(len(chances) for _, chances in parts)
    total = [Fraction(0)] * (longest + 1)
    for weight, chances in parts:
        for rolls, part in enumerate(chances):
            total[rolls + 1] += weight * part
    return tuple(total)


@cache
def roll_distribution(side: Side) -> Distribution:
    """The chances of 0, 1, 2, ... rolls, by the plays with the least mean."""
    if not any(side):
        return (Fraction(1),)
    parts = []
    for a, b, weight in ROLLS:
        options = [roll_distribution(after) for after in list_roll_results(side, a, b)]
        parts.append((weight, min(options, key=mean)))
    return _hash_key(parts)


@cache
def first_off_distribution(side: Side, checkers: int = 15) -> Distribution:
    """The chances of 0, 1, 2, ... rolls until one checker is off, by the plays with the least mean."""
    if sum(side) < checkers:
        return (Fraction(1),)
    parts = []
    for a, b, weight in ROLLS:
        options = [first_off_distribution(after, checkers) for after in list_roll_results(side, a, b)]
        parts.append((weight, min(options, key=mean)))
    return _hash_key(parts)


def read_first_off(table: OneSidedTable, number: int) -> NDArray[np.float32]:
    """Return what a table has of needing 0, 1, 2, ... rolls for the first checker of a side with all 15."""
    numbering = table.numbering
    return table.roll_distribution(number + numbering.side_count - numbering.first_full_side)
