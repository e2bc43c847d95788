"""Checkpoints of ``gammond train td``: weights, and the state from which a run goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError
from tools.train.td.self_play import SelfPlay, TdSettings
from tools.train.weights.network import TdNets, load_td_nets


class TdCheckpoint(NamedTuple):
    """The state of a run.

    Attributes:
        nets: The weights.
        games_done: Games that led to them.
        dice_states: ``uint64[threads]``, the states of the workers' dice.
        cuts: How often the run went back to the best net.
    """

    nets: TdNets
    games_done: int
    dice_states: NDArray[np.uint64]
    cuts: int


def load_td_checkpoint(file: Path) -> TdCheckpoint:
    """Read a checkpoint; one without ``cuts`` never went back.

    Raises:
        DataFileError: The file is missing, damaged, or no checkpoint of a run.
    """
    trainee, state = load_td_nets(file)
    if missing := [name for name in ("games_done", "dice") if name not in state]:
        raise DataFileError(f"{file} is no checkpoint of a run: it has no {' and no '.join(missing)}")
    games_done = _read_count(file, "games_done", state["games_done"])
    cuts = _read_count(file, "cuts", state.get("cuts", np.array(0)))
    dice = state["dice"]
    if dice.ndim != 1 or dice.dtype != np.uint64:
        raise DataFileError(f"{file}: dice is uint64[threads], not {dice.dtype}{list(dice.shape)}")
    return TdCheckpoint(trainee, games_done, dice.astype(np.uint64), cuts)


def resume_self_play(file: Path, settings: TdSettings) -> SelfPlay:
    """Go on from a checkpoint; from the start where there is none.

    Raises:
        DataFileError: It cannot be read, or is of a run with other settings.
    """
    if not file.exists():
        return SelfPlay(settings)
    trainee, games_done, dice, cuts = load_td_checkpoint(file)
    found = {"hidden": trainee.contact.hidden, "race_hidden": trainee.race.hidden, "threads": len(dice)}
    for name, value in found.items():
        if value != getattr(settings, name):
            raise DataFileError(f"{file} has {name} {value}, run.toml beside it {getattr(settings, name)}")
    return SelfPlay(settings, trainee, games_done, dice, cuts)


def _read_count(file: Path, name: str, value: NDArray[Any]) -> int:
    if value.shape != () or value.dtype.kind not in "iu" or int(value) < 0:
        raise DataFileError(f"{file}: {name} is one whole number of 0 or more, not {value!r}")
    return int(value)
