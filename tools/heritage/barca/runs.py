"""The results of runs of ``gammond heritage ascend``: vectors in files, and their players."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError
from engine.play.player import Player
from tools.heritage.barca.families import FAMILY_NAMES, Vector, get_family


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
    try:
        return get_family(name).make_player(parse_vector(arrays, "vector", name))
    except DataFileError as error:
        raise DataFileError(f"{file}: {error.message}") from error


def parse_vector(arrays: Mapping[str, NDArray[Any]], key: str, player: str) -> Vector:
    """Read the weights of a player from a file's arrays.

    Args:
        arrays: What the file holds.
        key: The name of the array.
        player: One of `FAMILY_NAMES`.

    Raises:
        DataFileError: They are missing, or not as many numbers as the player has weights.
    """
    weights = len(get_family(player).names)
    vector = arrays.get(key, np.empty(0))
    if vector.dtype.kind != "f" or vector.shape != (weights,) or not np.isfinite(vector).all():
        raise DataFileError(
            f"expected {key} as {weights} finite weights of {player}, got {vector.dtype}{list(vector.shape)}"
        )
    return vector.astype(np.float64)
