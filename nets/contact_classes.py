"""Contact classes: four kinds of contact position, each with a net of its own.

A checker is back if it is in the opponent's home board or on the bar. The sides with two or more checkers
back show the kind of game; a net for one of the four classes evaluates better than a net of the same size for
all of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import as_kernel_array
from engine.rules.position import Board
from nets.kernels import routing as kernel_routing

CONTACT_CLASSES = ("loose", "holding", "containing", "mutual")
"""Classes by name: checkers back of neither side, the player on roll alone, the opponent alone, or both."""


def classify_contact(boards: Board) -> NDArray[np.int8]:
    """Return the contact classes of positions.

    Args:
        boards: ``int8[n, 2, 26]``.

    Returns:
        Places in `CONTACT_CLASSES`, ``int8[n]``.
    """
    classes = np.empty(len(boards), np.int8)
    kernel_routing.classify_contact(as_kernel_array(boards, np.int8), classes)
    return classes
