"""Colours: what they mark, and the themes that choose them."""

from __future__ import annotations

DOUBTFUL_POINTS, ERROR_POINTS, BLUNDER_POINTS = 0.04, 0.08, 0.16
"""Losses from which a decision is doubtful, an error, a blunder; GNU Backgammon's limits."""

THEMES: dict[str, dict[str, str]] = {
    "terminal": {
        "own": "bold ansibrightgreen",
        "other": "bold ansibrightred",
        "dice": "bold ansiyellow",
        "frame": "ansibrightblack",
        "error": "ansired",
        "doubtful": "ansiyellow",
        "wrong": "ansired",
        "blunder": "bold ansired",
        "command": "bold ansicyan",
        "play": "ansigreen",
        "unknown": "ansibrightblack",
    },
    "dark": {
        "own": "bold #e8d8a0",
        "other": "bold #e07a5f",
        "dice": "bold #f2cc8f",
        "frame": "#7d8597",
        "error": "#ff6b6b",
        "doubtful": "#f2cc8f",
        "wrong": "#ff9f5a",
        "blunder": "bold #ff6b6b",
        "command": "bold #81b2ff",
        "play": "#95d5b2",
        "unknown": "#7d8597",
    },
    "light": {
        "own": "bold #1d5c3a",
        "other": "bold #a4262c",
        "dice": "bold #7a4f01",
        "frame": "#8a8f98",
        "error": "#b00020",
        "doubtful": "#7a4f01",
        "wrong": "#b3541e",
        "blunder": "bold #b00020",
        "command": "bold #1f4fa3",
        "play": "#1d5c3a",
        "unknown": "#6b7280",
    },
    "plain": {},
}
"""Name -> style of each mark: ``terminal`` takes the terminal's own 16 colours, ``plain`` none.

``own`` and ``other`` are checkers of the person and of the opponent, ``frame`` the board, ``doubtful``,
``wrong`` and ``blunder`` losses; ``command``, ``play`` and ``unknown`` mark the line as it is typed.
"""

DEFAULT_THEME = "terminal"


def classify_loss(points: float) -> str:
    """Return the mark of a loss in points; empty for one that is small."""
    for limit, mark in ((BLUNDER_POINTS, "blunder"), (ERROR_POINTS, "wrong"), (DOUBTFUL_POINTS, "doubtful")):
        if points >= limit:
            return mark
    return ""
