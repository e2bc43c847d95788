"""What was done in the game at hand, action by action, and what was taken back."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

ROLLS = ("roll", "dice")
"""Actions that decide nothing: undo takes them back only together with a decision before them."""

MAX_TOLD = 1000
"""Actions of a game that visitors are told; no more can be taken back, and few games have a third of them."""

_KINDS = ("double", "take", "drop", "beaver", "resign", "accept", "reject")


def name_action(line: str) -> str:
    """Return what kind of action a command carries out: ``roll``, ``play``, ``double``..."""
    word, _, rest = line.partition(" ")
    return word if word in ROLLS else next((kind for kind in _KINDS if rest.split(" ")[0] == kind), "play")


class HistoryEntry(msgspec.Struct, frozen=True):
    """One action.

    Attributes:
        n: Its number in the game, from 1.
        seat: Who did it; None for an opening roll.
        kind: What: ``roll``, ``dice``, ``play``, ``double``, ``take``...
        text: The play, the dice or the word for it.
        dice: The dice on the board before it, or for a roll after it.
        place: The position before it, in the game's own keys.
        fair_roll: Which roll of the secret it was, for a roll of the server's dice.
        fair_secret: Which secret of the game, from 0, where there is one.
    """

    n: int
    seat: int | None
    kind: str
    text: str
    dice: list[int] | None
    place: dict[str, Any]
    fair_roll: int | None = None
    fair_secret: int | None = None

    @property
    def is_decision(self) -> bool:
        """Whether somebody decided something."""
        return self.kind not in ROLLS

    def describe(self) -> dict[str, Any]:
        """Return the action as tables show it."""
        described: dict[str, Any] = {
            "n": self.n,
            "seat": self.seat,
            "kind": self.kind,
            "text": self.text,
            "dice": self.dice,
            **{f"{key}_before": value for key, value in self.place.items()},
        }
        if self.fair_roll is not None:
            described |= {"fair_roll": self.fair_roll, "fair_secret": self.fair_secret}
        return described


class GameHistory:
    """The actions of the game at hand; each is one step of the session's undo.

    Attributes:
        entries: The actions, in order.
    """

    def __init__(self) -> None:
        self.entries: list[HistoryEntry] = []
        self._undone: list[list[HistoryEntry]] = []

    def clear(self) -> None:
        """Begin another game."""
        self.entries.clear()
        self._undone.clear()

    def add(self, entry: HistoryEntry) -> None:
        """Add an action; what was taken back before is gone."""
        self.entries.append(entry)
        self._undone.clear()

    def count_since_decision(self, seats: Collection[int]) -> int:
        """Return how many actions there are from the last decision of one of some seats on; 0 for none."""
        for count, entry in enumerate(reversed(self.entries), 1):
            if entry.is_decision and entry.seat in seats:
                return count
        return 0

    def count_from(self, number: int) -> int:
        """Return how many actions there are from one on; 0 if there is none of that number."""
        return len(self.entries) - number + 1 if 1 <= number <= len(self.entries) else 0

    @property
    def redo_count(self) -> int:
        """How many actions were taken back together last."""
        return len(self._undone[-1]) if self._undone else 0

    def undo(self, count: int) -> None:
        """Take back the last actions."""
        self._undone.append(self.entries[-count:])
        del self.entries[-count:]

    def redo(self) -> None:
        """Do again what was taken back last."""
        self.entries += self._undone.pop()

    def describe(self) -> list[dict[str, Any]]:
        """Return the last actions as tables show them."""
        return [entry.describe() for entry in self.entries[-MAX_TOLD:]]
