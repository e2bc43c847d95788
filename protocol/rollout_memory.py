"""What a session remembers of its last rollout, so that the next one can go on from it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from engine.analyst import Analyst
from engine.cubeful import CubeGame
from engine.dice import Roll
from engine.errors import CancelledWork
from engine.match import MatchState
from engine.position import Position
from engine.rollout import RolloutSettings, RolloutState
from engine.search.cubeful import resting_cube

_ASKED_EVERY_S = 0.02


@dataclass(frozen=True)
class RolloutQuestion:
    """What is rolled out, captured when its request came.

    Attributes:
        kind: ``moves``, ``position`` or ``cube``.
        position: The checkers, those of the seat on roll first.
        match: Score and cube, as before the roll and before any offer.
        roll: The dice, for ``moves``.
        candidates: How many plays of ``moves`` are rolled out at most.
        plies: Look-ahead of plays and doubles.
        leaf_plies: Look-ahead of the values at the truncation.
        is_cubeful: Whether the cube is turned.
        find_analyst: Fetches who plays and judges.
    """

    kind: str
    position: Position
    match: MatchState
    roll: Roll | None
    candidates: int
    plies: int
    leaf_plies: int
    is_cubeful: bool
    find_analyst: Callable[[], Analyst]

    @property
    def starts(self) -> int:
        """From how many positions games are played, at most."""
        return {"moves": self.candidates, "position": 1, "cube": 2}[self.kind]

    def game(self, analyst: Analyst) -> CubeGame | None:
        """Lay out the cube of the games, seen by the seat on roll; None for money play without one."""
        if self.is_cubeful:
            return analyst.cube_game(self.match)
        return None if self.match.is_money else resting_cube(self.match, analyst.table)


@dataclass(frozen=True)
class RolloutRecord:
    """A rollout that has ended.

    Attributes:
        question: What was asked.
        settings: How it was rolled out.
        state: What was found.
    """

    question: RolloutQuestion
    settings: RolloutSettings
    state: RolloutState


class RolloutSlot:
    """Where a rollout leaves its record. Made when its request comes, read by later ones; for any thread."""

    def __init__(self) -> None:
        self._record: RolloutRecord | None = None
        self._has_ended = threading.Event()

    def end(self, record: RolloutRecord | None) -> None:
        """Leave the record; None if the rollout came to nothing."""
        self._record = record
        self._has_ended.set()

    def record(self, cancelled: Callable[[], bool]) -> RolloutRecord | None:
        """Wait for the end of the rollout, and return its record.

        Args:
            cancelled: Asked some fifty times a second.

        Raises:
            CancelledWork: It said so.
        """
        while not self._has_ended.wait(_ASKED_EVERY_S):
            if cancelled():
                raise CancelledWork("stopped while the rollout to go on from was still at work")
        return self._record
