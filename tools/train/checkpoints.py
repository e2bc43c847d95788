"""Checkpoints of ``gammond train td``: weights, and the state from which a run goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import DataFileError
from tools.train.network import Trainee, load_trainee
from tools.train.self_play import SelfPlay, TdSettings


class Checkpoint(NamedTuple):
    """The state of a run.

    Attributes:
        trainee: The weights.
        games_done: Games that led to them.
        dice: ``uint64[threads]``, the states of the workers' dice.
        cuts: How often the run went back to the best net.
    """

    trainee: Trainee
    games_done: int
    dice: NDArray[np.uint64]
    cuts: int


def load_checkpoint(file: Path) -> Checkpoint:
    """Read a checkpoint; one without ``cuts`` never went back.

    Raises:
        DataFileError: The file is missing, damaged, or no checkpoint of a run.
    """
    trainee, state = load_trainee(file)
    if missing := [name for name in ("games_done", "dice") if name not in state]:
        raise DataFileError(f"{file} is no checkpoint of a run: it has no {' and no '.join(missing)}")
    games_done = _whole_number(file, "games_done", state["games_done"])
    cuts = _whole_number(file, "cuts", state.get("cuts", np.array(0)))
    dice = state["dice"]
    if dice.ndim != 1 or dice.dtype != np.uint64:
        raise DataFileError(f"{file}: dice is uint64[threads], not {dice.dtype}{list(dice.shape)}")
    return Checkpoint(trainee, games_done, dice.astype(np.uint64), cuts)


def resumed(file: Path, settings: TdSettings) -> SelfPlay:
    """Go on from a checkpoint; from the start where there is none.

    Raises:
        DataFileError: It cannot be read, or is of a run with other settings.
    """
    if not file.exists():
        return SelfPlay(settings)
    trainee, games_done, dice, cuts = load_checkpoint(file)
    found = {"hidden": trainee.contact.hidden, "race_hidden": trainee.race.hidden, "threads": len(dice)}
    for name, value in found.items():
        if value != getattr(settings, name):
            raise DataFileError(f"{file} has {name} {value}, run.toml beside it {getattr(settings, name)}")
    return SelfPlay(settings, trainee, games_done, dice, cuts)


def _whole_number(file: Path, name: str, value: NDArray[Any]) -> int:
    if value.shape != () or value.dtype.kind not in "iu" or int(value) < 0:
        raise DataFileError(f"{file}: {name} is one whole number of 0 or more, not {value!r}")
    return int(value)
