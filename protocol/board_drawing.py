"""The board as text, with both players' numbering."""

from __future__ import annotations

from engine.match import SEATS, MatchState
from engine.position import BAR, CHECKERS, OFF, Position

MARKS = ("O", "X")
"""The checkers of seats 0 and 1, as GNU Backgammon draws them."""

_TOP_POINTS = range(13, 25)
_BOTTOM_POINTS = range(12, 0, -1)
_STACK_HEIGHT = 5
_MIDDLE = 7
_RESIGNATIONS = ("", "a single game", "a gammon", "a backgammon")


def draw_board(
    position: Position,
    match: MatchState,
    names: tuple[str, str] = MARKS,
    view: int | None = None,
    score: tuple[int, int] | None = None,
    *,
    is_given_up: bool = False,
) -> list[str]:
    """Draw a position with score, cube, roll and pip counts.

    The frame carries the numbering of the seat at the bottom, the lines outside it that of the other seat.
    Checkers on the bar stand on the side where they enter; a stack too high for its column ends in its
    count.

    Args:
        position: As the seat on roll sees it.
        match: The match state.
        names: Of seats 0 and 1.
        view: The seat at the bottom; the one on roll if None.
        score: Points of seats 0 and 1 where they are not those of the match state, which cannot hold the
            score of a match that is won.
        is_given_up: Whether the game ended by a drop or a resignation: nobody is to act.

    Returns:
        15 lines without line ends.
    """
    bottom = match.on_roll if view is None else view
    rows = dict(zip((match.on_roll, 1 - match.on_roll), position.board.tolist(), strict=True))
    points = match.score if score is None else score
    upper, lower = (
        [
            MARKS[seat] if names[seat] == MARKS[seat] else f"{MARKS[seat]}: {names[seat]}",
            _seat_count(rows[seat], points[seat]),
            f"holds the cube at {match.cube}" if match.cube_owner == seat else "",
            _ending(rows[seat]) if position.is_over or is_given_up else _doing(seat, match),
        ]
        for seat in (1 - bottom, bottom)
    )
    lines = _board_lines(rows[bottom], rows[1 - bottom], bottom)
    notes = [""] * len(lines)
    notes[1:5] = upper
    notes[_MIDDLE] = _game_note(match)
    notes[-5:-1] = reversed(lower)
    return [f"{line:<46} {note}".rstrip() for line, note in zip(lines, notes, strict=True)]


def _board_lines(own: list[int], other: list[int], bottom: int) -> list[str]:
    """The board without notes; ``own`` is the row of the seat at the bottom."""
    stacks = [_stack(own[point], other[25 - point], bottom) for point in range(25)]
    top = [stacks[point] for point in _TOP_POINTS]
    low = [stacks[point] for point in _BOTTOM_POINTS]
    top_bar, low_bar = _stack(own[BAR], 0, bottom), _stack(0, other[BAR], bottom)
    return [
        _outside(_BOTTOM_POINTS),
        _frame(_TOP_POINTS),
        *(_inside(top, top_bar, height) for height in range(_STACK_HEIGHT)),
        f" |{'':18}|BAR|{'':18}|",
        *(_inside(low, low_bar, height) for height in reversed(range(_STACK_HEIGHT))),
        _frame(_BOTTOM_POINTS),
        _outside(_TOP_POINTS),
    ]


def _stack(own: int, other: int, bottom: int) -> list[str]:
    """The cells of a point from the frame inwards, each one character."""
    count, mark = (own, MARKS[bottom]) if own else (other, MARKS[1 - bottom])
    cells = [mark] * min(count, _STACK_HEIGHT) + [" "] * (_STACK_HEIGHT - count)
    if count > _STACK_HEIGHT:
        cells[-1] = str(count)
    return cells


def _inside(stacks: list[list[str]], bar: list[str], height: int) -> str:
    cells = [f"{stack[height]:>2} " for stack in stacks]
    return f" |{''.join(cells[:6])}|{bar[height]:>2} |{''.join(cells[6:])}|"


def _frame(points: range) -> str:
    numbers = [f"{point:->2}-" for point in points]
    return f" +{''.join(numbers[:6])}-----{''.join(numbers[6:])}+"


def _outside(points: range) -> str:
    numbers = [f"{point:>2} " for point in points]
    return f"  {''.join(numbers[:6])}     {''.join(numbers[6:])}"


def _seat_count(row: list[int], points: int) -> str:
    pips = sum(point * count for point, count in enumerate(row))
    borne_off = f", {row[OFF]} off" if row[OFF] else ""
    return f"{_counted(points, 'point')}, {_counted(pips, 'pip')}{borne_off}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _ending(row: list[int]) -> str:
    return "has won" if row[OFF] == CHECKERS else ""


def _doing(seat: int, match: MatchState) -> str:
    if match.resigned and seat != match.to_act:
        return f"offers to lose {_RESIGNATIONS[match.resigned]}"
    if seat != match.on_roll:
        return ""
    if match.doubled:
        return f"doubles to {2 * match.cube}"
    return f"rolled {match.roll[0]}-{match.roll[1]}" if match.roll else "on roll"


def _game_note(match: MatchState) -> str:
    game = "money game" if match.is_money else f"{match.length}-point match"
    if match.crawford:
        return f"{game}, Crawford game"
    return game if match.cube_owner in SEATS else f"{game}, cube {match.cube} centred"
