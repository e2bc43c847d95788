"""What both kinds of bearoff databases are: evaluators whose contents are read when they are first needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.bearoff.file_format import BearoffHeader
from gammond.engine.bearoff.numbering import SideNumbering
from gammond.engine.rules.position import Board


class BearoffTable:
    """A database, and the evaluator that reads it.

    Args:
        header: What it holds.
        load: Returns the payload of its file: the arrays in order, read-only.

    Attributes:
        header: As given.
        numbering: The numbers of its sides.
    """

    plies = 0

    def __init__(self, header: BearoffHeader, load: Callable[[], Sequence[NDArray[Any]]]) -> None:
        self.header = header
        self.numbering = SideNumbering(header.points, header.checkers)
        self._load = load

    @cached_property
    def arrays(self) -> Sequence[NDArray[Any]]:
        """The payload of its file."""
        return self._load()

    @cached_property
    def name(self) -> str:
        """The evaluator's name in replies."""
        return f"bearoff {self.header}"

    def covers(self, boards: Board) -> NDArray[np.bool_]:
        """Return which positions are in the table; finished ones may be, contact positions are not.

        Args:
            boards: ``int8[n, 2, 26]``.

        Returns:
            ``bool[n]``.
        """
        return self.numbering.covers(boards)
