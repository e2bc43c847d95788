"""Players by name, those included that only measurements know."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from engine.errors import DataFileError, FormatError
from engine.players import EvaluatorPlayer, Player
from nets.loading import load_player, net_hashes
from tools.gnubg.nets import GnubgPlayer
from tools.train.ascend.runs import ascended_player
from tools.train.classic.player import classic_player
from tools.train.files import read_arrays
from tools.train.heuristic_net.files import phase_net_player
from tools.train.mimic.runs import load_run_player, net_file_of
from tools.train.net_set import net_set_of, nets_file

PLAYER_HELP = (
    "a player of 'gammond players', options behind a colon: 'default', 'NAME:plies=2,filter=narrow', "
    "'NAME:level=casual', 'pubeval', 'random:seed=3', 'run:FOLDER' (the nets of a training run; or "
    "'run:FILE.npz', 'run:FILE.txt'), 'gnubg' (0 plies, or 'gnubg:plies=1', where the package gnubg-nn is "
    "installed), "
    "'wildbg:FOLDER' (where its contact.onnx and race.onnx are)"
)
"""For the help of commands that take a player."""

RUN = "run:"
"""Before the folder of a training run, or a file of nets in it, in the name of a player."""

_READERS: tuple[Callable[[Path, Mapping[str, NDArray[Any]]], Player | None], ...] = (
    ascended_player,
    phase_net_player,
    classic_player,
)
"""What makes a player of a run's file and its arrays, or None where they are of another kind; what none of
them reads is a set of nets by phase."""

_GNUBG = "gnubg"
_WITH_PLIES = re.compile(r"gnubg(?::plies=([0-9]{1,9}))?")


def load_opponent(name: str) -> Player:
    """Load a player.

    Args:
        name: What `nets.loading.load_player` takes; ``gnubg``, with ``:plies=N`` behind it to look ahead; or
            ``run:PATH`` with the folder of a training run (its best nets, or its last where none were
            measured), a file of nets, or a net as text (`nets.gengammon`).

    Raises:
        FormatError: An option cannot be read.
        ValueRangeError: No player has this name, or the value of an option is out of range.
        UnsupportedError: A package is missing that plays it.
        DataFileError: As `nets.loading.load_player`; or a run has no nets that can be read.
    """
    if name.startswith(RUN):
        return _player_of_run(_file_of_run(name))
    if not _is_gnubg(name):
        return load_player(name)
    found = _WITH_PLIES.fullmatch(name)
    if not found:
        raise FormatError(
            f"gnubg takes the option plies alone, as in gnubg:plies=1, not {name[:80]!r}", field="player"
        )
    return GnubgPlayer(int(found[1] or 0))


def opponent_hashes(name: str, *, with_finder: bool = True) -> dict[str, str]:
    """sha256 of a player's nets, as `nets.loading.net_hashes`; of the file of a run, and none of gnubg's.

    Raises:
        GammondError: As `load_opponent`.
    """
    if name.startswith(RUN):
        return _hash_of_run(_file_of_run(name))
    return {} if _is_gnubg(name) else net_hashes(name, with_finder=with_finder)


def _is_gnubg(name: str) -> bool:
    return name.partition(":")[0] == _GNUBG


def _file_of_run(name: str) -> Path:
    path = Path(name.removeprefix(RUN))
    return net_file_of(path) or nets_file(path)


def _player_of_run(file: Path) -> Player:
    if file.suffix == ".txt":
        return load_run_player(file)
    arrays = read_arrays(file)
    for read in _READERS:
        if (player := read(file, arrays)) is not None:
            return player
    return EvaluatorPlayer(net_set_of(file, arrays).evaluator())


def _hash_of_run(file: Path) -> dict[str, str]:
    try:
        return {file.as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()}
    except OSError as error:
        raise DataFileError(f"{file} cannot be read: {error.strerror}", field="player") from error
