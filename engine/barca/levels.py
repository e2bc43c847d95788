"""Levels of play by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Level:
    """A strength of play.

    Attributes:
        name: The level's name.
        depth: Plies of search; the move itself counts as one.
        among: The number of best moves to choose among, the better ones more often; 1 plays the best.
        meaning: One line of description.
    """

    name: str
    depth: int
    among: int
    meaning: str


LEVELS: Mapping[str, Level] = MappingProxyType(
    {
        level.name: level
        for level in (
            Level("easy", 1, 5, "one of the five best moves at depth 1"),
            Level("medium", 3, 5, "one of the five best moves at depth 3"),
            Level("hard", 5, 1, "the best move at depth 5"),
        )
    }
)
"""Levels by name, weakest first; docs/lab/barca.md has what they score.

*Source:* the technology page of the Barca project, which has Easy, Medium and Hard, searches three plies at
most and chooses among five; it does not say how the levels differ."""

DEFAULT_LEVEL = "hard"
