"""The options that say how strongly this engine plays, for tools in which it plays against others."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from engine.analysis.levels import DEFAULT_LEVEL, LEVELS, EvalSettings, find_level
from engine.errors import UnsupportedError
from engine.play.decider import Decider
from engine.search import FILTERS, MAX_PLIES
from engine.search.filters import DEFAULT_FILTER

STRENGTH_OPTIONS = ("level", "plies", "filter")
"""The options that `add_strength_arguments` declares, as attributes of the parsed arguments."""


@dataclass(frozen=True)
class PlayingStrength:
    """How strongly this engine plays.

    Attributes:
        name: What reports call it: a level, or plies and filter.
        settings: How deep plays and cube are judged.
        noise_points: As `engine.play.decider.Decider` takes it.
    """

    name: str
    settings: EvalSettings
    noise_points: float


def add_strength_arguments(parser: argparse.ArgumentParser, scope: str = "") -> None:
    """Declare ``--level``, ``--plies`` and ``--filter``.

    Args:
        parser: Where they go.
        scope: What the help of each begins with.
    """
    parser.add_argument(
        "--level", choices=LEVELS, help=f"{scope}how strongly it plays (default {DEFAULT_LEVEL})"
    )
    parser.add_argument(
        "--plies",
        type=int,
        help=f"{scope}in place of a level, plies of look-ahead for plays and cube, {MAX_PLIES} at most",
    )
    parser.add_argument(
        "--filter",
        choices=FILTERS,
        help=f"{scope}which plays are looked at deeper (default the level's, with --plies {DEFAULT_FILTER})",
    )


def add_player_argument(parser: argparse.ArgumentParser, scope: str = "") -> None:
    """Declare ``--player``.

    Args:
        parser: Where it goes.
        scope: What its help begins with.
    """
    parser.add_argument(
        "--player",
        metavar="NAME",
        help=f"{scope}who chooses plays in place of the net, which keeps the cube (see 'gammond players')",
    )


def read_strength(args: argparse.Namespace) -> PlayingStrength:
    """Read the options.

    Args:
        args: Parsed arguments with `STRENGTH_OPTIONS`.

    Raises:
        UnsupportedError: A level together with plies.
        ValueRangeError: The plies are out of range, or something has another name.
    """
    if args.level is not None and args.plies is not None:
        raise UnsupportedError("--level and --plies exclude each other: a level has its plies", field="plies")
    known = find_level(args.level or DEFAULT_LEVEL)
    if args.plies is None and args.filter is None:
        return PlayingStrength(known.name, EvalSettings(known.plies, known.filter_name), known.noise_points)
    filter_name = args.filter or (DEFAULT_FILTER if args.level is None else known.filter_name)
    depth = EvalSettings(known.plies if args.plies is None else args.plies, filter_name)
    return PlayingStrength(f"{depth.plies}-ply {depth.filter_name}", depth, known.noise_points)


def load_decider(
    net: str, playing_strength: PlayingStrength, threads: int, seed: int = 0, player: str | None = None
) -> Decider:
    """Load who plays.

    Args:
        net: What `nets.catalogue.load_engine` takes.
        playing_strength: How strongly.
        threads: How many threads work on one answer.
        seed: Of the errors of weak levels.
        player: Who chooses the plays in place of the net, as `tools.opponents.load_opponent` takes it; the
            cube stays with the net.

    Raises:
        GammondError: As `nets.catalogue.load_engine` and `tools.opponents.load_opponent`, or a negative seed.
    """
    from nets.catalogue import load_engine

    engine = load_engine(net, threads)
    settings, noise_points = playing_strength.settings, playing_strength.noise_points
    if player is None:
        return Decider(engine, settings, noise_points, seed)
    from tools.opponents import load_opponent

    return Decider(engine, settings, noise_points, seed, player=load_opponent(player))
