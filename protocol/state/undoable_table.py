"""Changes of a table that can be undone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from typing import Generic, TypeVar

from gammond.engine.errors import StateError

StepT = TypeVar("StepT")
"""All of a table that comes back when a change is undone."""


class UndoableTable(ABC, Generic[StepT]):
    """A table whose changes can be undone, and done again.

    Args:
        undo_steps: How many changes are kept.
    """

    def __init__(self, undo_steps: int) -> None:
        self._undo_stack: deque[StepT] = deque(maxlen=undo_steps)
        self._redo_stack: list[StepT] = []

    @abstractmethod
    def _describe_step(self) -> StepT:
        """Return what the present state is."""

    @abstractmethod
    def _go_to(self, step: StepT) -> None:
        """Let a state be the present one."""

    def _begin_change(self) -> None:
        """Let `undo` take back what changes from now on; what was taken back before is gone."""
        self._undo_stack.append(self._describe_step())
        self._redo_stack.clear()

    def undo(self) -> None:
        """Take back the last change.

        Raises:
            StateError: There is none.
        """
        if not self._undo_stack:
            raise StateError("nothing to undo", field="request")
        self._redo_stack.append(self._describe_step())
        self._go_to(self._undo_stack.pop())

    def redo(self) -> None:
        """Do again what was taken back last.

        Raises:
            StateError: Nothing was, or the table has changed since.
        """
        if not self._redo_stack:
            raise StateError("nothing to redo", field="request")
        self._undo_stack.append(self._describe_step())
        self._go_to(self._redo_stack.pop())

    @property
    def can_undo(self) -> bool:
        """Whether a change can be taken back."""
        return bool(self._undo_stack)

    @property
    def can_redo(self) -> bool:
        """Whether something was taken back, and nothing changed since."""
        return bool(self._redo_stack)
