"""Nine kinds of position, each of which may have a net of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gammond.engine.kernels import kernel
from gammond.engine.kernels.phases import MAX_CRASHED_CHECKERS
from gammond.tools.train.kernels.td import is_race

LOOSE, HOLDING, CONTAINING, MUTUAL, BAR, CRASHED, CLOSING, RACE, BEAROFF = range(9)
KINDS = ("contact", "holding", "containing", "mutual", "bar", "crashed", "closing", "race", "bearoff")
"""Names of the kinds in order; ``contact`` is what is left of contact where the others have nets."""


@kernel
def find_kind(boards: NDArray[np.int8], at: int) -> int:
    """Return the kind of a position that is not over.

    Without contact it is a bearoff once both sides are home, else a race. In contact it is the first that
    fits: a checker on the bar; one that is borne off; a side that crashed, as in
    `gammond.engine.kernels.phases`; then by the sides with two or more checkers in the opponent's home board.

    Args:
        boards: ``int8[n, 2, 26]``.
        at: The place of the position.
    """
    back0, back1 = 0, 0
    for point in range(19, 26):
        back0 += boards[at, 0, point]
        back1 += boards[at, 1, point]
    if is_race(boards, at):
        outside = back0 + back1
        for point in range(7, 19):
            outside += boards[at, 0, point] + boards[at, 1, point]
        return BEAROFF if outside == 0 else RACE
    if boards[at, 0, 25] + boards[at, 1, 25] > 0:
        return BAR
    if boards[at, 0, 0] + boards[at, 1, 0] > 0:
        return CLOSING
    for side in range(2):
        buried = max(int(boards[at, side, 2]) - 1, 0)
        if boards[at, side, 1] > 1:
            buried += int(boards[at, side, 1])
        if 15 - buried <= MAX_CRASHED_CHECKERS:
            return CRASHED
    return (HOLDING if back0 > 1 else LOOSE) + (CONTAINING if back1 > 1 else LOOSE)


@kernel
def classify_kinds(boards: NDArray[np.int8], kinds: NDArray[np.int8]) -> None:
    """Write the kinds of ``int8[n, 2, 26]`` positions: ``int8[n]``."""
    for at in range(boards.shape[0]):
        kinds[at] = find_kind(boards, at)
