"""How far a checker gets past blocked points."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from nets.kernels.mobility import ADVANCES, ESCAPES, block_pattern


def _farthest(way: int, dice: tuple[int, ...]) -> int:
    at = 0
    for die in dice:
        if at + die <= 12 and way >> (at + die - 1) & 1:
            return at
        at += die
    return at


def _pips(way: int):
    """The most pips of one checker with each of the 36 rolls."""
    for one, two in itertools.product(range(1, 7), repeat=2):
        orders = [(one,) * 4] if one == two else [(one, two), (two, one)]
        yield max(_farthest(way, order) for order in orders)


def test_the_tables_are_those_of_trying_every_roll():
    for way in [0, 4095, *np.random.default_rng(1).integers(0, 4096, 300).tolist()]:
        pips = list(_pips(way))
        assert ESCAPES[way] == pytest.approx(sum(moved > 6 for moved in pips) / 36)
        assert ADVANCES[way] == pytest.approx(sum(pips) / 36 / (49 / 6))


def test_an_open_way_is_worth_a_whole_roll_and_a_full_prime_none():
    assert ADVANCES[0] == 1
    assert ESCAPES[0b111111] == ADVANCES[0b111111] == 0


@pytest.mark.nojit
def test_the_way_ahead_begins_with_the_next_point():
    made = 1 << (25 - 23) | 1 << (25 - 12)  # points 23 and 12 of the one who moves
    assert block_pattern(made, 24) == 0b100000000001
    assert block_pattern(made, 25) == 0b000000000010
    assert block_pattern(made, 13) == 1
