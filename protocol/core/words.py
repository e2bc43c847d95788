"""First words of lines, for the server and its clients, which read it without the rest of the server."""

from __future__ import annotations

DATA_WORDS = frozenset(
    (
        "id",
        "proto",
        "key",
        "option",
        "info",
        "move",
        "play",
        "row",
        "candidate",
        "estimate",
        "board",
        "help",
        "mat",
    )
)
"""First words of lines that come before the final line of an answer, which begins with another word."""
