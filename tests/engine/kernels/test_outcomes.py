"""Outcomes of many positions against numpy's way of doing the same."""

import numpy as np
import pytest

from gammond.engine.kernels import outcomes as kernel_outcomes
from gammond.engine.rules.outcome import cubeless_equity

pytestmark = pytest.mark.nojit


def drawn(rows, seed=3):
    generator = np.random.default_rng(seed)
    outcomes = generator.uniform(-0.2, 1.2, (rows, 5)).astype(np.float32)
    boards = generator.integers(0, 3, (rows, 2, 26)).astype(np.int8)
    return outcomes, boards


def test_estimates_are_made_possible_as_numpy_does_it():
    outcomes, boards = drawn(500)
    made = np.empty_like(outcomes)
    kernel_outcomes.sanitise(outcomes, boards, made)
    wanted = np.clip(outcomes, 0, 1)
    wanted[:, 1] = np.minimum(wanted[:, 1], wanted[:, 0])
    wanted[:, 3] = np.minimum(wanted[:, 3], 1 - wanted[:, 0])
    wanted[boards[:, 1, 0] > 0, 1] = 0
    wanted[boards[:, 0, 0] > 0, 3] = 0
    wanted[:, 2] = np.minimum(wanted[:, 2], wanted[:, 1])
    wanted[:, 4] = np.minimum(wanted[:, 4], wanted[:, 3])
    assert np.array_equal(made, wanted)


def test_equities_are_those_of_numpy_to_the_bit():
    outcomes, _ = drawn(200)
    values = np.concatenate([outcomes, outcomes[:, :2]], axis=1)
    equities = np.empty(200, np.float32)
    kernel_outcomes.compute_equities(values, equities)
    assert equities.tolist() == cubeless_equity(outcomes).tolist()


def test_rows_are_listed_class_by_class():
    class_of = np.array([2, 0, 3, 0, 2, 2], np.int8)
    rows, counts = np.empty(6, np.int64), np.zeros(4, np.int64)
    kernel_outcomes.group_rows_by_class(class_of, rows, counts)
    assert rows.tolist() == [1, 3, 0, 4, 5, 2]
    assert counts.tolist() == [2, 0, 3, 1]


def test_what_is_gathered_is_put_back_in_its_place():
    outcomes, boards = drawn(40)
    rows = np.array([7, 3, 39, 0])
    assert np.array_equal(kernel_outcomes.gather_boards(boards, rows), boards[rows])
    placed = np.zeros_like(outcomes)
    kernel_outcomes.scatter_outcomes(outcomes[rows], rows, placed)
    assert np.array_equal(placed[rows], outcomes[rows])
    assert not np.delete(placed, rows, axis=0).any()
