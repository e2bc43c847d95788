"""The file that ``save`` writes."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from gammond.engine.errors import DataFileError
from gammond.engine.runtime.files import check_output, open_output


class RecordSaver:
    """Writes records, and never over what is not in them."""

    def __init__(self) -> None:
        self._written: dict[str, bytes] = {}

    def write(self, name: str, content: bytes) -> None:
        """Write a record, whole or not at all.

        Args:
            name: Of the file; an existing one is overwritten only if it is as this object wrote it, or if the
                record begins with all that is in it.
            content: The record.

        Raises:
            StateError: The file exists.
            DataFileError: It cannot be written.
        """
        file = Path(os.path.expanduser(name))  # a path's own way fails on users that there are not
        check_output(file, force=None, is_own=partial(self._is_older, name, content), field="save")
        try:
            with open_output(file) as out:
                out.write(content)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise DataFileError(f"{name} cannot be written: {reason}", field="save") from error
        self._written[name] = content

    def _is_older(self, name: str, content: bytes, file: Path) -> bool:
        """Return whether a file has an earlier record, of this object or of what the new one begins with."""
        before = self._written.get(name, b"")
        with file.open("rb") as opened:
            there = opened.read(max(len(content), len(before)) + 1)
        return there == before or content.startswith(there)
