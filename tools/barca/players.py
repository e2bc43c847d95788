"""Players of Barca by name, with the weights of runs too."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from gammond.engine.barca.player import BarcaPlayer, BarcaSearchPlayer, make_player
from gammond.tools.barca.self_play import FixedDepthPlayer
from gammond.tools.barca.weights import find_weights_file, read_run_weights

_RUN_WEIGHTS = re.compile(r"(?<=[:,]weights=)run:[^,]+")

_MAX_CACHED_PLAYERS = 64


@lru_cache(_MAX_CACHED_PLAYERS)
def load_player(name: str) -> BarcaPlayer:
    """Load a player, once per process.

    Args:
        name: As `gammond.engine.barca.player.make_player` takes it; ``weights=run:FOLDER`` names those of a
            run.

    Raises:
        FormatError: An option cannot be read.
        ValueRangeError: No player has this name, or an option is out of range.
        DataFileError: The run has no weights.
    """
    run = _RUN_WEIGHTS.search(name)
    if run is None:
        return make_player(name)
    return make_player(name[: run.start()] + read_run_weights(run[0]).to_text() + name[run.end() :])


def find_fixed_depth(player: BarcaPlayer) -> FixedDepthPlayer | None:
    """Return how a player plays if it makes the best move at a fixed depth; None if it is another."""
    if not isinstance(player, BarcaSearchPlayer):
        return None
    limits = player.limits
    if limits.depth is None or limits.movetime_s or limits.nodes or limits.multipv > 1:
        return None
    return FixedDepthPlayer(player.weights, limits.depth)


def find_run_file(name: str) -> Path | None:
    """Return the file with the weights of a run that a player has; None for one without."""
    run = _RUN_WEIGHTS.search(name)
    return None if run is None else find_weights_file(run[0])
