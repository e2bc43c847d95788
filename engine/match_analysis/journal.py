"""What keeps the decisions of a match that were judged, so that work which was stopped can go on."""

from __future__ import annotations

from typing import Protocol

from engine.match_files.model import ActionNotes

SEARCHED, ROLLED_OUT = "searched", "rolled out"
"""The stages of an analysis."""


class AnalysisJournal(Protocol):
    """Keeps the notes on the decisions of one match, by stage and by their number in the match."""

    def find(self, stage: str, number: int) -> ActionNotes | None:
        """Return the notes on a decision; None if there are none. Safe to call from several threads."""
        ...

    def add(self, stage: str, number: int, notes: ActionNotes) -> None:
        """Take new notes on a decision. Safe to call from several threads."""
        ...


class MemoryJournal:
    """Keeps them in memory, for work that goes on elsewhere."""

    def __init__(self) -> None:
        self._notes: dict[tuple[str, int], ActionNotes] = {}

    def find(self, stage: str, number: int) -> ActionNotes | None:
        """Return the notes on a decision; None if there are none."""
        return self._notes.get((stage, number))

    def add(self, stage: str, number: int, notes: ActionNotes) -> None:
        """Take new notes on a decision."""
        self._notes[stage, number] = notes


class _NoJournal:
    """Keeps nothing."""

    def find(self, stage: str, number: int) -> ActionNotes | None:
        return None

    def add(self, stage: str, number: int, notes: ActionNotes) -> None:
        pass


NO_JOURNAL: AnalysisJournal = _NoJournal()
