"""How far the one-sided estimate is from the exact two-sided chances."""

from __future__ import annotations

import numpy as np

from gammond.engine.bearoff import load_bearoff


def random_home_sides(count, seed):
    """Sides of 1 to 6 checkers on the six home points."""
    generator = np.random.default_rng(seed)
    sides = np.zeros((count, 26), np.int8)
    for i, checkers in enumerate(generator.integers(1, 7, count)):
        np.add.at(sides[i], generator.integers(1, 7, checkers), 1)
    sides[:, 0] = 15 - sides[:, 1:].sum(axis=1)
    return sides


def test_the_one_sided_estimate_is_close_to_the_exact_chance():
    tables = load_bearoff()
    boards = np.stack([random_home_sides(15_000, seed=1), random_home_sides(15_000, seed=2)], axis=1)
    exact = tables.two_sided.evaluate(boards)[:, 0]
    difference = np.abs(tables.one_sided.evaluate(boards)[:, 0] - exact)
    assert 0.0 < difference.mean() < 0.001
    assert difference.max() < 0.02
