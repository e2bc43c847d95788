"""A cache gives back what was stored, bitwise, or nothing."""

import threading

import numpy as np
import pytest

from gammond.engine.errors import ValueRangeError
from gammond.engine.kernels import search as kernel_search
from gammond.engine.search.cache import ValueCache, deduplicate_boards
from tests.support import boards
from tests.support.evaluators import RacingEvaluator

KEYS = deduplicate_boards(boards.played_boards(RacingEvaluator(), 4000, seed=1)).keys
VALUES = np.random.default_rng(2).random((len(KEYS), 5), np.float32)
ALL = np.arange(len(KEYS))


def held(cache, tag, columns=5):
    """Look all keys up: the rows that are held and what is held there."""
    found = np.full((len(KEYS), columns), np.nan, np.float32)
    missing = kernel_search.look_up(cache.arrays, KEYS, tag, found)
    rows = np.setdiff1d(ALL, missing)
    assert np.isnan(found[missing]).all()
    return rows, found[rows]


@pytest.mark.parametrize("entries", [2, 256, 1 << 15])
def test_what_is_held_is_what_was_stored(entries):
    cache = ValueCache(entries)
    tag = cache.assign_tag("evaluator")
    kernel_search.store(cache.arrays, KEYS, ALL, tag, VALUES)
    rows, found = held(cache, tag)
    assert np.array_equal(found, VALUES[rows])
    assert min(2, entries) <= len(rows) <= min(entries, len(KEYS))
    assert len(rows) > 0.95 * len(KEYS) or entries < len(KEYS)


@pytest.mark.parametrize("entries", [256, 1 << 15])
def test_evaluators_of_fewer_columns_share_a_cache_with_those_of_all(entries):
    cache = ValueCache(entries)
    for i in range(0, len(KEYS), 100):
        rows = ALL[i : i + 100]
        kernel_search.store(cache.arrays, KEYS, rows, 1, VALUES)
        kernel_search.store(cache.arrays, KEYS, rows, 2, -VALUES[:, :2].copy())
    for tag, values in ((1, VALUES), (2, -VALUES[:, :2])):
        rows, found = held(cache, tag, values.shape[1])
        assert len(rows) > 20
        assert np.array_equal(found, values[rows])


@pytest.mark.parametrize("tag", [1, (1 << 23) - 1, 1 << 23, (1 << 46) - 1])
def test_every_bit_of_a_tag_counts(tag):
    cache = ValueCache(1 << 15)
    kernel_search.store(cache.arrays, KEYS, ALL, tag, VALUES)
    assert len(held(cache, tag)[0]) > 2800
    for bit in range(46):
        assert len(held(cache, tag ^ (1 << bit))[0]) == 0


def test_any_number_of_evaluators_get_numbers_of_their_own():
    cache = ValueCache(2)
    tags = [cache.assign_tag(("source", i)) for i in range(5000)]
    assert len(set(tags)) == 5000
    assert cache.assign_tag(("source", 4999)) == tags[-1]


def test_threads_that_share_a_small_cache_never_read_a_torn_value():
    cache = ValueCache(64)
    wrong = []

    def work(seed):
        generator = np.random.default_rng(seed)
        for _ in range(150):
            rows = generator.choice(ALL, 200)
            kernel_search.store(cache.arrays, KEYS, rows, 3, VALUES)
            rows, found = held(cache, 3)
            if not np.array_equal(found, VALUES[rows]):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("entries", [0, 1, 3, 1000, -2])
def test_other_sizes_are_refused(entries):
    with pytest.raises(ValueRangeError, match="power of two") as caught:
        ValueCache(entries)
    assert caught.value.field == "cache"
    with pytest.raises(ValueRangeError, match="1 column or more"):
        ValueCache(2, columns=0)
