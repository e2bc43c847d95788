"""The board as an SVG image: points, checkers, bar, cube, dice, pip counts and numbers."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gammond.match import MatchState
    from gammond.position import Position

_CELL = 40
_RADIUS = 18
_BAR_WIDTH = 44
_TRAY_WIDTH = 52
_EDGE = 26
_FIELD_HEIGHT = 11 * _CELL
_FIELD_WIDTH = 12 * _CELL + _BAR_WIDTH
_WIDTH = _EDGE + _FIELD_WIDTH + _TRAY_WIDTH + 8
_HEIGHT = _FIELD_HEIGHT + 2 * _EDGE
_STACK = 5
_OWN, _OTHER = "#f4efe6", "#3b2a24"
_DIE_PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def draw_svg(position: Position, match: MatchState) -> str:
    """Draw a position, the player on roll at the bottom with light checkers.

    Args:
        position: The checkers.
        match: Score, cube and dice.

    Returns:
        The image, complete and without references to anything else.
    """
    own, other = position.board.tolist()
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        f'height="{_HEIGHT}" font-family="sans-serif" role="img" aria-label="{escape(repr(position))}">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" rx="6" fill="#5a3d2b"/>',
        f'<rect x="{_EDGE}" y="{_EDGE}" width="{_FIELD_WIDTH}" height="{_FIELD_HEIGHT}" fill="#d9c3a0"/>',
        f'<rect x="{_EDGE + 6 * _CELL}" y="{_EDGE}" width="{_BAR_WIDTH}" height="{_FIELD_HEIGHT}" '
        'fill="#5a3d2b"/>',
    ]
    for point in range(1, 25):
        parts += _draw_point(point)
    for point in range(1, 25):
        count, colour = (own[point], _OWN) if own[point] else (other[25 - point], _OTHER)
        parts += _draw_stack(_point_x(point), point > 12, count, colour)
    bar_x = _EDGE + 6 * _CELL + _BAR_WIDTH / 2
    parts += _draw_bar(bar_x, own[25], _OWN, -1) + _draw_bar(bar_x, other[25], _OTHER, 1)
    parts += _draw_tray(own[0], _OWN, at_bottom=True) + _draw_tray(other[0], _OTHER, at_bottom=False)
    parts += _draw_cube(match)
    if match.dice is not None:
        middle = _EDGE + _FIELD_HEIGHT / 2
        for number, die in enumerate(match.dice):
            parts += _draw_die(_EDGE + 6 * _CELL + _BAR_WIDTH + (2.4 + 1.2 * number) * _CELL, middle, die)
    pips = position.pips
    away = "" if match.is_money else f", {match.away(match.on_roll)} away of {match.length}"
    other_away = "" if match.is_money else f", {match.away(1 - match.on_roll)} away of {match.length}"
    parts.append(_text(_EDGE + 2, _HEIGHT - 2, f"{pips[0]} pips{away}", anchor="start", size=10))
    parts.append(_text(_EDGE + 2, 10, f"{pips[1]} pips{other_away}", anchor="start", size=10))
    parts.append("</svg>")
    return "".join(parts)


def _point_x(point: int) -> float:
    """Return the middle of a point's column; the ace point is at the right, at the bottom."""
    column = 12 - point if point <= 12 else point - 13
    return _EDGE + column * _CELL + _CELL / 2 + (_BAR_WIDTH if column >= 6 else 0)


def _draw_point(point: int) -> list[str]:
    x, is_top = _point_x(point), point > 12
    base, tip = (_EDGE, _EDGE + 5 * _CELL) if is_top else (_EDGE + _FIELD_HEIGHT, _EDGE + 6 * _CELL)
    colour = "#a86b3c" if (point + is_top) % 2 else "#efe0c4"
    corners = f"{x - _CELL / 2},{base} {x + _CELL / 2},{base} {x},{tip}"
    label_y = _EDGE - 4 if is_top else _EDGE + _FIELD_HEIGHT + 13
    return [f'<polygon points="{corners}" fill="{colour}"/>', _text(x, label_y, str(point), size=11)]


def _draw_stack(x: float, is_top: bool, count: int, colour: str) -> list[str]:
    parts = []
    for place in range(min(count, _STACK)):
        offset = _CELL / 2 + place * _CELL
        y = _EDGE + offset if is_top else _EDGE + _FIELD_HEIGHT - offset
        parts.append(_draw_checker(x, y, colour))
        if place == _STACK - 1 and count > _STACK:
            parts.append(_count_label(x, y, count, colour))
    return parts


def _draw_bar(x: float, count: int, colour: str, way: int) -> list[str]:
    parts = []
    for place in range(min(count, 3)):
        y = _EDGE + _FIELD_HEIGHT / 2 + way * (1.6 + place) * _CELL
        parts.append(_draw_checker(x, y, colour))
        if place == 2 and count > 3:
            parts.append(_count_label(x, y, count, colour))
    return parts


def _draw_checker(x: float, y: float, colour: str) -> str:
    rim = "#8d7a63" if colour == _OWN else "#120b08"
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="{_RADIUS}" fill="{colour}" stroke="{rim}" stroke-width="2"/>'
        f'<circle cx="{x:g}" cy="{y:g}" r="{_RADIUS - 6}" fill="none" stroke="{rim}" stroke-opacity=".5"/>'
    )


def _count_label(x: float, y: float, count: int, colour: str) -> str:
    return _text(x, y + 5, str(count), size=15, fill=_OTHER if colour == _OWN else _OWN)


def _draw_tray(count: int, colour: str, *, at_bottom: bool) -> list[str]:
    """Draw the checkers borne off, on edge."""
    x, height = _EDGE + _FIELD_WIDTH + 8, 12
    rim = "#8d7a63" if colour == _OWN else "#120b08"
    parts = []
    for place in range(count):
        y = _EDGE + _FIELD_HEIGHT - (place + 1) * height if at_bottom else _EDGE + place * height
        parts.append(
            f'<rect x="{x}" y="{y}" width="{_TRAY_WIDTH - 10}" height="{height - 1}" rx="2" fill="{colour}" '
            f'stroke="{rim}"/>'
        )
    return parts


def _draw_cube(match: MatchState) -> list[str]:
    """Draw the cube in the middle, or before the side that owns it."""
    if match.crawford:
        return []
    x, size = _EDGE + 6 * _CELL + _BAR_WIDTH / 2, 32
    middle = _EDGE + _FIELD_HEIGHT / 2
    if match.cube_owner is None:
        y = middle
    else:
        y = middle + (5 * _CELL if match.cube_owner == match.on_roll else -5 * _CELL)
    shown = match.cube if match.cube > 1 else 64
    return [
        f'<rect x="{x - size / 2}" y="{y - size / 2}" width="{size}" height="{size}" rx="5" fill="#fffdf8" '
        'stroke="#333"/>',
        _text(x, y + 5, str(shown), size=15, fill="#222"),
    ]


def _draw_die(x: float, y: float, die: int) -> list[str]:
    size, gap = 36, 10
    parts = [
        f'<rect x="{x - size / 2:g}" y="{y - size / 2:g}" width="{size}" height="{size}" rx="7" '
        f'fill="{_OWN}" stroke="#333"/>'
    ]
    for column, row in _DIE_PIPS[die]:
        place = f'cx="{x + column * gap:g}" cy="{y + row * gap:g}"'
        parts.append(f'<circle {place} r="3.6" fill="#222"/>')
    return parts


def _text(
    x: float, y: float, text: str, *, anchor: str = "middle", size: int = 12, fill: str = "#f4e9d8"
) -> str:
    place = f'x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" fill="{fill}"'
    return f"<text {place}>{escape(text)}</text>"
