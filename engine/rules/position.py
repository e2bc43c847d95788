"""Positions: the checkers of both sides as the player on roll sees them."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import PositionError
from gammond.engine.kernels import as_kernel_array
from gammond.engine.kernels import phases as kernel_phases

CHECKERS = 15
"""The checkers of each side in backgammon, the most of any variant (`gammond.engine.rules.rules.Variant`)."""

OFF = 0
BAR = 25

START_POINTS = ((24, 2), (13, 5), (8, 3), (6, 5))
"""Points and checkers of each side in the starting position of backgammon."""

Board = NDArray[np.int8]
"""``int8[2, 26]``: row 0 the player on roll, row 1 the opponent, each in its own numbering.

Column 0 counts the checkers borne off, so that a row sums to the checkers that a side has in the variant.
Arrays of boards, ``int8[n, 2, 26]``, hold positions of games with one number of checkers a side.
"""


def swap_sides(boards: Board) -> Board:
    """Return a contiguous copy of boards, ``int8[..., 2, 26]``, as the other side sees them.

    Outside kernels, rows are swapped here alone.
    """
    return np.ascontiguousarray(boards[..., ::-1, :])


class Phase(enum.IntEnum):
    """Phases of a game, in the order in which a game passes through them."""

    CONTACT = kernel_phases.CONTACT
    CRASHED = kernel_phases.CRASHED
    RACE = kernel_phases.RACE
    OVER = kernel_phases.OVER


class Position:
    """A validated, immutable position.

    Args:
        board: ``int8[2, 26]``; it is copied.
        checkers: How many checkers each side has in the game, with those borne off: 1..15.

    Raises:
        PositionError: The board is impossible: wrong shape, no integers, a count outside 0..15, a side with
            another number of checkers, a point held by both sides, both sides finished, or both on the bar
            against closed boards.
    """

    __slots__ = ("_board",)

    def __init__(self, board: Any, checkers: int = CHECKERS) -> None:  # noqa: ANN401  (numpy reads it)
        self._board: Board = _validate_board(board, checkers)

    @classmethod
    def start(cls, points: Sequence[tuple[int, int]] = START_POINTS) -> Position:
        """Return the starting position with these points and checkers for both sides."""
        row = np.zeros(26, np.int8)
        for point, count in points:
            row[point] = count
        return cls(np.stack([row, row]), int(row.sum()))

    @classmethod
    def from_valid_board(cls, board: Board) -> Position:
        """Copy a C-contiguous board that the rules produced from a valid position, without validating it."""
        position = cls.__new__(cls)
        position._board = board.copy()
        position._board.setflags(write=False)
        return position

    @property
    def board(self) -> Board:
        """``int8[2, 26]``, read-only."""
        return self._board

    def swap_sides(self) -> Position:
        """Return the same checkers with the other player on roll."""
        return Position.from_valid_board(swap_sides(self._board))

    def with_checkers(self, checkers: int) -> Position:
        """Return the position of the same checkers on the board in a game with another number of them.

        Those that are not on the board have been borne off: what formats say that count no such checkers.

        Raises:
            PositionError: A side has more on the board, or none, and so has the other.
        """
        if checkers == self.checkers:
            return self
        board = self._board.copy()
        fill_borne_off(board, ("the player on roll", "the opponent"), checkers)
        return Position(board, checkers)

    @property
    def checkers(self) -> int:
        """The number of checkers of each side, with those borne off."""
        return sum(self._board[0].tolist())

    @property
    def pips(self) -> tuple[int, int]:
        """Pip counts of the player on roll and of the opponent."""
        own, opponent = self._board.astype(np.int64) @ np.arange(26)
        return int(own), int(opponent)

    @property
    def phase(self) -> Phase:
        """The phase of this position; see `classify_phases`."""
        return Phase(int(classify_phases(self._board[None])[0]))

    @property
    def is_over(self) -> bool:
        """Whether one side has borne off all its checkers."""
        own, opponent = self._board.item(0, OFF), self._board.item(1, OFF)
        return bool(own or opponent) and self.checkers in (own, opponent)

    @property
    def key(self) -> bytes:
        """52 bytes, the same for equal positions."""
        return self._board.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __reduce__(self) -> tuple[type[Position], tuple[Board, int]]:
        return Position, (self._board, self.checkers)

    def __repr__(self) -> str:
        sides = []
        for name, row in zip("xo", self._board, strict=True):
            sides.append(name + "".join(f" {p}:{row[p]}" for p in range(25, -1, -1) if row[p]))
        return f"Position({'; '.join(sides)})"


def fill_borne_off(board: Board, side_names: tuple[str, str], checkers: int = CHECKERS) -> None:
    """Complete a board from a format without borne-off checkers: those missing have been borne off.

    Args:
        board: ``int8[2, 26]``, changed in place.
        side_names: What an error calls the two rows.
        checkers: How many checkers each side has in the game.

    Raises:
        PositionError: A side has more on the board.
    """
    for row, side in zip(board, side_names, strict=True):
        count = int(row[1:].sum())
        if count > checkers:
            raise PositionError(
                f"{side} has {count} checkers on the board, at most {checkers} exist", field="position"
            )
        row[OFF] = checkers - count


def count_checkers(boards: Board) -> int:
    """Return how many checkers each side of boards has in the game; 15 where there are no boards."""
    return sum(boards[0, 0].tolist()) if len(boards) else CHECKERS


def find_finished(boards: Board) -> NDArray[np.bool_]:
    """Return which of positions ``int8[n, 2, 26]`` are over: a side has borne off all its checkers."""
    checkers = count_checkers(boards)
    finished: NDArray[np.bool_] = (boards[:, 0, OFF] == checkers) | (boards[:, 1, OFF] == checkers)
    return finished


def classify_phases(boards: Board) -> NDArray[np.int8]:
    """Return the phases of positions ``int8[n, 2, 26]``, ``int8[n]`` of `Phase`.

    A race has no contact: no checker can ever meet an opposing one. A crashed position has contact and a side
    (either one) with at most six useful checkers: those borne off do not count, nor do two or more on its ace
    point, nor all but one of those on its deuce point.

    *Source:* GNU Backgammon's classes, inferred from its classification of every combination of checkers on
    the board, the ace and the deuce point; no difference is known. Its bearoff classes are races here.
    """
    boards = as_kernel_array(boards, np.int8)
    result = np.empty(len(boards), np.int8)
    kernel_phases.classify_phases(boards, result)
    return result


def _validate_board(board: Any, checkers: int) -> Board:  # noqa: ANN401
    try:
        array = np.asarray(board)
    except (TypeError, ValueError):
        raise PositionError(
            "expected a board of two rows of 26 counts, got ragged rows", field="position"
        ) from None
    if array.shape != (2, 26):
        raise PositionError(f"expected a board of shape (2, 26), got {array.shape}", field="position")
    if array.dtype.kind not in "iu":
        raise PositionError(f"expected a board of integers, got {array.dtype}", field="position")
    if ((array < 0) | (array > CHECKERS)).any():
        raise PositionError(f"expected 0 to {CHECKERS} checkers on each point", field="position")
    if not 1 <= checkers <= CHECKERS:
        raise PositionError(f"expected 1 to {CHECKERS} checkers a side, got {checkers}", field="position")
    array = np.array(array, dtype=np.int8, order="C")
    for name, row in zip(("the player on roll", "the opponent"), array, strict=True):
        total = int(row.sum())
        if total != checkers:
            raise PositionError(
                f"{name} has {total} checkers, expected {checkers} with those borne off", field="position"
            )
    shared = np.flatnonzero((array[0, 1:25] > 0) & (array[1, 24:0:-1] > 0))
    if shared.size:
        point = int(shared[0]) + 1
        raise PositionError(
            f"both sides hold the {point} point of the player on roll (the opponent's {25 - point} point)",
            field="position",
        )
    if (array[:, OFF] == checkers).all():
        raise PositionError("both sides have borne off all their checkers", field="position")
    if (array[:, BAR] > 0).all() and (array[:, 1:7] >= 2).all():
        raise PositionError("both sides are on the bar against closed boards", field="position")
    array.setflags(write=False)
    return array
