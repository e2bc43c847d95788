"""The compiled steps of a search against slow, obvious twins."""

import numpy as np
import pytest

from gammond.engine.kernels import search as kernel_search
from gammond.engine.rules.position import CHECKERS, OFF
from gammond.engine.search.cache import deduplicate_boards
from tests.support import boards


def empty_cache(entries, columns, lock=0):
    """A cache; 1 for the lock if another thread has it."""
    return kernel_search.CacheArrays(
        np.full((entries, 2), kernel_search.EMPTY, np.int64),
        np.full((entries, columns), np.nan, np.float32),
        np.full(1, lock, np.int64),
    )


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


@pytest.mark.nojit
def test_a_cache_of_a_dictionary_with_two_entries_a_bucket_behaves_alike():
    sample = deduplicate_boards(boards.random_boards(12, seed=8)).keys
    cache = empty_cache(2, 1)
    bucket = []
    generator = np.random.default_rng(9)
    for _ in range(100):
        row = generator.integers(0, len(sample), 1)
        values = generator.random((len(sample), 1), np.float32)
        kernel_search.store(cache, sample, row, 5, values)
        newest = (int(row[0]), float(values[row[0], 0]))
        if not bucket or bucket[0][0] != newest[0]:
            bucket = [newest, *bucket][:2]
        bucket[0] = newest
        found = np.full((len(sample), 1), np.nan, np.float32)
        missing = kernel_search.look_up(cache, sample, 5, found)
        first_of = dict(reversed(bucket))
        held = np.flatnonzero(~np.isnan(found[:, 0]))
        assert {i: float(found[i, 0]) for i in held} == first_of
        assert missing.tolist() == np.setdiff1d(np.arange(len(sample)), held).tolist()


@pytest.mark.nojit
def test_a_cache_that_another_thread_has_locked_is_left_alone():
    sample = deduplicate_boards(boards.random_boards(3, seed=8)).keys
    cache, values = empty_cache(8, 1, lock=1), np.ones((3, 1), np.float32)
    found, rows = np.zeros((3, 1), np.float32), np.arange(3)
    kernel_search.store(cache, sample, rows, 5, values)
    assert (cache.keys == kernel_search.EMPTY).all()
    cache.lock[0] = 0
    kernel_search.store(cache, sample, rows[:1], 5, values)
    assert cache.lock[0] == 0
    assert kernel_search.look_up(cache, sample, 5, found).tolist() == [1, 2]
    assert cache.lock[0] == 0
    cache.lock[0] = 1
    assert kernel_search.look_up(cache, sample, 5, found).tolist() == [0, 1, 2]
    assert cache.lock[0] == 1


@pytest.mark.nojit
def test_values_without_a_tag_are_neither_stored_nor_found():
    sample = deduplicate_boards(boards.random_boards(3, seed=8)).keys
    cache, values = empty_cache(8, 1), np.ones((3, 1), np.float32)
    kernel_search.store(cache, sample, np.arange(3), -1, values)
    assert (cache.keys == kernel_search.EMPTY).all()
    assert kernel_search.look_up(cache, sample, -1, values).tolist() == [0, 1, 2]
