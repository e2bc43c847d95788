"""Contact classes: four kinds of contact position, each with a net of its own.

A checker is back if it is in the opponent's home board or on the bar. The sides with two or more checkers
back show the kind of game; a net for one of the four classes evaluates better than a net of the same size for
all of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.rules.position import Board

CONTACT_CLASSES = ("loose", "holding", "containing", "mutual")
"""Classes by name: checkers back of neither side, the player on roll alone, the opponent alone, or both."""

_MIN_BACK_CHECKERS = 2
"""A single checker back does not count: it soon leaves."""

_OPPONENT_HOME = 19
"""The lowest point of the opponent's home board."""


def classify_contact(boards: Board) -> NDArray[np.int8]:
    """Return the contact classes of positions.

    Args:
        boards: ``int8[n, 2, 26]``.

    Returns:
        Places in `CONTACT_CLASSES`, ``int8[n]``.
    """
    has_back = boards[:, :, _OPPONENT_HOME:].sum(axis=2, dtype=np.int8) >= _MIN_BACK_CHECKERS
    result: NDArray[np.int8] = has_back[:, 0] + 2 * has_back[:, 1].astype(np.int8)
    return result
