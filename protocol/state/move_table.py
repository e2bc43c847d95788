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

    @property
    def before(self) -> GameT | None:
        """What `undo` goes back to.

        Raises:
            StateError: There is nothing to undo.
        """
        if not self._undo_stack:
            raise StateError("nothing to undo", field="request")
        return self._undo_stack[-1]

    @property
    def after(self) -> GameT | None:
        """What `redo` goes to.

        Raises:
            StateError: There is nothing to redo.
        """
        if not self._redo_stack:
            raise StateError("nothing to redo", field="request")
        return self._redo_stack[-1]

    def undo(self) -> None:
        """Take back the last change.

        Raises:
            StateError: There is none.
        """
        before = self.before
        self._undo_stack.pop()
        self._redo_stack.append(self.game)
        self.game = before

    def redo(self) -> None:
        """Do again what was taken back last.

        Raises:
            StateError: Nothing was, or the game has changed since.
        """
        after = self.after
        self._redo_stack.pop()
        self._undo_stack.append(self.game)
        self.game = after

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
