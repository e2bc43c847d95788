"""Who takes part in a tournament, and what each plays with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from engine.analysis.engine import CACHE_COLUMNS, Engine
from engine.bearoff import load_bearoff
from engine.errors import UnsupportedError, ValueRangeError
from engine.play.decider import Decider, SearchPlayer
from engine.play.player import EvaluatorPlayer, Player
from engine.play.variant_player import adapt_to_rules
from engine.rules.rules import STANDARD_RULES, Rules
from engine.search import ValueCache
from nets.catalogue import load_pruner
from tools.opponents import load_opponent

_MAX_CACHED_PLAYERS = 64
"""Players that a process keeps loaded."""


@dataclass(frozen=True)
class Entrant:
    """A player of a tournament.

    Attributes:
        name: What the command called it.
        title: What it calls itself.
        nets: sha256 by name of the net.
        is_deep: Whether it takes its time.
    """

    name: str
    title: str
    nets: dict[str, str]
    is_deep: bool


def load_entrants(
    names: Sequence[str], *, has_cube: bool, cube_by: str = "", game: Rules = STANDARD_RULES
) -> list[Entrant]:
    """Load all players once, so that whatever is wrong with one is said before the games begin.

    Args:
        names: What `tools.opponents.load_opponent` takes.
        has_cube: Whether all of them must handle the cube.
        cube_by: As `load_cube_player` takes it.
        game: The rules that all of them must play by.

    Raises:
        ValueRangeError: Fewer than two players, or one stands twice.
        UnsupportedError: A player cannot play by these rules.
        GammondError: As `tools.opponents.load_opponent`, and `load_cube_player` where the cube is in play.
    """
    if len(names) < 2:
        raise ValueRangeError(f"a tournament has two players or more, not {len(names)}", field="player")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueRangeError(f"{twice[0]!r} stands twice among the players", field="player")
    for name in names:
        if has_cube:
            load_cube_player(name, cube_by)
        if game != STANDARD_RULES:
            adapt_to_rules(load_cached_player(name), game)
    return [load_entrant(name) for name in names]


def load_entrant(name: str) -> Entrant:
    """Load a player, and say what it plays with.

    Raises:
        GammondError: As `tools.opponents.load_opponent`.
    """
    player = load_cached_player(name)
    return Entrant(name, player.name, dict(player.nets), player.is_deep)


@lru_cache(_MAX_CACHED_PLAYERS)
def load_cached_player(name: str) -> Player:
    """Load a player, once per process.

    Raises:
        GammondError: As `tools.opponents.load_opponent`.
    """
    return load_opponent(name)


@lru_cache(_MAX_CACHED_PLAYERS)
def load_cube_player(name: str, cube_by: str = "") -> Decider:
    """Load a player that handles the cube: an evaluator, with or without look-ahead and errors.

    Args:
        name: What `tools.opponents.load_opponent` takes.
        cube_by: An evaluator that handles the cube for a player without cube decisions; empty for none.

    Raises:
        UnsupportedError: The player, or who handles its cube, chooses plays and has no cube decisions.
        GammondError: As `tools.opponents.load_opponent`.
    """
    player = load_cached_player(name)
    match player:
        case SearchPlayer(decider=chooser):
            return chooser.with_settings(replace(chooser.settings, is_cubeful=True))
        case EvaluatorPlayer(evaluator=evaluator):
            cache = ValueCache(columns=CACHE_COLUMNS)
            exact = (load_bearoff().two_sided,)
            return Decider(Engine(evaluator, load_pruner(), exact=exact, cache=cache))
    if cube_by:
        judge = load_cube_player(cube_by)
        return Decider(judge.engine, judge.settings, player=player)
    raise UnsupportedError(
        f"{name!r} has no cube decisions: an evaluator plays with the cube, with or without options, or "
        "handles it for others (--cube-by)",
        field="player",
    )
