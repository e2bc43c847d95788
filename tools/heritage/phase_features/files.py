"""Files of a run of ``gammond heritage heuristic-net``: their names, and the net that they hold."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from engine.errors import DataFileError
from engine.formats.array_file import read_array_file
from engine.play.player import Player, ScorerPlayer
from nets.heritage.phase_features.net import PhaseNet
from tools.train.runs.run import BEST_FILE, CHECKPOINT_FILE

IMITATION = "imitation.npz"

_NAMED_BY_FOLDER = (CHECKPOINT_FILE, BEST_FILE)


def read_phase_net(file: Path) -> PhaseNet | None:
    """Read the phase net of a file; None if it holds other nets.

    Raises:
        DataFileError: The file cannot be read, or its net has the wrong shapes.
    """
    return _build_net(file, read_array_file(file))


def make_phase_net_player(file: Path, arrays: Mapping[str, NDArray[Any]]) -> Player | None:
    """Make the player of a phase net; None if the arrays of a file are of another kind.

    Args:
        file: Names the player, by its folder and, for another net than the run's, itself; for messages.
        arrays: What the file holds.

    Raises:
        DataFileError: The net has the wrong shapes.
    """
    net = _build_net(file, arrays)
    folder = file.resolve().parent.name
    name = folder if file.name in _NAMED_BY_FOLDER else f"{folder}-{file.stem}"
    return None if net is None else ScorerPlayer(name, net)


def _build_net(file: Path, arrays: Mapping[str, NDArray[Any]]) -> PhaseNet | None:
    if not PhaseNet.is_in(arrays):
        return None
    try:
        return PhaseNet.from_arrays(arrays)
    except DataFileError as error:
        raise DataFileError(f"{file}: {error.message}", field="net") from error
