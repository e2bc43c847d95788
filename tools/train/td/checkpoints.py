"""Checkpoints of ``gammond train td``: weights, and the state from which a run resumes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gammond.engine.errors import DataFileError
from gammond.tools.train.runs.run import read_count
from gammond.tools.train.weights.td_nets import TdNets, td_nets_from_arrays


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


def parse_td_checkpoint(name: str, arrays: Mapping[str, NDArray[Any]]) -> TdCheckpoint:
    """Read a checkpoint from its arrays; one without ``cuts`` never went back.

    Args:
        name: Of the nets.
        arrays: All that the file holds.

    Raises:
        DataFileError: An array is missing, or not as it should be.
    """
    nets, state = td_nets_from_arrays(name, arrays)
    if missing := [name for name in ("games_done", "dice") if name not in state]:
        raise DataFileError(f"expected a checkpoint of a run, missing {' and '.join(missing)}")
    games_done = read_count(state, "games_done")
    cuts = read_count({"cuts": np.array(0), **state}, "cuts")
    dice = state["dice"]
    if dice.ndim != 1 or dice.dtype != np.uint64:
        raise DataFileError(f"expected dice as uint64[threads], got {dice.dtype}{list(dice.shape)}")
    return TdCheckpoint(nets, games_done, dice.astype(np.uint64), cuts)
