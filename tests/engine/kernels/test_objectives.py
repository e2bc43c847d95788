"""Replies chosen and averaged by compiled loops, against slow, obvious twins."""

from itertools import pairwise

import numpy as np
import pytest

from gammond.engine.kernels import objectives as kernel
from gammond.engine.kernels.cubeful import CUBELESS, DEAD_CUBE, MATCH, MONEY

COLUMNS = {CUBELESS: 5, DEAD_CUBE: 6, MONEY: 8, MATCH: 9}


def segments(generator, count, least=1, most=9):
    """Offsets of segments of random lengths."""
    return np.concatenate([[0], np.cumsum(generator.integers(least, most, count))]).astype(np.int64)


def score(kind, values, state=0):
    """The scores of replies, the least of which is best, in a state of the cube."""
    if kind == CUBELESS:
        return values.astype(np.float64) @ np.array([2.0, 1.0, 1.0, -1.0, -1.0])
    return values[:, 5 + state].astype(np.float64)


@pytest.mark.nojit
@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("width", [1, 2, 5, 20])
@pytest.mark.parametrize("margin", [0.0, 0.5, 9.0])
def test_the_best_few_replies_are_chosen_best_first(kind, width, margin):
    generator = np.random.default_rng(6)
    offsets = segments(generator, 60)
    values = generator.random((offsets[-1], COLUMNS[kind]), np.float32)
    scores = score(kind, values)
    expected = []
    for start, end in pairwise(offsets):
        order = sorted(range(start, end), key=lambda reply: scores[reply])[:width]
        expected.append([reply for reply in order if scores[reply] <= scores[order[0]] + margin])
    chosen, chosen_offsets = kernel.choose_replies(kind, values, offsets, width, margin)
    assert [chosen[start:end].tolist() for start, end in pairwise(chosen_offsets)] == expected
    assert len(chosen) == chosen_offsets[-1]


@pytest.mark.nojit
def test_the_first_of_equal_replies_is_taken():
    values = np.array([[0.4, 0, 0, 0, 0, 0.5], [0.6, 0, 0, 0, 0, 0.5]], np.float32)
    offsets = np.array([0, 2, 2])
    chosen, _ = kernel.choose_replies(DEAD_CUBE, values, offsets[:2], 1, 0.0)
    assert chosen.tolist() == [0]
    found = kernel.average_best_replies(DEAD_CUBE, values, offsets[:2], np.ones(1))
    assert found[0, [0, 5]] == pytest.approx([0.6, 0.5])
