"""A slow, obvious solution of hypergammon with one checker a side: value iteration by the rules."""

import functools

from gammond.engine.rules.dice import ROLLS
from gammond.engine.rules.position import Position
from tests.support.boards import position, replies

CHECKERS = 1
PASSES = 25

Reply = int | float
"""The number of the position that follows, or what it is worth to the next mover, who has lost."""


@functools.cache
def list_positions() -> list[Position]:
    """List the positions that are not over."""
    return [
        position({own: 1}, {25 - other: 1}, CHECKERS)
        for own in range(1, 26)
        for other in range(1, 26)
        if own != 25 - other
    ]


@functools.cache
def list_replies() -> list[list[list[Reply]]]:
    """List what the plays of each roll lead to, for each position."""
    numbers = {each: number for number, each in enumerate(list_positions())}

    def read(after: Position) -> Reply:
        if after.is_over:
            return -3.0 if after.board[0, 19:].any() else -2.0
        return numbers[after]

    return [[[read(after) for after in replies(each, roll)] for roll in ROLLS] for each in list_positions()]


def solve_cubeless() -> list[float]:
    """Return the cubeless equities."""
    values = [0.0] * len(list_positions())
    for _ in range(PASSES):
        for number in range(len(values)):
            values[number] = average(number, lambda reply: values[reply], 3.0)
    return values


def solve_cubeful(jacoby: bool) -> list[tuple[float, float, float]]:
    """Return the money equities without a double now: centred, owned by the player on roll, by the other."""
    values = [(0.0, 0.0, 0.0)] * len(list_positions())

    def with_double(reply: int, column: int) -> float:
        return max(values[reply][column], min(1.0, 2.0 * values[reply][2]))

    for _ in range(PASSES):
        for number in range(len(values)):
            values[number] = (
                average(number, lambda reply: with_double(reply, 0), 1.0 if jacoby else 3.0),
                average(number, lambda reply: values[reply][2], 3.0),
                average(number, lambda reply: with_double(reply, 1), 3.0),
            )
    return values


def average(number, value_of_reply, most_points):  # type: ignore[no-untyped-def]
    """Return the mean over the rolls of the best play's value."""
    total = 0.0
    for roll, found in zip(ROLLS, list_replies()[number], strict=True):
        best = max(
            -max(reply, -most_points) if isinstance(reply, float) else -value_of_reply(reply)
            for reply in found
        )
        total += best if roll[0] == roll[1] else 2.0 * best
    return total / 36.0
