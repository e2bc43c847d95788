"""Colours: what they mark, and the themes that choose them."""

from __future__ import annotations

THEMES: dict[str, dict[str, str]] = {
    "terminal": {
        "own": "bold ansibrightgreen",
        "other": "bold ansibrightred",
        "dice": "bold ansiyellow",
        "frame": "ansibrightblack",
        "failure": "ansired",
        "error": "ansiyellow",
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
        "failure": "#ff6b6b",
        "error": "#ff9f5a",
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
        "failure": "#b00020",
        "error": "#b3541e",
        "blunder": "bold #b00020",
        "command": "bold #1f4fa3",
        "play": "#1d5c3a",
        "unknown": "#6b7280",
    },
    "plain": {},
}
"""Name -> style of each mark: ``terminal`` takes the terminal's own 16 colours, ``plain`` none.

``own`` and ``other`` are checkers of the person and of the opponent, ``frame`` the board, ``failure`` what a
line could not do, ``error`` and ``blunder`` losses
(`gammond.engine.match_analysis.decision_errors.classify_loss`); ``command``, ``play`` and ``unknown`` mark
the line as it is typed.
"""

DEFAULT_THEME = "terminal"
