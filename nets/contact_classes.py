"""Contact by plan: four kinds of contact, each with a net of its own.

A checker is back while it stands in the other side's home board or on the bar. Which sides have two checkers
or more back tells what the game is about, and a net that knows one of the four says more with the same number
of units than one that knows all.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from engine.evaluation.evaluator import Evaluator
from engine.kernels import outcomes as kernel_outcomes
from engine.rules.outcome import Outcomes
from engine.rules.position import Board
from nets.row_groups import gather_boards, group_rows

CONTACT_CLASSES = ("loose", "holding", "containing", "mutual")
"""Plans by name: neither side, the side on roll alone, the other side alone, or both have checkers back."""

_MIN_BACK_CHECKERS = 2
"""So many checkers make a plan; a single one is soon gone."""

_OPPONENT_HOME = 19
"""The lowest point of the other side's home board."""


def classify_contact(boards: Board) -> NDArray[np.int8]:
    """Tell the plan of positions.

    Args:
        boards: ``int8[n, 2, 26]``.

    Returns:
        Places in `CONTACT_CLASSES`, ``int8[n]``.
    """
    has_back = boards[:, :, _OPPONENT_HOME:].sum(axis=2, dtype=np.int8) >= _MIN_BACK_CHECKERS
    result: NDArray[np.int8] = has_back[:, 0] + 2 * has_back[:, 1].astype(np.int8)
    return result


class ContactClassNets:
    """A judge of contact made of one for each plan; an `engine.evaluation.evaluator.Evaluator`.

    Args:
        name: What replies call it.
        nets: The judge of each of `CONTACT_CLASSES`, by name.
    """

    plies = 0

    def __init__(self, name: str, nets: Mapping[str, Evaluator]) -> None:
        self.name = name
        self._nets = [nets[plan] for plan in CONTACT_CLASSES]

    def evaluate(self, boards: Board) -> Outcomes:
        """Evaluate positions, as `engine.evaluation.evaluator.Evaluator.evaluate`."""
        boards = np.require(boards, np.int8, ["C", "W"])
        rows_of_plan = group_rows(classify_contact(boards), len(CONTACT_CLASSES))
        outcomes = np.empty((len(boards), 5), np.float32)
        for net, rows in zip(self._nets, rows_of_plan, strict=True):
            if len(rows) == len(boards):
                return net.evaluate(boards)
            if len(rows):
                kernel_outcomes.scatter_outcomes(net.evaluate(gather_boards(boards, rows)), rows, outcomes)
        return outcomes
