"""The board as text, with both players' numbering."""

from __future__ import annotations

import textwrap

from gammond.engine.rules.cube_actions import name_double
from gammond.engine.rules.dice import format_roll
from gammond.engine.rules.match import SEATS, MatchState
from gammond.engine.rules.position import BAR, OFF, Position
from gammond.engine.wording import format_count

CHECKER_MARKS = ("O", "X")
"""The checkers of seats 0 and 1, as GNU Backgammon draws them."""

BOARD_COLUMNS = 44
"""The width of the board without the notes beside it."""

NOTED_COLUMNS = 76
"""The width from which the notes are beside the board; in less they are above and below it."""

_TOP_POINTS = range(13, 25)
_BOTTOM_POINTS = range(12, 0, -1)
_STACK_HEIGHT = 5
_MIDDLE = 7
_RESIGNATIONS = ("", "a single game", "a gammon", "a backgammon")


def draw_board(
    position: Position,
    match: MatchState,
    names: tuple[str, str] = CHECKER_MARKS,
    bottom_seat: int | None = None,
    score: tuple[int, int] | None = None,
    *,
    is_conceded: bool = False,
    columns: int = 80,
) -> list[str]:
    """Draw a position with score, cube, roll and pip counts.

    The frame carries the numbering of the seat at the bottom, the lines outside it that of the other seat.
    Checkers on the bar are drawn on the side where they enter; a stack too high for its column ends in its
    count.

    Args:
        position: As the seat on roll sees it.
        match: The match state.
        names: Of seats 0 and 1.
        bottom_seat: The seat at the bottom; the one on roll if None.
        score: Points of seats 0 and 1 where they are not those of the match state, which cannot hold the
            score of a match that is won.
        is_conceded: Whether the game ended by a drop or a resignation: nobody is to act.
        columns: The room there is. In less than `NOTED_COLUMNS` the notes are above and below the board, in
            less than its own width the points are closer, and numbered for the seat at the bottom alone.

    Returns:
        Lines without line ends: 15, or some more where the notes are above and below.
    """
    bottom = match.on_roll if bottom_seat is None else bottom_seat
    rows = dict(zip((match.on_roll, 1 - match.on_roll), position.board.tolist(), strict=True))
    points = match.score if score is None else score
    is_over = position.is_over or is_conceded
    game = _describe_kind(match) if is_over else _describe_game(match)
    rules = "" if is_over else describe_money_rules(match)
    upper, lower = (
        _list_notes(seat, names[seat], rows[seat], points[seat], match, is_over=is_over)
        for seat in (1 - bottom, bottom)
    )
    if columns < NOTED_COLUMNS:
        lines = _draw_points(rows[bottom], rows[1 - bottom], bottom, is_close=columns < BOARD_COLUMNS)
        below = [*lower, game, rules]
        drawn = [*_join_notes(upper, columns), *lines, *_join_notes(below, columns)]
        return [line.rstrip() for line in drawn]
    lines = _draw_points(rows[bottom], rows[1 - bottom], bottom)
    notes = [""] * len(lines)
    notes[1:5] = upper
    notes[_MIDDLE : _MIDDLE + 2] = game, rules
    notes[-5:-1] = reversed(lower)
    return [f"{line:<46} {note}".rstrip() for line, note in zip(lines, notes, strict=True)]


def _list_notes(
    seat: int, name: str, row: list[int], points: int, match: MatchState, *, is_over: bool
) -> list[str]:
    """Return the four notes beside a seat: who it is, its points and pips, its cube, its turn."""
    mark = CHECKER_MARKS[seat]
    return [
        mark if name == mark else f"{mark}: {name}",
        _format_seat_counts(row, points),
        f"holds the cube at {match.cube}" if match.cube_owner == seat and not is_over else "",
        _describe_ending(row) if is_over else _describe_turn(seat, match),
    ]


def _join_notes(notes: list[str], columns: int) -> list[str]:
    text = ", ".join(note for note in notes if note)
    return textwrap.wrap(text, max(columns - 1, 20), initial_indent=" ", subsequent_indent="   ")


def _draw_points(own: list[int], other: list[int], bottom: int, *, is_close: bool = False) -> list[str]:
    """The board without notes; ``own`` is the row of the seat at the bottom."""
    stacks = [_draw_stack(own[point], other[25 - point], bottom) for point in range(25)]
    top = [stacks[point] for point in _TOP_POINTS]
    low = [stacks[point] for point in _BOTTOM_POINTS]
    top_bar, low_bar = _draw_stack(own[BAR], 0, bottom), _draw_stack(0, other[BAR], bottom)
    if is_close:
        frame = f" +{'-' * 12}+--+{'-' * 12}+"
        return [
            *_draw_upright_numbers(_TOP_POINTS),
            frame,
            *(_draw_close_row(top, top_bar, height) for height in range(_STACK_HEIGHT)),
            f" |{'':12}|  |{'':12}|",
            *(_draw_close_row(low, low_bar, height) for height in reversed(range(_STACK_HEIGHT))),
            frame,
            *_draw_upright_numbers(_BOTTOM_POINTS),
        ]
    return [
        _draw_outer_numbers(_BOTTOM_POINTS),
        _draw_frame(_TOP_POINTS),
        *(_draw_row(top, top_bar, height) for height in range(_STACK_HEIGHT)),
        f" |{'':18}|BAR|{'':18}|",
        *(_draw_row(low, low_bar, height) for height in reversed(range(_STACK_HEIGHT))),
        _draw_frame(_BOTTOM_POINTS),
        _draw_outer_numbers(_TOP_POINTS),
    ]


def _draw_stack(own: int, other: int, bottom: int) -> list[str]:
    """The cells of a point from the frame inwards, each one character."""
    count, mark = (own, CHECKER_MARKS[bottom]) if own else (other, CHECKER_MARKS[1 - bottom])
    cells = [mark] * min(count, _STACK_HEIGHT) + [" "] * (_STACK_HEIGHT - count)
    if count > _STACK_HEIGHT:
        cells[-1] = str(count)
    return cells


def _draw_row(stacks: list[list[str]], bar: list[str], height: int) -> str:
    cells = [f"{stack[height]:>2} " for stack in stacks]
    return f" |{''.join(cells[:6])}|{bar[height]:>2} |{''.join(cells[6:])}|"


def _draw_close_row(stacks: list[list[str]], bar: list[str], height: int) -> str:
    cells = [f"{stack[height]:>2}" for stack in stacks]
    return f" |{''.join(cells[:6])}|{bar[height]:>2}|{''.join(cells[6:])}|"


def _draw_upright_numbers(points: range) -> list[str]:
    """Two lines: the tens of the points, then the ones."""
    digits = [f"{point:>2}" for point in points]
    lines = ([f" {pair[place]}" for pair in digits] for place in (0, 1))
    return [f"  {''.join(line[:6])}    {''.join(line[6:])}".rstrip() for line in lines]


def _draw_frame(points: range) -> str:
    numbers = [f"{point:->2}-" for point in points]
    return f" +{''.join(numbers[:6])}-----{''.join(numbers[6:])}+"


def _draw_outer_numbers(points: range) -> str:
    numbers = [f"{point:>2} " for point in points]
    return f"  {''.join(numbers[:6])}     {''.join(numbers[6:])}"


def _format_seat_counts(row: list[int], points: int) -> str:
    pips = sum(point * count for point, count in enumerate(row))
    borne_off = f", {row[OFF]} off" if row[OFF] else ""
    return f"{format_count(points, 'point')}, {format_count(pips, 'pip')}{borne_off}"


def _describe_ending(row: list[int]) -> str:
    return "" if any(row[1:]) else "has won"


def _describe_turn(seat: int, match: MatchState) -> str:
    if match.resigned and seat != match.to_act:
        return f"offers to resign {_RESIGNATIONS[match.resigned]}"
    if match.beavered:
        return f"beavers to {2 * match.cube}" if seat != match.on_roll else ""
    if seat != match.on_roll:
        return ""
    if match.doubled:
        return f"{name_double(match.without_offers())}s to {2 * match.cube}"
    return f"rolled {format_roll(match.roll)}" if match.roll else "on roll"


def describe_money_rules(match: MatchState) -> str:
    """Describe the rules that money play may have or not; empty in a match."""
    if not match.is_money:
        return ""
    return f"{'' if match.jacoby else 'no '}Jacoby rule, {'' if match.beavers else 'no '}beavers"


def _describe_kind(match: MatchState) -> str:
    return "money game" if match.is_money else f"{match.length}-point match"


def _describe_game(match: MatchState) -> str:
    game = _describe_kind(match)
    if match.crawford:
        return f"{game}, Crawford game"
    return game if match.cube_owner in SEATS else f"{game}, cube {match.cube} centred"
