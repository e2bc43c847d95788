"""Players by name, those included that only measurements know."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from engine.errors import DataFileError, FormatError
from engine.players import EvaluatorPlayer, Player
from engine.search_player import SearchPlayer
from nets.loading import load_player, net_hashes
from tools.gnubg.nets import GnubgPlayer
from tools.train.net_set import nets_file, read_net_set

PLAYER_HELP = (
    "a player of 'gammond players', options behind a colon: 'default', 'NAME:plies=2,filter=narrow', "
    "'NAME:level=casual', 'pubeval', 'random:seed=3', 'run:FOLDER' (the nets of a training run; or "
    "'run:FILE.npz'), 'gnubg' (0 plies, or 'gnubg:plies=1', where the package gnubg-nn is installed), "
    "'wildbg:FOLDER' (where its contact.onnx and race.onnx are)"
)
"""For the help of commands that take a player."""

RUN = "run:"
"""Before the folder of a training run, or a file of nets in it, in the name of a player."""

_GNUBG = "gnubg"
_WITH_PLIES = re.compile(r"gnubg(?::plies=([0-9]{1,9}))?")


def load_opponent(name: str) -> Player:
    """Load a player.

    Args:
        name: What `nets.loading.load_player` takes; ``gnubg``, with ``:plies=N`` behind it to look ahead; or
            ``run:PATH`` with the folder of a training run (its best nets, or its last where none were
            measured) or a file of nets.

    Raises:
        FormatError: An option cannot be read.
        ValueRangeError: No player has this name, or the value of an option is out of range.
        UnsupportedError: A package is missing that plays it.
        DataFileError: As `nets.loading.load_player`; or a run has no nets that can be read.
    """
    if name.startswith(RUN):
        nets = read_net_set(_file_of_run(name))
        return EvaluatorPlayer(nets.evaluator())
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


def is_deep(player: Player) -> bool:
    """Whether a player takes its time: it decides one position at a time and may look ahead."""
    return isinstance(player, SearchPlayer) or (isinstance(player, GnubgPlayer) and player.plies > 0)


def _is_gnubg(name: str) -> bool:
    return name.partition(":")[0] == _GNUBG


def _file_of_run(name: str) -> Path:
    return nets_file(Path(name.removeprefix(RUN)))


def _hash_of_run(file: Path) -> dict[str, str]:
    try:
        return {file.as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()}
    except OSError as error:
        raise DataFileError(f"{file} cannot be read: {error.strerror}", field="player") from error
