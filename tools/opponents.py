"""Players by name, those included that only measurements know."""

from __future__ import annotations

import re

from engine.errors import FormatError
from engine.players import Player
from engine.search_player import SearchPlayer
from nets.loading import load_player, net_hashes
from tools.gnubg_nets import GnubgPlayer

PLAYER_HELP = (
    "'default', an evaluator of the manifest, 'pubeval', 'random', 'gnubg' (0 plies, or 'gnubg:plies=1', "
    "where the package gnubg-nn is installed) or 'wildbg:FOLDER' (where its contact.onnx and race.onnx are); "
    "an evaluator of the manifest may have options behind it: 'td128:plies=2,filter=narrow', "
    "'td128:level=casual'"
)
"""For the help of commands that take a player."""

_GNUBG = "gnubg"
_WITH_PLIES = re.compile(r"gnubg(?::plies=([0-9]{1,9}))?")


def load_opponent(name: str) -> Player:
    """Load a player.

    Args:
        name: What `nets.loading.load_player` takes; or ``gnubg``, with ``:plies=N`` behind it to look ahead.

    Raises:
        FormatError: An option cannot be read.
        ValueRangeError: No player has this name, or the value of an option is out of range.
        UnsupportedError: A package is missing that plays it.
        DataFileError: As `nets.loading.load_player`.
    """
    if not _is_gnubg(name):
        return load_player(name)
    found = _WITH_PLIES.fullmatch(name)
    if not found:
        raise FormatError(
            f"gnubg takes the option plies alone, as in gnubg:plies=1, not {name[:80]!r}", field="player"
        )
    return GnubgPlayer(int(found[1] or 0))


def opponent_hashes(name: str, *, with_finder: bool = True) -> dict[str, str]:
    """sha256 of a player's nets, as `nets.loading.net_hashes`; none of gnubg's are known."""
    return {} if _is_gnubg(name) else net_hashes(name, with_finder=with_finder)


def is_deep(player: Player) -> bool:
    """Whether a player takes its time: it decides one position at a time and may look ahead."""
    return isinstance(player, SearchPlayer) or (isinstance(player, GnubgPlayer) and player.plies > 0)


def _is_gnubg(name: str) -> bool:
    return name.partition(":")[0] == _GNUBG
