"""Positions set up on purpose: kinds that self-play meets too seldom to learn them.

Each kind is drawn at random within the bounds that its function names. Points are in a side's own numbering;
point p of one side is point 25 - p of the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gammond.engine.errors import PositionError
from gammond.engine.rules.position import BAR, CHECKERS, OFF, Board, Position, swap_sides

_OPPONENT_HOME_POINTS = (20, 21, 22, 23, 24)
"""Points in the other side's home board, from its five point to its ace point."""

_FRONT_POINTS = (range(7, 19), range(3, 13), range(1, 7))
"""Where the other checkers of a backgame are: with much time, with some, and with none left."""


class _BoardBuilder:
    """A board in the making."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.board: Board = np.zeros((2, 26), np.int8)
        self._generator = generator

    def count_left(self, side: int) -> int:
        """Checkers of a side that have no place yet."""
        return CHECKERS - int(self.board[side].sum())

    def open_points(self, side: int, points: Sequence[int]) -> list[int]:
        """The points where the other side is not."""
        return [point for point in points if self.board[1 - side, 25 - point] == 0]

    def place(self, side: int, point: int, count: int) -> None:
        """Put checkers on a point if the other side is not there, as many as there are."""
        if point in (OFF, BAR) or self.board[1 - side, 25 - point] == 0:
            self.board[side, point] += min(count, self.count_left(side))

    def scatter(self, side: int, points: Sequence[int], count: int | None = None) -> None:
        """Put checkers (by default all), often two at a time, on points where the other side has none."""
        free = self.open_points(side, points)
        wanted = self.count_left(side) if count is None else min(count, self.count_left(side))
        while free and wanted > 0:
            number = min(int(self._generator.integers(1, 3)), wanted)
            self.place(side, free[int(self._generator.integers(len(free)))], number)
            wanted -= number

    def random_int(self, low: int, high: int) -> int:
        """A random number, both ends included."""
        return int(self._generator.integers(low, high + 1))

    def choose_points(self, points: Sequence[int], count: int) -> list[int]:
        """Some of the points, each at most once."""
        return [int(point) for point in self._generator.permutation(points)[:count]]


def set_up_backgame(setup: _BoardBuilder) -> None:
    """Two anchors in the other home board with four to seven checkers; the other side is coming home.

    The rest of the side that is back stands within 13 pips of home, so that its timing varies from good to
    ruined; of the other side up to four are off.
    """
    for point in setup.choose_points(_OPPONENT_HOME_POINTS, 2):
        setup.place(0, point, 2)
    setup.scatter(0, _OPPONENT_HOME_POINTS, setup.random_int(0, 3))
    setup.place(1, OFF, max(0, setup.random_int(-4, 4)))
    setup.scatter(1, range(1, 16))
    setup.scatter(0, range(1, 14))


def set_up_containment(setup: _BoardBuilder) -> None:
    """One or two checkers to be held behind a broken prime or board, the rest of theirs home or off."""
    for _ in range(setup.random_int(1, 2)):
        setup.place(1, BAR if setup.random_int(0, 2) == 0 else setup.random_int(17, 24), 1)
    for point in setup.choose_points(setup.open_points(0, range(2, 11)), setup.random_int(3, 6)):
        setup.place(0, point, 2)
    setup.place(1, OFF, setup.random_int(0, 6))
    setup.scatter(1, range(1, 8))
    setup.scatter(0, range(1, 19))


def set_up_prime_battle(setup: _BoardBuilder) -> None:
    """Both sides hold four or five points in a row, with one to three checkers of the other behind them."""
    starts = []
    for side in range(2):
        start = setup.random_int(3, 6)
        starts.append(start)
        for point in range(start, start + setup.random_int(4, 5)):
            setup.place(side, point, 2)
    for side in range(2):
        behind = range(26 - starts[1 - side], 25)
        setup.scatter(side, behind, setup.random_int(1, 3))
    for side in range(2):
        setup.scatter(side, range(2, 16))


def set_up_crashed_board(setup: _BoardBuilder) -> None:
    """A side whose board has broken to its low points holds an anchor or waits on the bar."""
    setup.scatter(0, (1, 2, 3), setup.random_int(8, 12))
    if setup.random_int(0, 3) == 0:
        setup.place(0, BAR, 1)
    setup.place(0, setup.choose_points((18, *_OPPONENT_HOME_POINTS), 1)[0], 2)
    setup.place(1, OFF, max(0, setup.random_int(-3, 5)))
    setup.scatter(1, range(1, 14))
    setup.scatter(0, range(1, 25))


def set_up_late_hit(setup: _BoardBuilder) -> None:
    """A side bearing off has been hit, or still may be, with three to thirteen checkers off."""
    setup.place(1, OFF, setup.random_int(3, 13))
    if setup.random_int(0, 2):
        setup.place(1, BAR if setup.random_int(0, 1) else setup.random_int(16, 24), 1)
    else:
        setup.place(
            0,
            BAR if setup.random_int(0, 2) == 0 else setup.choose_points(_OPPONENT_HOME_POINTS, 1)[0],
            setup.random_int(1, 2),
        )
    setup.scatter(1, range(1, 7))
    for point in setup.choose_points(range(2, 9), setup.random_int(3, 6)):
        setup.place(0, point, 2)
    setup.scatter(0, range(1, 13))


def set_up_anchor_pair(setup: _BoardBuilder) -> None:
    """Any two anchors with four to nine checkers back, all timings as often; the other side is coming home.

    The checkers that are not back are mostly outside, on their way home or in the home board; of the other
    side, up to four are off.
    """
    for point in setup.choose_points(_OPPONENT_HOME_POINTS, 2):
        setup.place(0, point, 2)
    setup.scatter(0, (*_OPPONENT_HOME_POINTS, BAR), setup.random_int(0, 5))
    setup.place(1, OFF, max(0, setup.random_int(-8, 4)))
    setup.scatter(1, range(1, 13))
    front = _FRONT_POINTS[setup.random_int(0, len(_FRONT_POINTS) - 1)]
    setup.scatter(0, front, setup.random_int(4, 8))
    setup.scatter(0, range(1, 19))


def set_up_late_containment(setup: _BoardBuilder) -> None:
    """One to three checkers to be held behind a broken prime, with 8 to 13 of their side off."""
    setup.place(1, OFF, setup.random_int(8, 13))
    for _ in range(setup.random_int(1, 3)):
        setup.place(1, BAR if setup.random_int(0, 2) == 0 else setup.random_int(13, 24), 1)
    for point in setup.choose_points(setup.open_points(0, range(2, 12)), setup.random_int(3, 6)):
        setup.place(0, point, 2)
    setup.scatter(1, range(1, 7))
    setup.scatter(0, range(1, 17))


def set_up_ace_point(setup: _BoardBuilder) -> None:
    """Two or three checkers on the ace point of a side that brings its last ones home or bears off."""
    setup.place(0, 24, setup.random_int(2, 3))
    setup.place(1, OFF, max(0, setup.random_int(-4, 8)))
    if setup.random_int(0, 2) == 0:
        setup.scatter(1, range(7, 11), setup.random_int(1, 4))
    setup.scatter(1, range(1, 7))
    for point in setup.choose_points(range(1, 8), setup.random_int(4, 6)):
        setup.place(0, point, 2)
    setup.scatter(0, range(1, 10))


def set_up_bear_in(setup: _BoardBuilder) -> None:
    """A side comes home past one to four checkers that wait in its home board or on the bar."""
    for _ in range(setup.random_int(1, 2)):
        point = setup.choose_points((*_OPPONENT_HOME_POINTS, BAR), 1)[0]
        setup.place(0, point, 1 if point == BAR else setup.random_int(1, 2))
    setup.scatter(1, range(7, 13), setup.random_int(1, 6))
    setup.scatter(1, range(1, 7))
    setup.scatter(0, range(1, 10))


def set_up_race(setup: _BoardBuilder) -> None:
    """A race of any length, mostly between sides of like length, at times with one side far ahead.

    Up to ten checkers of a side are outside its home board, none of them behind the other side's rear.
    """
    off, other_off = 0, 0
    kind = setup.random_int(0, 7)
    if kind == 0:
        rear, outside, other_outside = setup.random_int(7, 23), setup.random_int(1, 8), 0
        other_off = max(0, setup.random_int(-4, 12))
    elif kind <= 2:
        rear, outside, other_outside = (
            setup.random_int(13, 18),
            setup.random_int(1, 5),
            setup.random_int(1, 10),
        )
    else:
        rear, outside = setup.random_int(4, 12 if kind <= 4 else 10), setup.random_int(0, 10)
        other_outside = outside + setup.random_int(-2, 2)
        if outside < 2:
            off, other_off = max(0, setup.random_int(-6, 4)), max(0, setup.random_int(-6, 4))
    other_rear = min(24 - rear, 18 if kind <= 2 else 12 if kind <= 4 else 10)
    for side, last, number, borne_off in ((0, rear, outside, off), (1, other_rear, other_outside, other_off)):
        setup.place(side, OFF, borne_off)
        setup.scatter(side, range(7, last + 1), max(number, 0))
        setup.scatter(side, range(1, min(last, 6) + 1))


def set_up_gammon_race(setup: _BoardBuilder) -> None:
    """A race in which a side bears off and the other brings its last checkers home, to save the gammon."""
    rear = setup.random_int(1, 8)
    setup.place(0, OFF, max(0, setup.random_int(-4, 13)))
    setup.scatter(0, range(1, rear + 1))
    last = 24 - rear if setup.random_int(0, 2) == 0 else min(24 - rear, 18)
    setup.scatter(1, range(7, last + 1), setup.random_int(1, 10))
    setup.scatter(1, range(1, 7))


SETUPS: dict[str, Callable[[_BoardBuilder], None]] = {
    "backgame": set_up_backgame,
    "containment": set_up_containment,
    "priming": set_up_prime_battle,
    "crashed": set_up_crashed_board,
    "late-hit": set_up_late_hit,
    "anchor-pair": set_up_anchor_pair,
    "late-containment": set_up_late_containment,
    "ace-point": set_up_ace_point,
    "bear-in": set_up_bear_in,
    "race": set_up_race,
    "gammon-race": set_up_gammon_race,
}
"""Kinds of positions by name."""


def draw_setups(kind: str, generator: np.random.Generator, count: int) -> Board:
    """Draw positions of a kind, with either side on roll.

    Args:
        kind: A key of `SETUPS`.
        generator: Of the draw.
        count: How many.

    Returns:
        ``int8[count, 2, 26]``; each can come up in a game.
    """
    boards = np.empty((count, 2, 26), np.int8)
    done = 0
    while done < count:
        setup = _BoardBuilder(generator)
        SETUPS[kind](setup)
        try:
            Position(setup.board)
        except PositionError:
            continue
        boards[done] = swap_sides(setup.board) if generator.integers(2) else setup.board
        done += 1
    return boards
