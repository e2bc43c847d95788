"""The vector instructions on boards against the Python functions that define them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.kernels import kernel
from engine.kernels.board_vectors import count_shots, find_rear, weigh_counts
from tests import boards


@kernel
def _find_rear(sample, at, side):
    return find_rear(sample, at, side)


@kernel
def _weigh_counts(sample, at, side, weights, row):
    return weigh_counts(sample, at, side, weights, row)


@kernel
def _count_shots(occupied, open_points, blots):
    return count_shots(occupied, open_points, blots)


@pytest.mark.nojit
def test_the_rear_checker_is_found_wherever_it_is():
    sample = np.zeros((30, 2, 26), np.int8)
    for at in range(26):
        sample[at, 1, : at + 1] = 1
    sample[27, 0], sample[28, 0, [0, 25]] = 15, 7
    expected = [*range(26), 0, 0, 0, 0]
    assert [_find_rear(sample, at, 1) for at in range(30)] == expected
    assert [_find_rear(sample, at, 0) for at in range(26, 30)] == [0, 25, 25, 0]


@pytest.mark.nojit
def test_checkers_are_multiplied_by_the_weights_of_their_points():
    sample = boards.random_boards(10, seed=3)
    weights = np.random.default_rng(4).integers(-300, 300, (3, 26)).astype(np.int16)
    weights.flags.writeable = False
    for at in range(10):
        for side in range(2):
            expected = sum(int(sample[at, side, point]) * int(weights[1, point]) for point in range(26))
            assert _weigh_counts(sample, at, side, weights, 1) == expected


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
        masks = (sum(1 << p for p in points) for points in (occupied, open_points, blots))
        assert _count_shots(*masks) == hitting + (choosing << 8) + (lost_pips << 16)
