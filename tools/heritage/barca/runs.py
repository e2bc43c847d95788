"""The results of runs of ``gammond heritage ascend``: vectors in files, and their players."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from engine.errors import DataFileError
from engine.play.player import Player
from tools.heritage.barca.families import FAMILY_NAMES, get_family


def make_ascend_player(file: Path, arrays: Mapping[str, NDArray[Any]]) -> Player | None:
    """Make the player of a run's best vector; None where the arrays of a file are of another kind.

    Args:
        file: For messages.
        arrays: What the file holds.

    Raises:
        DataFileError: The vector is damaged.
    """
    if not {"player", "vector"} <= arrays.keys():
        return None
    name = str(arrays["player"])
    if name not in FAMILY_NAMES:
        raise DataFileError(
            f"{file} holds weights of {name[:40]!r}, expected one of {', '.join(FAMILY_NAMES)}"
        )
    family = get_family(name)
    try:
        return family.make_player(family.space.parse(arrays, "vector"))
    except DataFileError as error:
        raise DataFileError(f"{file}: {error.message}") from error
