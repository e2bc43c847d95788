"""The table of a game of moves without dice: the game, and the steps to undo."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

from engine.errors import StateError

GameT = TypeVar("GameT")
"""A game that never changes: each move makes another."""


class MoveTable(Generic[GameT]):
    """A game, and how it came about: every change of it can be undone.

    Args:
        undo_steps: How many changes are kept.

    Attributes:
        game: The present state; None until one is set up.
    """

    def __init__(self, undo_steps: int) -> None:
        self.game: GameT | None = None
        self._undo_stack: deque[GameT | None] = deque(maxlen=undo_steps)
        self._redo_stack: list[GameT | None] = []

    def push(self, game: GameT) -> None:
        """Go on to another state, which `undo` takes back; what was taken back before is gone."""
        self._undo_stack.append(self.game)
        self._redo_stack.clear()
        self.game = game

    def undo(self) -> None:
        """Take back the last change.

        Raises:
            StateError: There is none.
        """
        if not self._undo_stack:
            raise StateError("nothing to undo", field="request")
        self._redo_stack.append(self.game)
        self.game = self._undo_stack.pop()

    def redo(self) -> None:
        """Do again what was taken back last.

        Raises:
            StateError: Nothing was, or the game has changed since.
        """
        if not self._redo_stack:
            raise StateError("nothing to redo", field="request")
        self._undo_stack.append(self.game)
        self.game = self._redo_stack.pop()

    @property
    def can_redo(self) -> bool:
        """Whether something was taken back, and nothing changed since."""
        return bool(self._redo_stack)

    def require_game(self) -> GameT:
        """Return the game.

        Raises:
            StateError: There is none.
        """
        if self.game is None:
            raise StateError(
                "no position",
                field="position",
                missing="position",
                advice="send 'newgame' or 'position' first",
            )
        return self.game
