"""Files of the terminal's state: written whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from engine.errors import DataFileError


def write_state(file: Path, content: msgspec.Struct) -> None:
    """Write a state as JSON; the old file stays until the new one is whole.

    Raises:
        DataFileError: The file cannot be written.
    """
    partial = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(msgspec.json.encode(content))
        partial.replace(file)
    except OSError as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise DataFileError(f"the game is not saved: {error}", field="game") from error
