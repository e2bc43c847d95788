"""Positions set up on purpose: kinds that self-play meets too seldom to learn them.

Each kind is drawn at random within the bounds that its function names. Points are in a side's own numbering;
point p of one side is point 25 - p of the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engine.errors import PositionError
from engine.position import BAR, CHECKERS, OFF, Board, Position, turned

_BACK = (20, 21, 22, 23, 24)
"""Points in the other side's home board, from its five point to its ace point."""


class _Setup:
    """A board in the making."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.board: Board = np.zeros((2, 26), np.int8)
        self._generator = generator

    def left(self, side: int) -> int:
        """Checkers of a side that have no place yet."""
        return CHECKERS - int(self.board[side].sum())

    def free(self, side: int, points: Sequence[int]) -> list[int]:
        """The points where the other side is not."""
        return [point for point in points if self.board[1 - side, 25 - point] == 0]

    def put(self, side: int, point: int, count: int) -> None:
        """Put checkers on a point if the other side is not there, as many as there are."""
        if point in (OFF, BAR) or self.board[1 - side, 25 - point] == 0:
            self.board[side, point] += min(count, self.left(side))

    def scatter(self, side: int, points: Sequence[int], count: int | None = None) -> None:
        """Put checkers, often two at a time, on points where the other side is not; all unless told."""
        free = self.free(side, points)
        wanted = self.left(side) if count is None else min(count, self.left(side))
        while free and wanted > 0:
            number = min(int(self._generator.integers(1, 3)), wanted)
            self.put(side, free[int(self._generator.integers(len(free)))], number)
            wanted -= number

    def between(self, low: int, high: int) -> int:
        """A random number, both ends included."""
        return int(self._generator.integers(low, high + 1))

    def some(self, points: Sequence[int], count: int) -> list[int]:
        """Some of the points, each at most once."""
        return [int(point) for point in self._generator.permutation(points)[:count]]


def backgame(setup: _Setup) -> None:
    """Two anchors in the other home board with four to seven checkers; the other side is coming home.

    The rest of the side that is back stands within 13 pips of home, so that its timing varies from good to
    ruined; of the other side up to four are off.
    """
    for point in setup.some(_BACK, 2):
        setup.put(0, point, 2)
    setup.scatter(0, _BACK, setup.between(0, 3))
    setup.put(1, OFF, max(0, setup.between(-4, 4)))
    setup.scatter(1, range(1, 16))
    setup.scatter(0, range(1, 14))


def containment(setup: _Setup) -> None:
    """One or two checkers to be held behind a broken prime or board, the rest of theirs home or off."""
    for _ in range(setup.between(1, 2)):
        setup.put(1, BAR if setup.between(0, 2) == 0 else setup.between(17, 24), 1)
    for point in setup.some(setup.free(0, range(2, 11)), setup.between(3, 6)):
        setup.put(0, point, 2)
    setup.put(1, OFF, setup.between(0, 6))
    setup.scatter(1, range(1, 8))
    setup.scatter(0, range(1, 19))


def priming(setup: _Setup) -> None:
    """Both sides hold four or five points in a row, with one to three checkers of the other behind them."""
    starts = []
    for side in range(2):
        start = setup.between(3, 6)
        starts.append(start)
        for point in range(start, start + setup.between(4, 5)):
            setup.put(side, point, 2)
    for side in range(2):
        behind = range(26 - starts[1 - side], 25)
        setup.scatter(side, behind, setup.between(1, 3))
    for side in range(2):
        setup.scatter(side, range(2, 16))


def crashed(setup: _Setup) -> None:
    """A side whose board has broken to its low points holds an anchor or waits on the bar."""
    setup.scatter(0, (1, 2, 3), setup.between(8, 12))
    if setup.between(0, 3) == 0:
        setup.put(0, BAR, 1)
    setup.put(0, setup.some((18, *_BACK), 1)[0], 2)
    setup.put(1, OFF, max(0, setup.between(-3, 5)))
    setup.scatter(1, range(1, 14))
    setup.scatter(0, range(1, 25))


def late_hit(setup: _Setup) -> None:
    """A side bearing off has been hit, or still may be, with three to thirteen checkers off."""
    setup.put(1, OFF, setup.between(3, 13))
    if setup.between(0, 2):
        setup.put(1, BAR if setup.between(0, 1) else setup.between(16, 24), 1)
    else:
        setup.put(0, BAR if setup.between(0, 2) == 0 else setup.some(_BACK, 1)[0], setup.between(1, 2))
    setup.scatter(1, range(1, 7))
    for point in setup.some(range(2, 9), setup.between(3, 6)):
        setup.put(0, point, 2)
    setup.scatter(0, range(1, 13))


SETUPS: dict[str, Callable[[_Setup], None]] = {
    "backgame": backgame,
    "containment": containment,
    "priming": priming,
    "crashed": crashed,
    "late-hit": late_hit,
}
"""Kinds of positions by name."""


def set_up(kind: str, count: int, generator: np.random.Generator) -> Board:
    """Draw positions of a kind, with either side on roll.

    Args:
        kind: A key of `SETUPS`.
        count: How many.
        generator: Of the draw.

    Returns:
        ``int8[count, 2, 26]``; each can come up in a game.
    """
    boards = np.empty((count, 2, 26), np.int8)
    done = 0
    while done < count:
        setup = _Setup(generator)
        SETUPS[kind](setup)
        try:
            Position(setup.board)
        except PositionError:
            continue
        boards[done] = turned(setup.board) if generator.integers(2) else setup.board
        done += 1
    return boards
