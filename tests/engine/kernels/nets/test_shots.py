"""Shots against moving each checker by each roll."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from gammond.engine.kernels import kernel
from gammond.engine.kernels.nets.expert248 import count_shots


@kernel
def _count_shots(occupied, open_points, blots):
    return count_shots(occupied, open_points, blots)


def _find_stops(point, dice, open_points):
    """Yield the points on which a checker stops, by the dice in this order."""
    for die in dice:
        point -= die
        if point < 1 or point not in open_points:
            return
        yield point


@pytest.mark.nojit
def test_shots_are_those_of_moving_each_checker_by_each_roll():
    generator = np.random.default_rng(5)
    for _ in range(100):
        side_of = generator.integers(0, 4, 25)
        occupied, made, blots = ([p for p in range(1, 25) if side_of[p] == k] for k in range(3))
        open_points = set(range(1, 25)) - set(made)
        hitting = choosing = lost_pips = 0
        for one, two in itertools.product(range(1, 7), repeat=2):
            orders = [(one,) * 4] if one == two else [(one, two), (two, one)]
            stops = {p for at in occupied for order in orders for p in _find_stops(at, order, open_points)}
            hits = stops & set(blots)
            hitting += bool(hits)
            choosing += len(hits) > 1
            lost_pips += max(hits, default=0)
        masks = (sum(1 << (25 - p) for p in points) for points in (occupied, open_points, blots))
        assert _count_shots(*masks) == hitting + (choosing << 8) + (lost_pips << 16)
