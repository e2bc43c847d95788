"""The transposition table of a search: what was found for a position, by its key.

An entry is two integers: the key, and the score, the number of the search, the depth, the kind of bound and a
hint to the best move packed into one. A position has two places. In the first stays the entry of the greatest
depth of a search, the second takes the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import inlined_kernel

ENTRY_COLUMNS = 2

GENERATIONS = 256
"""The numbers of searches that entries tell apart."""

NO_ENTRY, EXACT, LOWER, UPPER = range(4)
"""The kinds of bounds: none was found; the score is the value, or a bound on it."""

HINT_BITS = 14
NO_HINT = (1 << HINT_BITS) - 1

_BOUND_BITS, _DEPTH_BITS, _GENERATION_BITS = 2, 7, 8
_DEPTH_AT = HINT_BITS + _BOUND_BITS
_GENERATION_AT = _DEPTH_AT + _DEPTH_BITS
_SCORE_AT = _GENERATION_AT + _GENERATION_BITS
_DEPTH_MASK = (1 << _DEPTH_BITS) - 1

_SCORE_OFFSET = 1 << 22
"""Above every score, so that none is packed as a negative number."""


@inlined_kernel
def find_entry(table: NDArray[np.int64], key: int, generation: int) -> tuple[int, int, int, int]:
    """Look a position up.

    Args:
        table: ``int64[entries, ENTRY_COLUMNS]``, a power of two of entries, 2 or more.
        key: The position's key.
        generation: The number of the search: entries of others are not found.

    Returns:
        The kind of bound, `NO_ENTRY` if there is none; the depth, the score, and a hint or `NO_HINT`.
    """
    place = key & (table.shape[0] - 1)
    if table[place, 0] != key:
        place ^= 1
    data = table[place, 1]
    if table[place, 0] != key or (data >> _GENERATION_AT) & (GENERATIONS - 1) != generation:
        return NO_ENTRY, 0, 0, NO_HINT
    bound = (data >> HINT_BITS) & ((1 << _BOUND_BITS) - 1)
    return bound, (data >> _DEPTH_AT) & _DEPTH_MASK, (data >> _SCORE_AT) - _SCORE_OFFSET, data & NO_HINT


@inlined_kernel
def put_entry(
    table: NDArray[np.int64], key: int, generation: int, bound: int, depth: int, score: int, hint: int
) -> None:
    """Keep what was found for a position, in the place of another if need be.

    Args:
        table: in and out, as for `find_entry`.
        key: The position's key.
        generation: The number of the search.
        bound: The kind of bound.
        depth: Plies searched.
        score: The score.
        hint: A hint to the best move, or `NO_HINT`.
    """
    place = key & (table.shape[0] - 1)
    kept = table[place, 1]
    is_of_another_search = (kept >> _GENERATION_AT) & (GENERATIONS - 1) != generation
    is_as_shallow = (kept >> _DEPTH_AT) & _DEPTH_MASK <= depth
    if not (is_of_another_search or is_as_shallow or table[place, 0] == key):
        place ^= 1
    table[place, 0] = key
    packed = (((score + _SCORE_OFFSET) << _SCORE_AT) | (generation << _GENERATION_AT)) | (depth << _DEPTH_AT)
    table[place, 1] = packed | (bound << HINT_BITS) | hint
