"""Legal plays where a double is two checker moves, as any other roll is: a variant of the rules.

Plays are generated as in `engine.kernels.moves`, for doubles as for two different dice.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import kernel
from engine.kernels.moves import (
    PlayScratch,
    generate_one_die_plays,
    generate_plays,
    generate_two_dice_plays,
    make_play_scratch,
    write_child,
    write_moves,
    write_point_sets,
)


@kernel
def expand(
    boards: NDArray[np.int8],
    dice: NDArray[np.int8],
    start: int,
    children: NDArray[np.int8],
    moves: NDArray[np.int8],
    offsets: NDArray[np.int64],
) -> int:
    """Write the results of one roll for each of many positions, as `engine.kernels.moves.expand` does."""
    scratch = make_play_scratch()
    for i in range(start, boards.shape[0]):
        at = offsets[i]
        die1 = int(dice[i, 0])
        die2 = int(dice[i, 1])
        write_point_sets(boards, i, scratch.sets)
        if die1 == die2:
            count = generate_short_double(die1, scratch)
        else:
            count = generate_plays(boards, i, die1, die2, scratch)
        if at + count > children.shape[0]:
            return i
        for j in range(count):
            write_child(boards, i, int(scratch.plays[j]), children, at + j)
            write_moves(int(scratch.plays[j]), moves, at + j)
        offsets[i + 1] = at + count
    return boards.shape[0]


@kernel
def generate_short_double(die: int, scratch: PlayScratch) -> int:
    """List all distinct results of a double that is two moves, as `engine.kernels.moves.generate_plays`."""
    count = generate_two_dice_plays(die, die, 0, scratch)
    if count == 0:
        count = generate_one_die_plays(die, scratch)
    if count == 0:
        scratch.plays[0] = 0
        count = 1
    return count
