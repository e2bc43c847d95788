"""The options for this engine's playing strength, for tools in which it plays against others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta, Struct

from gammond.engine.analysis.levels import DEFAULT_LEVEL, LEVELS, EvalSettings, find_level
from gammond.engine.errors import UnsupportedError
from gammond.engine.play.decider import Decider
from gammond.engine.search import FILTERS, MAX_PLIES
from gammond.engine.search.filters import DEFAULT_FILTER
from gammond.engine.store.options import NO_STORE, StoreOptions
from gammond.tools.common.command_options import option

DEFAULT_NET = "default"
"""The strongest net, whatever its own name is."""

NET_HELP = (
    "an evaluator of 'gammond players', 'classic' with options, 'run:FOLDER' (the nets of a training run) or "
    "'wildbg:FOLDER' (default the strongest)"
)
"""For the help of options that take a net."""


@dataclass(frozen=True)
class PlayingStrength:
    """The playing strength of this engine.

    Attributes:
        name: In reports: a level, or plies and filter.
        settings: Look-ahead for plays and cube decisions.
        noise_points: As for `gammond.engine.play.decider.Decider`.
    """

    name: str
    settings: EvalSettings
    noise_points: float


def net_option(role: str = "the evaluator") -> Meta:
    """Describe ``--net``, for `gammond.tools.common.opponents.load_net_engine` and `load_net_evaluator`.

    Args:
        role: What the net does.
    """
    return option(f"{role}: {NET_HELP}", "NAME", shown="")


Net = Annotated[str, net_option()]
"""``--net``, the evaluator of a command."""


_LEVEL_HELP = f"playing strength: {', '.join(LEVELS)} (default {DEFAULT_LEVEL})"
_PLIES_HELP = f"look-ahead for plays and cube decisions in place of a level, up to {MAX_PLIES} plies"
_FILTER_HELP = f"move filter (default the level's, with --plies {DEFAULT_FILTER})"


class StrengthOptions(Struct, frozen=True, kw_only=True):
    """How strong this engine plays.

    Raises:
        UnsupportedError: Both a level and plies.
    """

    level: Annotated[str, option(_LEVEL_HELP, "NAME", choices=tuple(LEVELS))] | None = None
    plies: Annotated[int, option(_PLIES_HELP, ge=0, le=MAX_PLIES)] | None = None
    filter: Annotated[str, option(_FILTER_HELP, choices=tuple(FILTERS))] | None = None

    def __post_init__(self) -> None:
        if self.level is not None and self.plies is not None:
            raise UnsupportedError("--level sets the plies: remove --level or --plies", field="plies")

    def choose(self) -> PlayingStrength:
        """Return the strength that the options say."""
        level = find_level(self.level or DEFAULT_LEVEL)
        if self.plies is None and self.filter is None:
            return PlayingStrength(
                level.name, EvalSettings(level.plies, level.filter_name), level.noise_points
            )
        filter_name = self.filter or (DEFAULT_FILTER if self.level is None else level.filter_name)
        depth = EvalSettings(level.plies if self.plies is None else self.plies, filter_name)
        return PlayingStrength(f"{depth.plies}-ply {depth.filter_name}", depth, level.noise_points)


def player_option(scope: str = "") -> Meta:
    """Describe ``--player``; `scope` is put before its help."""
    return option(
        f"{scope}player for the plays (see 'gammond players'); the net makes the cube decisions", "NAME"
    )


def load_decider(
    net: str,
    playing_strength: PlayingStrength,
    threads: int,
    seed: int = 0,
    player: str | None = None,
    store: StoreOptions = NO_STORE,
) -> Decider:
    """Load the decider for this engine.

    Args:
        net: As for `gammond.tools.common.opponents.load_net_engine`.
        playing_strength: Its strength.
        threads: For one decision.
        seed: Of the errors of weak levels.
        player: The player that chooses the plays, as for `gammond.tools.common.opponents.load_opponent`; the
            net makes the cube decisions.
        store: As for `gammond.tools.common.opponents.load_net_engine`.

    Raises:
        GammondError: As `gammond.tools.common.opponents.load_net_engine` and `load_opponent`, or a negative
            seed.
    """
    from gammond.tools.common.opponents import load_net_engine, load_opponent

    engine = load_net_engine(net, threads, store)
    settings, noise_points = playing_strength.settings, playing_strength.noise_points
    if player is None:
        return Decider(engine, settings, noise_points, seed)
    return Decider(engine, settings, noise_points, seed, player=load_opponent(player))
