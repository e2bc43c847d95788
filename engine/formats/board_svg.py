"""The board as an SVG image: points, checkers, bar, cube, dice, pip counts and numbers."""

from __future__ import annotations

from html import escape

from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.engine.wording import escape_unprintable

_CELL = 40
_RADIUS = 18
_BAR_WIDTH = 44
_TRAY_WIDTH = 52
_EDGE = 26
_FIELD_HEIGHT = 11 * _CELL
_FIELD_WIDTH = 12 * _CELL + _BAR_WIDTH
_WIDTH = _EDGE + _FIELD_WIDTH + _TRAY_WIDTH + 8
_HEIGHT = _FIELD_HEIGHT + 2 * _EDGE
_MIDDLE = _EDGE + _FIELD_HEIGHT / 2
_BAR_X = _EDGE + 6 * _CELL + _BAR_WIDTH / 2
_STACK = 5
_BAR_STACK = 3
_OFF_HEIGHT = 12
_ID = "bg-"
_LIGHT, _DARK = "light", "dark"
_FILLS = {_LIGHT: "#f4efe6", _DARK: "#3b2a24"}
_RIMS = {_LIGHT: "#8d7a63", _DARK: "#120b08"}
_PALE = "#f4e9d8"
_BLACK = "#222"
_NAME_LENGTH = 10
_NAMED_SIZE = 17
"""Of pip counts with names, which have to fit beside the bar."""

_DIE_PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def draw_svg(position: Position, match: MatchState) -> str:
    """Draw a position, the player on roll at the bottom with light checkers, as an image by itself."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f"{_list_attributes(f'Position {encode_position_id(position)}')}>"
        f"{draw_parts()}{_draw_pieces(position, match, _LIGHT)}</svg>"
    )


def draw_board(
    position: Position, match: MatchState, label: str, *, is_dark: bool, names: tuple[str, str] = ("", "")
) -> str:
    """Draw a position as an element of a page that has `draw_parts` in another one.

    Args:
        position: The checkers, the player on roll at the bottom.
        match: Score, cube and dice.
        label: What the image shows, in words.
        is_dark: Whether the player on roll has the dark checkers.
        names: Of seats 0 and 1, beside their pip counts.
    """
    pieces = _draw_pieces(position, match, _DARK if is_dark else _LIGHT, names)
    return f"<svg {_list_attributes(label)}>{pieces}</svg>"


def draw_parts() -> str:
    """Draw what boards are put together from, as definitions: empty board, stacks of checkers, dice, cube."""
    parts = [_define("board", _draw_empty_board())]
    for side in (_LIGHT, _DARK):
        for count in range(1, _STACK + 1):
            parts.append(_define(f"{side}{count}", [_draw_checker(side, place) for place in range(count)]))
        off = (
            f'<rect width="{_TRAY_WIDTH - 10}" height="{_OFF_HEIGHT - 1}" rx="2" fill="{_FILLS[side]}" '
            f'stroke="{_RIMS[side]}"/>'
        )
        parts.append(_define(f"{side}-off", [off]))
    parts += [_define(f"die{die}", _draw_die(die)) for die in _DIE_PIPS]
    cube = '<rect x="-16" y="-16" width="32" height="32" rx="5" fill="#fffdf8" stroke="#333"/>'
    parts.append(_define("cube", [cube]))
    return f"<defs>{''.join(parts)}</defs>"


def _list_attributes(label: str) -> str:
    return (
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="18" text-anchor="middle" '
        f'role="img" aria-label="{escape(label)}"'
    )


def _draw_pieces(
    position: Position, match: MatchState, own_side: str, names: tuple[str, str] = ("", "")
) -> str:
    """Draw all but the empty board itself, which is referred to."""
    own, other = position.board.tolist()
    other_side = _LIGHT if own_side == _DARK else _DARK
    parts = [_use("board", 0, 0)]
    for point in range(1, 25):
        count, side = (own[point], own_side) if own[point] else (other[25 - point], other_side)
        shown = min(count, _STACK)
        y = _EDGE if point > 12 else _EDGE + _FIELD_HEIGHT - shown * _CELL
        last = _EDGE + (_STACK - 0.5) * _CELL if point > 12 else y + _CELL / 2
        parts += _draw_stack(side, count, shown, _point_x(point), y, last)
    shown, top = min(own[25], _BAR_STACK), _MIDDLE - 1.1 * _CELL
    first = top - shown * _CELL
    parts += _draw_stack(own_side, own[25], shown, _BAR_X, first, first + _CELL / 2)
    shown, bottom = min(other[25], _BAR_STACK), _MIDDLE + 1.1 * _CELL
    parts += _draw_stack(other_side, other[25], shown, _BAR_X, bottom, bottom + (shown - 0.5) * _CELL)
    x = _EDGE + _FIELD_WIDTH + 8
    end = _EDGE + _FIELD_HEIGHT
    parts += [_use(f"{own_side}-off", x, end - (place + 1) * _OFF_HEIGHT) for place in range(own[0])]
    parts += [_use(f"{other_side}-off", x, _EDGE + place * _OFF_HEIGHT) for place in range(other[0])]
    parts += _draw_cube(match)
    for number, die in enumerate(match.roll or ()):
        parts.append(_use(f"die{die}", _BAR_X + _BAR_WIDTH / 2 + (2.4 + 1.2 * number) * _CELL, _MIDDLE))
    seats = (match.on_roll, 1 - match.on_roll)
    for seat, pips, y in zip(seats, position.pips, (_MIDDLE + 16, _MIDDLE - 6), strict=True):
        away = "" if match.is_money else f", {match.away(seat)} away of {match.length}"
        name = escape_unprintable(names[seat])
        if name:
            away = "" if match.is_money else f", {match.away(seat)} away"
            shown = (
                name if len(name) <= _NAME_LENGTH else name[: _NAME_LENGTH - 1] + "\N{HORIZONTAL ELLIPSIS}"
            )
            name = f"{shown}: "
        size = _NAMED_SIZE if name else None
        parts.append(_text(_EDGE + 3 * _CELL, y, f"{name}{pips} pips{away}", _BLACK, size))
    return "".join(parts)


def _define(name: str, parts: list[str]) -> str:
    return f'<g id="{_ID}{name}">{"".join(parts)}</g>'


def _use(name: str, x: float, y: float) -> str:
    return f'<use href="#{_ID}{name}" x="{x:g}" y="{y:g}"/>'


def _point_x(point: int) -> float:
    """Return the middle of a point's column; the ace point is at the right, at the bottom."""
    column = 12 - point if point <= 12 else point - 13
    return _EDGE + column * _CELL + _CELL / 2 + (_BAR_WIDTH if column >= 6 else 0)


def _draw_empty_board() -> list[str]:
    parts = [
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" rx="6" fill="#5a3d2b"/>',
        f'<rect x="{_EDGE}" y="{_EDGE}" width="{_FIELD_WIDTH}" height="{_FIELD_HEIGHT}" fill="#d9c3a0"/>',
        f'<rect x="{_EDGE + 6 * _CELL}" y="{_EDGE}" width="{_BAR_WIDTH}" height="{_FIELD_HEIGHT}" '
        'fill="#5a3d2b"/>',
    ]
    for point in range(1, 25):
        x, is_top = _point_x(point), point > 12
        base, tip = (_EDGE, _EDGE + 5 * _CELL) if is_top else (_EDGE + _FIELD_HEIGHT, _EDGE + 6 * _CELL)
        colour = "#a86b3c" if (point + is_top) % 2 else "#efe0c4"
        corners = f"{x - _CELL / 2:g},{base} {x + _CELL / 2:g},{base} {x:g},{tip}"
        parts.append(f'<polygon points="{corners}" fill="{colour}"/>')
        parts.append(_text(x, _EDGE - 7 if is_top else _EDGE + _FIELD_HEIGHT + 18, str(point), _PALE))
    return parts


def _draw_checker(side: str, place: int) -> str:
    y, rim = _CELL // 2 + place * _CELL, _RIMS[side]
    return (
        f'<circle cy="{y}" r="{_RADIUS}" fill="{_FILLS[side]}" stroke="{rim}" stroke-width="2"/>'
        f'<circle cy="{y}" r="{_RADIUS - 6}" fill="none" stroke="{rim}" stroke-opacity=".5"/>'
    )


def _draw_stack(side: str, count: int, shown: int, x: float, y: float, label_y: float) -> list[str]:
    """Draw a stack from above, with its number on a checker where not all are shown."""
    if not count:
        return []
    parts = [_use(f"{side}{shown}", x, y)]
    if count > shown:
        parts.append(_text(x, label_y + 6, str(count), _FILLS[_LIGHT if side == _DARK else _DARK]))
    return parts


def _draw_cube(match: MatchState) -> list[str]:
    """Draw the cube in the middle, or before the side that owns it; none in games that have none."""
    if match.crawford or match.length == 1:
        return []
    y = _MIDDLE
    if match.cube_owner is not None:
        y += 5 * _CELL if match.cube_owner == match.on_roll else -5 * _CELL
    shown = match.cube if match.cube > 1 else 64
    return [_use("cube", _BAR_X, y), _text(_BAR_X, y + 6, str(shown), _BLACK)]


def _draw_die(die: int) -> list[str]:
    size, gap = 36, 10
    parts = [
        f'<rect x="{-size // 2}" y="{-size // 2}" width="{size}" height="{size}" rx="7" '
        f'fill="{_FILLS[_LIGHT]}" stroke="#333"/>'
    ]
    for column, row in _DIE_PIPS[die]:
        parts.append(f'<circle cx="{column * gap}" cy="{row * gap}" r="3.6" fill="{_BLACK}"/>')
    return parts


def _text(x: float, y: float, text: str, fill: str, size: int | None = None) -> str:
    font = "" if size is None else f' font-size="{size}"'
    return f'<text x="{x:g}" y="{y:g}" fill="{fill}"{font}>{escape(text)}</text>'
