"""Files of the terminal's state: written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import msgspec

from gammond.engine.errors import DataFileError
from gammond.engine.runtime.files import open_output


def write_state(file: Path, content: msgspec.Struct) -> None:
    """Write a state as JSON; the old file stays until the new one is whole.

    Raises:
        DataFileError: The file cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with open_output(file) as out:
            out.write(msgspec.json.encode(content))
    except OSError as error:
        raise DataFileError(f"the game is not saved: {error}", field="game") from error
