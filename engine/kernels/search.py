"""Compiled steps of a search: deduplication, the value cache, choosing replies, averaging over rolls.

A position's key is two integers of 40 bits, one for each side: the counts of points 1..25 in unary (a 1 for
each checker, then a 0). Different positions of 15 checkers a side have different keys, so positions are never
confused. The bits above the 40 are free for a tag.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import gil_kernel, kernel
from engine.kernels.interrupts import call_back, try_lock, unlock

KEY_BITS = 40
TAG_BITS = 23
"""Bits of a tag that fit beside each half of a key, below the sign."""

EMPTY = -1
"""The key of an empty entry; keys are never negative."""

WAYS = 2
"""Associativity of the cache: entries in which a key can be stored."""

NODES, WORK, IS_STOPPED = range(3)
"""Cells of `SearchFrame.counters`: positions evaluated, work since the last question, whether to stop."""

_ASK_EVERY = 4096
"""Work between questions, in positions evaluated: 10 to 20 ms."""

_LOCK_TRIES = 1000
"""After these a thread does without the cache: the one that holds its lock is not running."""

_TAG_MASK = (1 << TAG_BITS) - 1


class SearchFrame(NamedTuple):
    """What a search uses beside evaluators; `engine.search.tree` explains the settings.

    Attributes:
        keep: The most replies that pruning keeps; 0 for all legal plays.
        margin: The largest difference of a kept reply from the best one, in points.
        width: The most replies followed deeper; 0 for all that were kept.
        width_margin: The largest difference of these from the best one.
        block: The number of positions whose replies are held together.
        batch: The number of positions whose replies are listed between questions.
        evaluate_rows: The number of positions evaluated together.
        dice: ``int8[rolls, 2]``.
        weights: ``float64[rolls]``, the probability of each roll.
        cache_keys: ``int64[entries, 2]``; this and the next two are `engine.search.cache.CacheArrays`.
        cache_values: ``float32[entries, columns]``.
        cache_lock: ``int64[1]``.
        counters: in and out, ``int64[3]``.
        question: The address of an `engine.kernels.interrupts.CALLBACK`, which is asked now and then with the
            number of positions evaluated since, and answers 0 to go on.
    """

    keep: int
    margin: float
    width: int
    width_margin: float
    block: int
    batch: int
    evaluate_rows: int
    dice: NDArray[np.int8]
    weights: NDArray[np.float64]
    cache_keys: NDArray[np.int64]
    cache_values: NDArray[np.float32]
    cache_lock: NDArray[np.int64]
    counters: NDArray[np.int64]
    question: int


@kernel
def is_stopped(frame: SearchFrame, work: int) -> bool:
    """Count work, ask now and then whether to stop, and return whether to."""
    counters = frame.counters
    counters[WORK] += work
    if counters[WORK] >= _ASK_EVERY and not counters[IS_STOPPED]:
        nodes = counters[NODES]
        counters[NODES] = 0
        counters[WORK] = 0
        counters[IS_STOPPED] = call_back(frame.question, nodes)
    return bool(counters[IS_STOPPED])


@kernel
def _hash_key(key0: int, key1: int) -> int:
    """Spread a key over 62 bits; every product stays inside int64."""
    mixed = (key0 % 2147483647) * 1103515245 + (key1 % 2147483629) * 1640531527
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


@gil_kernel
def find_distinct(
    boards: NDArray[np.int8],
    keys: NDArray[np.int64],
    table: NDArray[np.int32],
    first: NDArray[np.int64],
    places: NDArray[np.int64],
) -> int:
    """Find the distinct positions, in order of first appearance.

    Args:
        boards: ``int8[n, 2, 26]``.
        keys: out, ``int64[n, 2]``, the keys of all positions.
        table: scratch, ``int32`` of a power of two above n, all `EMPTY`.
        first: out, ``int64[n]``, where each distinct position appears first.
        places: out, ``int64[n]``, the distinct position of each one.

    Returns:
        How many are distinct.
    """
    compute_position_keys(boards, keys)
    mask = table.shape[0] - 1
    count = 0
    for i in range(keys.shape[0]):
        slot = _hash_key(keys[i, 0], keys[i, 1]) & mask
        while True:
            known = table[slot]
            if known == EMPTY:
                table[slot] = count
                first[count] = i
                places[i] = count
                count += 1
                break
            other = first[known]
            if keys[other, 0] == keys[i, 0] and keys[other, 1] == keys[i, 1]:
                places[i] = known
                break
            slot = (slot + 1) & mask
    return count


@kernel
def _wait_for_lock(lock: NDArray[np.int64]) -> bool:
    """Take a lock, unless another thread keeps it for longer than the cache needs it."""
    tries = 1
    while not try_lock(lock):
        tries += 1
        if tries > _LOCK_TRIES:
            return False
    return True


@gil_kernel
def look_up(
    keys: NDArray[np.int64],
    tag: int,
    stored_keys: NDArray[np.int64],
    stored_values: NDArray[np.float32],
    lock: NDArray[np.int64],
    values: NDArray[np.float32],
    missing: NDArray[np.int64],
) -> int:
    """Read cached values; none while other threads keep the cache locked.

    Args:
        keys: ``int64[n, 2]``.
        tag: The tag of the values, below 2^46.
        stored_keys: ``int64[entries, 2]``, keys with their tags or `EMPTY`; a power of two of entries.
        stored_values: ``float32[entries, columns]``.
        lock: in and out, ``int64[1]``, for `engine.kernels.interrupts.try_lock`.
        values: out, ``float32[n, k]`` with k of at most the columns, those that were stored for the tag; rows
            that are not held are left alone.
        missing: out, ``int64[n]``, the rows that are not cached.

    Returns:
        How many are not held.
    """
    low = (tag & _TAG_MASK) << KEY_BITS
    high = (tag >> TAG_BITS) << KEY_BITS
    mask = stored_keys.shape[0] - 1
    absent = 0
    is_locked = _wait_for_lock(lock)
    for i in range(keys.shape[0]):
        key0 = keys[i, 0] | low
        key1 = keys[i, 1] | high
        slot = (_hash_key(key0, key1) * WAYS) & mask
        held = False
        for way in range(slot, slot + WAYS if is_locked else slot):
            if stored_keys[way, 0] == key0 and stored_keys[way, 1] == key1:
                for k in range(values.shape[1]):
                    values[i, k] = stored_values[way, k]
                held = True
                break
        if not held:
            missing[absent] = i
            absent += 1
    if is_locked:
        unlock(lock)
    return absent


@gil_kernel
def store(
    keys: NDArray[np.int64],
    rows: NDArray[np.int64],
    tag: int,
    values: NDArray[np.float32],
    stored_keys: NDArray[np.int64],
    stored_values: NDArray[np.float32],
    lock: NDArray[np.int64],
) -> None:
    """Write values to a cache; none while other threads keep it locked.

    A value goes to the first entry of its key; the value there moves to the second.

    Args:
        keys: ``int64[n, 2]``.
        rows: ``int64[m]``, the keys to store.
        tag: The tag of the values, below 2^46.
        values: ``float32[m, k]``, of those rows; k is at most the columns, and always the same for a tag.
        stored_keys: in and out, ``int64[entries, 2]``.
        stored_values: in and out, ``float32[entries, columns]``.
        lock: in and out, ``int64[1]``, for `engine.kernels.interrupts.try_lock`.
    """
    if not _wait_for_lock(lock):
        return
    low = (tag & _TAG_MASK) << KEY_BITS
    high = (tag >> TAG_BITS) << KEY_BITS
    mask = stored_keys.shape[0] - 1
    for j in range(rows.shape[0]):
        key0 = keys[rows[j], 0] | low
        key1 = keys[rows[j], 1] | high
        slot = (_hash_key(key0, key1) * WAYS) & mask
        if stored_keys[slot, 0] != key0 or stored_keys[slot, 1] != key1:
            stored_keys[slot + 1, 0] = stored_keys[slot, 0]
            stored_keys[slot + 1, 1] = stored_keys[slot, 1]
            for k in range(
                stored_values.shape[1]
            ):  # all columns: the moved value may be wider than the new one
                stored_values[slot + 1, k] = stored_values[slot, k]
        stored_keys[slot, 0] = key0
        stored_keys[slot, 1] = key1
        for k in range(values.shape[1]):
            stored_values[slot, k] = values[j, k]
    unlock(lock)


@kernel
def _compute_score(values: NDArray[np.float32], row: int, scores: NDArray[np.float64], which: int) -> float:
    total = 0.0
    for k in range(values.shape[1]):
        total += scores[which, k] * float(values[row, k])
    return total


@gil_kernel
def choose_replies(
    values: NDArray[np.float32],
    places: NDArray[np.int64],
    offsets: NDArray[np.int64],
    scores: NDArray[np.float64],
    width: int,
    margin: float,
    chosen: NDArray[np.int64],
    chosen_offsets: NDArray[np.int64],
) -> None:
    """Choose the best replies to each roll by the first score: the lowest is best, ties go to the first.

    Args:
        values: ``float32[u, k]``, of distinct positions, for the next mover.
        places: ``int64[m]``, the position that each reply leads to.
        offsets: ``int64[n + 1]``; the replies to roll i are at ``offsets[i]:offsets[i + 1]``, at least one.
        scores: ``float64[g, k]``, weights of the columns in each score.
        width: The largest number of replies for a roll, 1 or more.
        margin: The largest difference from the best reply.
        chosen: out, ``int64[m]``, indices of the chosen replies among all, the best of each roll first.
        chosen_offsets: out, ``int64[n + 1]``; the replies chosen for roll i.
    """
    found = np.empty(width, np.float64)
    chosen_offsets[0] = 0
    for i in range(offsets.shape[0] - 1):
        at = chosen_offsets[i]
        count = 0
        for reply in range(offsets[i], offsets[i + 1]):
            score = _compute_score(values, places[reply], scores, 0)
            if count == width and score >= found[count - 1]:
                continue
            if count < width:
                count += 1
            j = count - 1
            while j > 0 and found[j - 1] > score:
                found[j] = found[j - 1]
                chosen[at + j] = chosen[at + j - 1]
                j -= 1
            found[j] = score
            chosen[at + j] = reply
        while count > 1 and found[count - 1] > found[0] + margin:
            count -= 1
        chosen_offsets[i + 1] = at + count


@gil_kernel
def average_best_replies(
    values: NDArray[np.float32],
    places: NDArray[np.int64],
    offsets: NDArray[np.int64],
    scores: NDArray[np.float64],
    score_of: NDArray[np.int64],
    turned_from: NDArray[np.int64],
    factors: NDArray[np.float64],
    shifts: NDArray[np.float64],
    weights: NDArray[np.float64],
    averages: NDArray[np.float32],
) -> None:
    """Take the best reply to each roll, swap sides, and average over the rolls.

    Column c of the result is the mean over the rolls of ``shifts[c] + factors[c] * v``, where v stands in
    column ``turned_from[c]`` of the reply with the least score ``score_of[c]``; ties go to the first.

    Args:
        values: ``float32[u, k]``, of distinct positions, for the next mover.
        places: ``int64[m]``, the position that each reply leads to.
        offsets: ``int64[n * rolls + 1]``; the replies to roll r of position i are at
            ``offsets[i * rolls + r]:offsets[i * rolls + r + 1]``, at least one.
        scores: ``float64[g, k]``, weights of the columns in each score.
        score_of: ``int64[k]``.
        turned_from: ``int64[k]``.
        factors: ``float64[k]``.
        shifts: ``float64[k]``.
        weights: ``float64[rolls]``, the probability of each roll.
        averages: out, ``float32[n, k]``.
    """
    columns = values.shape[1]
    rolls = weights.shape[0]
    best = np.empty(scores.shape[0], np.int64)
    sums = np.empty(columns, np.float64)
    for i in range(averages.shape[0]):
        for c in range(columns):
            sums[c] = 0.0
        for r in range(rolls):
            start = offsets[i * rolls + r]
            end = offsets[i * rolls + r + 1]
            for g in range(scores.shape[0]):
                best[g] = places[start]
                least = _compute_score(values, best[g], scores, g)
                for reply in range(start + 1, end):
                    score = _compute_score(values, places[reply], scores, g)
                    if score < least:
                        least = score
                        best[g] = places[reply]
            for c in range(columns):
                value = float(values[best[score_of[c]], turned_from[c]])
                sums[c] += weights[r] * (shifts[c] + factors[c] * value)
        for c in range(columns):
            averages[i, c] = sums[c]
