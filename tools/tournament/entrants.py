"""The players of a tournament and the nets that they play with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from gammond.engine.errors import UnsupportedError, ValueRangeError
from gammond.engine.play.decider import Decider, SearchPlayer
from gammond.engine.play.player import EvaluatorPlayer, Player
from gammond.tools.common.opponents import load_net_engine, load_opponent

_MAX_CACHED_PLAYERS = 64
"""Players that a process keeps loaded."""


@dataclass(frozen=True)
class Entrant:
    """A player of a tournament.

    Attributes:
        name: As the command has it.
        title: The player's own name.
        nets: sha256 by name of the net.
        is_deep: Whether it takes its time over a play.
    """

    name: str
    title: str
    nets: dict[str, str]
    is_deep: bool


def check_players(names: Sequence[str]) -> None:
    """Check that there are players enough.

    Raises:
        ValueRangeError: Fewer than two, or one of them twice.
    """
    if len(names) < 2:
        raise ValueRangeError(f"expected two players or more, got {len(names)}", field="player")
    duplicates = sorted({name for name in names if names.count(name) > 1})
    if duplicates:
        raise ValueRangeError(f"duplicate player {duplicates[0]!r}", field="player")


def load_entrant(name: str) -> Entrant:
    """Load a player and list its nets.

    Raises:
        GammondError: As `gammond.tools.common.opponents.load_opponent`.
    """
    player = load_cached_player(name)
    return Entrant(name, player.name, dict(player.nets), player.is_deep)


@lru_cache(_MAX_CACHED_PLAYERS)
def load_cached_player(name: str) -> Player:
    """Load a player, once per process.

    Raises:
        GammondError: As `gammond.tools.common.opponents.load_opponent`.
    """
    return load_opponent(name)


@lru_cache(_MAX_CACHED_PLAYERS)
def load_cube_player(name: str, cube_by: str = "") -> Decider:
    """Load a player with cube decisions: an evaluator, with or without look-ahead and noise.

    Args:
        name: As for `gammond.tools.common.opponents.load_opponent`.
        cube_by: An evaluator that makes the cube decisions of a player without its own; empty for none.

    Raises:
        UnsupportedError: The player has no cube decisions, nor has `cube_by`.
        GammondError: As `gammond.tools.common.opponents.load_opponent`.
    """
    player = load_cached_player(name)
    match player:
        case SearchPlayer(decider=decider):
            return decider.with_settings(replace(decider.settings, is_cubeful=True))
        case EvaluatorPlayer():
            return Decider(load_net_engine(name))
    if cube_by:
        cube_decider = load_cube_player(cube_by)
        return Decider(cube_decider.engine, cube_decider.settings, player=player)
    raise UnsupportedError(
        f"{name!r} has no cube decisions: expected an evaluator, with or without options, or one that makes "
        "them for this player (--cube-by)",
        field="player",
    )
