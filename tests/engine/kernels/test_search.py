"""The compiled steps of a search against slow, obvious twins."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from engine.kernels import search as kernel_search
from engine.rules.position import CHECKERS, OFF
from engine.search.deduplication import deduplicate_boards
from engine.search.objective import OUTCOME_BACKUP
from tests import boards

FREE = np.zeros(1, np.int64)
"""The lock of a cache that no other thread uses."""


def segments(generator, count, least=1, most=9):
    """Offsets of segments of random lengths."""
    return np.concatenate([[0], np.cumsum(generator.integers(least, most, count))]).astype(np.int64)


@pytest.mark.nojit
def test_keys_hold_the_counts_of_both_sides_and_stay_below_40_bits():
    sample = boards.random_boards(200, seed=1)
    sample[0] = 0
    sample[0, :, OFF] = CHECKERS
    sample[1] = 0
    sample[1, :, 25] = CHECKERS
    keys = np.empty((len(sample), 2), np.int64)
    kernel_search.compute_position_keys(sample, keys)
    for board, key in zip(sample, keys, strict=True):
        for side in range(2):
            text = bin(int(key[side]) | (1 << 40))[3:][::-1]
            counts = [len(run) for run in text.split("0")][:25]
            assert counts == board[side, 1:].tolist()
    assert keys.min() >= 0
    assert int(keys.max()) < 1 << 40


@pytest.mark.nojit
@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 300])
def test_distinct_positions_are_those_of_a_dictionary(count):
    sample = boards.random_boards(count, seed=2)
    sample = np.ascontiguousarray(sample[np.random.default_rng(3).integers(0, count, count)])
    found = deduplicate_boards(sample)
    order = {}
    for board in sample:
        order.setdefault(board.tobytes(), len(order))
    assert [board.tobytes() for board in found.boards] == list(order)
    assert found.places.tolist() == [order[board.tobytes()] for board in sample]
    assert len(found.keys) == len(order)


def test_positions_that_differ_have_different_keys():
    sample = boards.played_boards(boards.RandomEvaluator(4), 60_000, seed=5)
    assert len(deduplicate_boards(sample).boards) == len({board.tobytes() for board in sample})


def naive_choice(values, places, offsets, width, margin):
    """The chosen replies of each segment, by sorting."""
    scores = values.astype(np.float64) @ OUTCOME_BACKUP.scores[0]
    result = []
    for start, end in pairwise(offsets):
        order = sorted(range(start, end), key=lambda reply: scores[places[reply]])[:width]
        result.append([r for r in order if scores[places[r]] <= scores[places[order[0]]] + margin])
    return result


@pytest.mark.nojit
@pytest.mark.parametrize("width", [1, 2, 5, 20])
@pytest.mark.parametrize("margin", [0.0, 0.5, 9.0])
def test_the_best_few_replies_are_chosen_best_first(width, margin):
    generator = np.random.default_rng(6)
    offsets = segments(generator, 60)
    values = generator.random((40, 5), np.float32)
    places = generator.integers(0, 40, offsets[-1])
    chosen = np.empty(offsets[-1], np.int64)
    chosen_offsets = np.empty_like(offsets)
    kernel_search.choose_replies(
        values, places, offsets, OUTCOME_BACKUP.scores, width, margin, chosen, chosen_offsets
    )
    found = [chosen[start:end].tolist() for start, end in pairwise(chosen_offsets)]
    assert found == naive_choice(values, places, offsets, width, margin)


@pytest.mark.nojit
def test_averages_are_those_of_the_best_replies_seen_from_the_other_side():
    generator = np.random.default_rng(7)
    positions, rolls, columns = 5, 4, 3
    offsets = segments(generator, positions * rolls)
    values = generator.random((30, columns), np.float32)
    places = generator.integers(0, 30, offsets[-1])
    scores = generator.normal(size=(2, columns))
    score_of = np.array([0, 1, 1])
    turned_from = np.array([2, 0, 1])
    factors = np.array([1.0, -1.0, -1.0])
    shifts = np.array([0.0, 1.0, 0.0])
    weights = generator.random(rolls)
    averages = np.empty((positions, columns), np.float32)
    kernel_search.average_best_replies(
        values, places, offsets, scores, score_of, turned_from, factors, shifts, weights, averages
    )
    for i in range(positions):
        for c in range(columns):
            total = 0.0
            for r in range(rolls):
                rows = values[places[offsets[i * rolls + r] : offsets[i * rolls + r + 1]]].astype(float)
                best = rows[np.argmin(rows @ scores[score_of[c]])]
                total += weights[r] * (shifts[c] + factors[c] * best[turned_from[c]])
            assert averages[i, c] == pytest.approx(total, abs=1e-6)


@pytest.mark.nojit
def test_a_cache_of_a_dictionary_with_two_entries_a_bucket_behaves_alike():
    sample = deduplicate_boards(boards.random_boards(12, seed=8)).keys
    keys = np.full((2, 2), kernel_search.EMPTY, np.int64)
    stored = np.empty((2, 1), np.float32)
    bucket = []
    generator = np.random.default_rng(9)
    for _ in range(100):
        row = generator.integers(0, len(sample), 1)
        value = generator.random((1, 1), np.float32)
        kernel_search.store(sample, row, 5, value, keys, stored, FREE)
        newest = (int(row[0]), float(value[0, 0]))
        if not bucket or bucket[0][0] != newest[0]:
            bucket = [newest, *bucket][:2]
        bucket[0] = newest
        found = np.full((len(sample), 1), np.nan, np.float32)
        missing = np.empty(len(sample), np.int64)
        kernel_search.look_up(sample, 5, keys, stored, FREE, found, missing)
        first_of = dict(reversed(bucket))
        assert {i: float(found[i, 0]) for i in np.flatnonzero(~np.isnan(found[:, 0]))} == first_of


@pytest.mark.nojit
def test_narrow_values_that_move_wide_ones_out_of_the_way_leave_them_whole():
    sample = deduplicate_boards(boards.random_boards(2, seed=8)).keys
    keys = np.full((2, 2), kernel_search.EMPTY, np.int64)
    stored = np.full((2, 4), np.nan, np.float32)
    wide = np.array([[1, 2, 3, 4]], np.float32)
    narrow = np.array([[5, 6]], np.float32)
    kernel_search.store(sample, np.array([0]), 1, wide, keys, stored, FREE)
    kernel_search.store(sample, np.array([1]), 2, narrow, keys, stored, FREE)
    missing = np.empty(2, np.int64)
    for tag, row, value in ((1, 0, wide), (2, 1, narrow)):
        found = np.zeros((2, value.shape[1]), np.float32)
        assert kernel_search.look_up(sample, tag, keys, stored, FREE, found, missing) == 1
        assert missing[0] == 1 - row
        assert found[row].tolist() == value[0].tolist()


@pytest.mark.nojit
def test_a_cache_that_another_thread_has_locked_is_left_alone():
    sample = deduplicate_boards(boards.random_boards(3, seed=8)).keys
    keys = np.full((8, 2), kernel_search.EMPTY, np.int64)
    stored, value = np.zeros((8, 1), np.float32), np.ones((3, 1), np.float32)
    lock, rows = np.ones(1, np.int64), np.arange(3)
    found, missing = np.zeros((3, 1), np.float32), np.empty(3, np.int64)
    kernel_search.store(sample, rows, 5, value, keys, stored, lock)
    assert (keys == kernel_search.EMPTY).all()
    lock[0] = 0
    kernel_search.store(sample, rows[:1], 5, value, keys, stored, lock)
    assert lock[0] == 0
    assert kernel_search.look_up(sample, 5, keys, stored, lock, found, missing) == 2
    assert lock[0] == 0
    lock[0] = 1
    assert kernel_search.look_up(sample, 5, keys, stored, lock, found, missing) == 3
    assert missing.tolist() == [0, 1, 2]
    assert lock[0] == 1
