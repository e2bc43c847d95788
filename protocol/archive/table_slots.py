"""Which of several processes has which running tables of one file."""

from __future__ import annotations

from pathlib import Path

import filelock

from engine.errors import LimitError

MAX_SLOTS = 64
"""Processes that may keep running tables in one file."""


class TableSlots:
    """Locks on the parts of a file that each belong to one process; the system frees them when it ends.

    Args:
        file: The file of the archive; its folder is there.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._held: dict[int, filelock.BaseFileLock] = {}

    def take_own(self) -> int:
        """Return a slot that no other process has.

        Raises:
            LimitError: Others have all.
            OSError: The lock cannot be made.
        """
        for slot in range(MAX_SLOTS):
            if self.try_to_take(slot):
                return slot
        raise LimitError(
            f"expected at most {MAX_SLOTS} servers with the archive {self._file}: give the others files of "
            "their own with --archive",
            field="archive",
        )

    def try_to_take(self, slot: int) -> bool:
        """Return whether a slot is this process's now.

        Raises:
            OSError: The lock cannot be made.
        """
        if slot in self._held:
            return True
        lock = filelock.FileLock(self._file.with_name(f".{self._file.name}.{slot}.lock"), blocking=False)
        try:
            lock.acquire()
        except filelock.Timeout:
            return False
        self._held[slot] = lock
        return True

    def release(self) -> None:
        """Give all slots back."""
        for lock in self._held.values():
            lock.release()
        self._held.clear()
