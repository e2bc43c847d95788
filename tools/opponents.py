"""Players by name, those included that only measurements know."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from engine.errors import DataFileError, FormatError
from engine.play.player import EvaluatorPlayer, Player
from nets.catalogue import collect_net_hashes, load_player
from tools.files import read_arrays
from tools.gnubg.nets import GnubgPlayer
from tools.heritage.barca.runs import make_ascend_player
from tools.heritage.computational_backgammon.net_set import make_classic_player
from tools.heritage.gengammon.runs import find_net_file, load_run_player
from tools.heritage.phase_features.files import make_phase_net_player
from tools.train.weights.net_set import find_nets_file, net_set_from_arrays

PLAYER_HELP = (
    "a player of 'gammond players', options behind a colon: 'default', 'NAME:plies=2,filter=narrow', "
    "'NAME:level=casual', 'pubeval', 'random:seed=3', 'run:FOLDER' (the nets of a training run; or "
    "'run:FILE.npz', 'run:FILE.txt'), 'gnubg' (0 plies, or 'gnubg:plies=1', where the package gnubg-nn is "
    "installed), "
    "'wildbg:FOLDER' (where its contact.onnx and race.onnx are)"
)
"""For the help of commands that take a player."""

RUN_PREFIX = "run:"
"""Before the folder of a training run, or a file of nets in it, in the name of a player."""

_RUN_LOADERS: tuple[Callable[[Path, Mapping[str, NDArray[Any]]], Player | None], ...] = (
    make_ascend_player,
    make_phase_net_player,
    make_classic_player,
)
"""What makes a player of a run's file and its arrays, or None where they are of another kind; what none of
them reads is a set of nets by phase."""

_GNUBG = "gnubg"
_GNUBG_PATTERN = re.compile(r"gnubg(?::plies=([0-9]{1,9}))?")


def load_opponent(name: str) -> Player:
    """Load a player.

    Args:
        name: What `catalogue.load_player` takes; ``gnubg``, with ``:plies=N`` behind it to look ahead; or
            ``run:PATH`` with the folder of a training run (its best nets, or its last where none were
            measured), a file of nets, or a net as text (`nets.heritage.gengammon.net`).

    Raises:
        FormatError: An option cannot be read.
        ValueRangeError: No player has this name, or the value of an option is out of range.
        UnsupportedError: A package is missing that plays it.
        DataFileError: As `nets.catalogue.load_player`; or a run has no nets that can be read.
    """
    if name.startswith(RUN_PREFIX):
        return _load_run_file(_find_run_file(name))
    if not _is_gnubg(name):
        return load_player(name)
    found = _GNUBG_PATTERN.fullmatch(name)
    if not found:
        raise FormatError(
            f"gnubg takes the option plies alone, as in gnubg:plies=1, not {name[:80]!r}", field="player"
        )
    return GnubgPlayer(int(found[1] or 0))


def hash_opponent_nets(name: str, *, with_pruning_net: bool = True) -> dict[str, str]:
    """Return sha256 by name of a player's nets; a run counts as one file, gnubg as none.

    Raises:
        GammondError: As `load_opponent`.
    """
    if name.startswith(RUN_PREFIX):
        return _hash_run_file(_find_run_file(name))
    return {} if _is_gnubg(name) else collect_net_hashes(name, with_pruner=with_pruning_net)


def _is_gnubg(name: str) -> bool:
    return name.partition(":")[0] == _GNUBG


def _find_run_file(name: str) -> Path:
    path = Path(name.removeprefix(RUN_PREFIX))
    return find_net_file(path) or find_nets_file(path)


def _load_run_file(file: Path) -> Player:
    if file.suffix == ".txt":
        return load_run_player(file)
    arrays = read_arrays(file)
    for read in _RUN_LOADERS:
        if (player := read(file, arrays)) is not None:
            return player
    return EvaluatorPlayer(net_set_from_arrays(file, arrays).make_evaluator())


def _hash_run_file(file: Path) -> dict[str, str]:
    try:
        return {file.as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()}
    except OSError as error:
        raise DataFileError(f"{file} cannot be read: {error.strerror}", field="player") from error
