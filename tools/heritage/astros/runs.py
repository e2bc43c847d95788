"""The results of runs of ``gammond heritage ascend``: vectors in files, and their players."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.engine.play.player import Player
from gammond.tools.heritage.astros.families import FAMILY_NAMES, get_family


def make_ascend_player(file: Path, arrays: Mapping[str, NDArray[Any]]) -> Player:
    """Make the player of a run's best vector.

    Args:
        file: For messages.
        arrays: What the file holds.

    Raises:
        DataFileError: The vector is missing or damaged.
    """
    name = str(arrays.get("player", ""))
    if name not in FAMILY_NAMES:
        raise DataFileError(
            f"{file} holds weights of {name[:40]!r}, expected one of {', '.join(FAMILY_NAMES)}"
        )
    family = get_family(name)
    try:
        return family.make_player(family.space.parse(arrays, "vector"))
    except DataFileError as error:
        raise DataFileError(f"{file}: {error.message}") from error
