"""Compiled steps of a search: distinct positions, the value cache, questions to Python on the way.

A position's key is two integers of 40 bits, one for each side: the counts of points 1..25 in unary (a 1 for
each checker, then a 0). Different positions of 15 checkers a side have different keys, so positions are never
confused. The bits above the 40 are free for a tag.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel
from gammond.engine.kernels.interrupts import ask_question, try_lock, unlock
from gammond.engine.kernels.outcomes import gather_boards

KEY_BITS = 40
TAG_BITS = 23
"""Bits of a tag that fit beside each half of a key, below the sign."""

EMPTY = -1
"""The key of an empty entry; keys are never negative."""

WAYS = 2
"""Associativity of the cache: entries in which a key can be stored."""

NODES, WORK, IS_STOPPED = range(3)
"""Cells of `SearchFrame.counters`: positions evaluated, work since the last question, whether to stop."""

ROOT = 2
"""The row of `SearchFrame.tags` for the root."""

_ASK_EVERY = 4096
"""Work between questions, in positions evaluated: 10 to 20 ms."""

_LOCK_TRIES = 1000
"""After these a thread does without the cache: the one that holds its lock is not running."""

_HALF_BITS = 32
_LOW_BITS = (1 << _HALF_BITS) - 1
_TAG_MASK = (1 << TAG_BITS) - 1


class CacheArrays(NamedTuple):
    """The entries of a cache of values.

    Attributes:
        keys: ``int64[entries, 2]``, keys with their tags or `EMPTY`; a power of two of entries.
        values: ``float32[entries, columns]``.
        lock: ``int64[1]``, for `gammond.engine.kernels.interrupts.try_lock`.
    """

    keys: NDArray[np.int64]
    values: NDArray[np.float32]
    lock: NDArray[np.int64]


class ReplyLimits(NamedTuple):
    """Which replies to a roll pruning keeps.

    Attributes:
        keep: How many at most; 0 for all legal plays.
        margin: The largest difference from the best one, in points.
    """

    keep: int
    margin: float


class SearchFrame(NamedTuple):
    """What a search uses beside evaluators; `gammond.engine.search.tree` explains the settings.

    Attributes:
        limits: The replies considered, and those on the last of several plies.
        is_inner: Whether the search is part of a deeper one, so that its last ply is one of several.
        width: The most replies followed deeper; 0 for all that were kept.
        width_margin: The largest difference of these from the best one.
        block: The number of positions whose replies are held together.
        batch: The number of positions whose replies are listed between questions.
        evaluate_rows: The number of positions evaluated together.
        cache: Keeps values of 1-ply and deeper.
        tags: ``int64[3, plies + 1]``, the tags of values in the cache by plies, -1 for values left out: below
            the root of the side on roll there and of the other, and those of the root (`ROOT`).
        counters: in and out, ``int64[3]``.
        question: in and out, the cells of an `gammond.engine.kernels.interrupts.Question`, which is told how
            many positions were evaluated since it was asked.
    """

    limits: tuple[ReplyLimits, ReplyLimits]
    is_inner: bool
    width: int
    width_margin: float
    block: int
    batch: int
    evaluate_rows: int
    cache: CacheArrays
    tags: NDArray[np.int64]
    counters: NDArray[np.int64]
    question: NDArray[np.int64]


@kernel
def is_stopped(frame: SearchFrame, work: int) -> bool:
    """Count work, ask now and then whether to stop, and return whether to."""
    counters = frame.counters
    counters[WORK] += work
    if counters[WORK] >= _ASK_EVERY and not counters[IS_STOPPED]:
        nodes = counters[NODES]
        counters[NODES] = 0
        counters[WORK] = 0
        counters[IS_STOPPED] = ask_question(frame.question, nodes)
    return bool(counters[IS_STOPPED])


@kernel
def _hash_key(key0: int, key1: int) -> int:
    """Spread a key over the bits below the sign, by products of its halves, which stay inside int64."""
    mixed = (key0 & _LOW_BITS) * 1103515245 ^ (key0 >> _HALF_BITS) * 1640531527
    mixed ^= (key1 & _LOW_BITS) * 1327217885 ^ (key1 >> _HALF_BITS) * 1812433253
    return mixed ^ (mixed >> 31)


@kernel
def compute_position_keys(boards: NDArray[np.int8], keys: NDArray[np.int64]) -> None:
    """Write the exact keys of positions.

    Args:
        boards: ``int8[n, 2, 26]``, at most 15 checkers a side on points 1..25.
        keys: out, ``int64[n, 2]``.
    """
    for i in range(boards.shape[0]):
        for side in range(2):
            bits = 0
            at = 0
            for point in range(1, 26):
                count = int(boards[i, side, point])
                bits |= ((1 << count) - 1) << at
                at += count + 1
            keys[i, side] = bits


@kernel
def find_distinct_keys(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the distinct keys, in order of first appearance, and move them to the front.

    Args:
        keys: in and out, ``int64[n, 2]``.

    Returns:
        Where each of them came first, ``int64[u]``, and the place among them of each key, ``int64[n]``.
    """
    count = keys.shape[0]
    size = 2
    while size <= 2 * count:
        size *= 2
    table = np.full(size, EMPTY, np.int32)
    first, places = np.empty(count, np.int64), np.empty(count, np.int64)
    found = 0
    for i in range(count):
        slot = _hash_key(keys[i, 0], keys[i, 1]) & (size - 1)
        known = table[slot]
        while known != EMPTY and (keys[known, 0] != keys[i, 0] or keys[known, 1] != keys[i, 1]):
            slot = (slot + 1) & (size - 1)
            known = table[slot]
        if known == EMPTY:
            table[slot] = known = found
            first[found] = i
            keys[found, 0] = keys[i, 0]
            keys[found, 1] = keys[i, 1]
            found += 1
        places[i] = known
    return first[:found], places


@kernel
def find_distinct(
    boards: NDArray[np.int8],
) -> tuple[NDArray[np.int8], NDArray[np.int64], NDArray[np.int64]]:
    """Find the distinct positions, in order of first appearance.

    Args:
        boards: ``int8[n, 2, 26]``.

    Returns:
        The distinct positions, ``int8[u, 2, 26]``, their keys, ``int64[u, 2]``, and the place among them of
        each position, ``int64[n]``.
    """
    keys = np.empty((boards.shape[0], 2), np.int64)
    compute_position_keys(boards, keys)
    first, places = find_distinct_keys(keys)
    return gather_boards(boards, first), keys[: first.shape[0]], places


@kernel
def _wait_for_lock(lock: NDArray[np.int64]) -> bool:
    """Take a lock, unless another thread keeps it for longer than the cache needs it."""
    tries = 1
    while not try_lock(lock):
        tries += 1
        if tries > _LOCK_TRIES:
            return False
    return True


@kernel
def look_up(
    cache: CacheArrays, keys: NDArray[np.int64], tag: int, values: NDArray[np.float32]
) -> NDArray[np.int64]:
    """Read cached values; none while other threads keep the cache locked.

    Args:
        cache: The cache.
        keys: ``int64[n, 2]``.
        tag: The tag of the values, below 2^46; values of a negative one are not cached.
        values: out, ``float32[n, k]`` with k of at most the columns, those that were stored for the tag; rows
            that are not held are left alone.

    Returns:
        The rows that are not held, ``int64[m]``, ascending.
    """
    missing = np.arange(keys.shape[0])
    if tag < 0 or not _wait_for_lock(cache.lock):
        return missing
    low = (tag & _TAG_MASK) << KEY_BITS
    high = (tag >> TAG_BITS) << KEY_BITS
    mask = cache.keys.shape[0] - 1
    absent = 0
    for i in range(keys.shape[0]):
        key0 = keys[i, 0] | low
        key1 = keys[i, 1] | high
        slot = (_hash_key(key0, key1) * WAYS) & mask
        held = False
        for way in range(slot, slot + WAYS):
            if cache.keys[way, 0] == key0 and cache.keys[way, 1] == key1:
                for k in range(values.shape[1]):
                    values[i, k] = cache.values[way, k]
                held = True
                break
        if not held:
            missing[absent] = i
            absent += 1
    unlock(cache.lock)
    return missing[:absent]


@kernel
def store(
    cache: CacheArrays,
    keys: NDArray[np.int64],
    rows: NDArray[np.int64],
    tag: int,
    values: NDArray[np.float32],
) -> None:
    """Write values to a cache; none while other threads keep it locked.

    A value goes to the first entry of its key; the value there moves to the second.

    Args:
        cache: in and out.
        keys: ``int64[n, 2]``.
        rows: ``int64[m]``, the keys to store.
        tag: The tag of the values, below 2^46; nothing is stored if it is negative.
        values: ``float32[n, k]``; k is at most the columns, and always the same for a tag.
    """
    if tag < 0 or not _wait_for_lock(cache.lock):
        return
    low = (tag & _TAG_MASK) << KEY_BITS
    high = (tag >> TAG_BITS) << KEY_BITS
    mask = cache.keys.shape[0] - 1
    for row in rows:
        key0 = keys[row, 0] | low
        key1 = keys[row, 1] | high
        slot = (_hash_key(key0, key1) * WAYS) & mask
        if cache.keys[slot, 0] != key0 or cache.keys[slot, 1] != key1:
            cache.keys[slot + 1, 0] = cache.keys[slot, 0]
            cache.keys[slot + 1, 1] = cache.keys[slot, 1]
            for k in range(cache.values.shape[1]):  # all: the moved value may be wider than the new one
                cache.values[slot + 1, k] = cache.values[slot, k]
        cache.keys[slot, 0] = key0
        cache.keys[slot, 1] = key1
        for k in range(values.shape[1]):
            cache.values[slot, k] = values[row, k]
    unlock(cache.lock)
