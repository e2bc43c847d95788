"""The table of a game of moves without dice: the game, and the steps to undo."""

from __future__ import annotations

from collections import deque
from collections.abc import Sized
from typing import Generic, TypeVar

from gammond.engine.errors import StateError

GameT = TypeVar("GameT")
"""A game that never changes: each move makes another."""


class MoveTable(Generic[GameT]):
    """A game, and how it came about: every change of it can be undone, and the seats come back with it.

    Args:
        undo_steps: How many changes are kept.

    Attributes:
        game: The present state; None until one is set up.
        human: The side of a person who plays against the engine; None without such a game.
    """

    def __init__(self, undo_steps: int) -> None:
        self.game: GameT | None = None
        self.human: int | None = None
        self._undo_stack: deque[tuple[GameT | None, int | None]] = deque(maxlen=undo_steps)
        self._redo_stack: list[tuple[GameT | None, int | None]] = []

    def push(self, game: GameT | None) -> None:
        """Go on to another state, which `undo` takes back; what was taken back before is gone."""
        self._undo_stack.append((self.game, self.human))
        self._redo_stack.clear()
        self.game = game

    @property
    def before(self) -> GameT | None:
        """What `undo` goes back to.

        Raises:
            StateError: There is nothing to undo.
        """
        self._require(self._undo_stack, "undo")
        return self._undo_stack[-1][0]

    @property
    def after(self) -> GameT | None:
        """What `redo` goes to.

        Raises:
            StateError: There is nothing to redo.
        """
        self._require(self._redo_stack, "redo")
        return self._redo_stack[-1][0]

    def undo(self) -> None:
        """Take back the last change.

        Raises:
            StateError: There is none.
        """
        self._require(self._undo_stack, "undo")
        self._redo_stack.append((self.game, self.human))
        self.game, self.human = self._undo_stack.pop()

    def redo(self) -> None:
        """Do again what was taken back last.

        Raises:
            StateError: Nothing was, or the game has changed since.
        """
        self._require(self._redo_stack, "redo")
        self._undo_stack.append((self.game, self.human))
        self.game, self.human = self._redo_stack.pop()

    @property
    def can_undo(self) -> bool:
        """Whether a change can be taken back."""
        return bool(self._undo_stack)

    @property
    def can_redo(self) -> bool:
        """Whether something was taken back, and nothing changed since."""
        return bool(self._redo_stack)

    @staticmethod
    def _require(stack: Sized, verb: str) -> None:
        if not stack:
            raise StateError(f"nothing to {verb}", field="request")

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
