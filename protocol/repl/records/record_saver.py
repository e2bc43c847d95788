"""The file that ``save`` writes."""

from __future__ import annotations

import os
from pathlib import Path

from engine.errors import DataFileError


class RecordSaver:
    """Writes records, and never over what is not in them."""

    def __init__(self) -> None:
        self._written: set[str] = set()

    def write(self, name: str, text: str) -> None:
        """Write a record.

        Args:
            name: Of the file; an existing one is overwritten only if this object wrote it, or if the record
                begins with all that is in it.
            text: The record.

        Raises:
            DataFileError: The file exists, or cannot be written.
        """
        file = Path(os.path.expanduser(name))  # a path's own way fails on users that there are not
        try:
            is_own = name in self._written or _begins_with(text, file)
            with file.open("w" if is_own else "x", encoding="utf-8") as out:
                out.write(text)
        except FileExistsError as error:
            raise DataFileError(
                f"{name} exists already, with other games: choose another name, or remove it first",
                field="save",
            ) from error
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise DataFileError(f"{name} cannot be written: {reason}", field="save") from error
        self._written.add(name)


def _begins_with(text: str, file: Path) -> bool:
    """Return whether a record begins with all that is in a file."""
    try:
        with file.open("rb") as there:
            content = there.read(len(text.encode()) + 1)
    except FileNotFoundError:
        return False
    return bool(content) and text.encode().startswith(content)
