"""The solution of hypergammon as a table, and the evaluator that reads it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.cubeful.match_equity import MatchEquityTable
from engine.errors import PositionError
from engine.hypergammon.numbering import count_layouts, number_sides
from engine.rules.outcome import Outcomes
from engine.rules.position import Board

OUTCOME_COLUMNS = 5
EQUITY_COLUMNS = 4
COLUMNS = OUTCOME_COLUMNS + EQUITY_COLUMNS
"""The outcome; then the money equities of `HypergammonTable.cubeful_equities`."""


class HypergammonTable:
    """The values of all positions with one to three checkers a side, and the evaluator that looks them up.

    Args:
        checkers: 1 to 3.
        values: ``float32[layouts, layouts, 9]``, the layout on roll first, read-only.
        match_equities: The match equity table of the game.
        check: Called before each look-up: raises an error once the values cannot be read any more.
    """

    plies = 0
    is_optimal = True
    """Its values assume best play by both sides: look-ahead cannot improve them."""

    def __init__(
        self,
        checkers: int,
        values: NDArray[np.float32],
        match_equities: MatchEquityTable,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.checkers = checkers
        self.values = values
        self.match_equities = match_equities
        self._check = check

    @property
    def name(self) -> str:
        """The evaluator's name in replies."""
        return f"hypergammon-{self.checkers}"

    def covers(self, boards: Board) -> NDArray[np.bool_]:
        """Return which positions are in the table, ``bool[n]`` for ``int8[n, 2, 26]``; finished ones are."""
        covered: NDArray[np.bool_] = (boards.sum(axis=2) == self.checkers).all(axis=1)
        return covered

    def evaluate(self, boards: Board) -> Outcomes:
        """Look up the outcomes under best cubeless play, ``float32[n, 5]`` for ``int8[n, 2, 26]``.

        Raises:
            PositionError: A position is not covered.
            DataFileError: The file of the table was altered in use.
        """
        return np.ascontiguousarray(self._look_up(boards)[:, :OUTCOME_COLUMNS])

    def cubeful_equities(self, boards: Board) -> NDArray[np.float32]:
        """Look up exact money equities, before the roll, if the player on roll does not double now.

        Both sides double, redouble, take, pass and play perfectly, for each state of the cube. There are no
        beavers.

        Args:
            boards: ``int8[n, 2, 26]``, all covered.

        Returns:
            ``float32[n, 4]`` in points for a cube of 1: centred, owned by the player on roll, owned by the
            other, centred with the Jacoby rule.

        Raises:
            PositionError: A position is not covered.
            DataFileError: The file of the table was altered in use.
        """
        return np.ascontiguousarray(self._look_up(boards)[:, OUTCOME_COLUMNS:])

    def _look_up(self, boards: Board) -> NDArray[np.float32]:
        covered = self.covers(boards)
        if not covered.all():
            raise PositionError(
                f"expected {self.checkers} checkers a side for {self.name}; position "
                f"{int(np.flatnonzero(~covered)[0])} has others",
                field="position",
            )
        numbers = number_sides(boards, self.checkers)
        self._check()
        looked_up: NDArray[np.float32] = self.values[numbers[:, 0], numbers[:, 1]]
        return looked_up


def shape_of_values(checkers: int) -> tuple[int, int, int]:
    """Return the shape of the values of a table."""
    layouts = count_layouts(checkers)
    return layouts, layouts, COLUMNS
