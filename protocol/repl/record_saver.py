"""The file that ``save`` writes."""

from __future__ import annotations

import os
from pathlib import Path

from engine.errors import DataFileError


class RecordSaver:
    """Writes records, and never over the file of someone else."""

    def __init__(self) -> None:
        self._written: set[str] = set()

    def write(self, name: str, text: str) -> None:
        """Write a record.

        Args:
            name: Of the file; an existing one is overwritten only if this object wrote it.
            text: The record.

        Raises:
            DataFileError: The file exists, or cannot be written.
        """
        file = Path(os.path.expanduser(name))  # a path's own way fails on users that there are not
        try:
            with file.open("w" if name in self._written else "x", encoding="utf-8") as out:
                out.write(text)
        except FileExistsError as error:
            raise DataFileError(f"{name} exists already: choose another name", field="save") from error
        except (OSError, ValueError) as error:
            raise DataFileError(f"{name} cannot be written: {error}", field="save") from error
        self._written.add(name)
