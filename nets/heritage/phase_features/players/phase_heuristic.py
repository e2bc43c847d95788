"""``phase-heuristic``: the best play by hand-made features weighted by the phase of the game."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from engine.play.player import Player, ScorerPlayer
from engine.rules.dice import MAX_SEED
from nets.heritage.phase_features.features import GamePhase
from nets.heritage.phase_features.heuristic import PhaseHeuristicScorer
from nets.heritage.phase_features.uniform_choice_player import UniformChoicePlayer
from nets.player_kinds import PlayerKind

_MAX_CANDIDATES = 100


class PhaseHeuristicOptions(Struct, frozen=True):
    """How it weighs and chooses."""

    phase: Annotated[
        Literal["own", "early", "mid", "late"],
        Meta(description="whose weights count: those of each position's own phase, or always the same"),
    ] = "own"
    normalised: Annotated[
        bool, Meta(description="whether each feature is divided by its largest value before it is weighted")
    ] = True
    among: Annotated[
        int,
        Meta(ge=1, le=_MAX_CANDIDATES, description="how many of its best plays it chooses among by chance"),
    ] = 1
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED, description="of those choices")] = 0


def _make(options: PhaseHeuristicOptions, _: Path) -> Player:
    phase = None if options.phase == "own" else GamePhase[options.phase.upper()]
    scorer = PhaseHeuristicScorer(phase, is_normalised=options.normalised)
    name = KIND.format_name(options)
    if options.among == 1:
        return ScorerPlayer(name, scorer)
    return UniformChoicePlayer(name, scorer, options.among, options.seed)


KIND = PlayerKind(
    "phase-heuristic",
    "the best play by 16 features weighted by hand for early, mid and late game",
    PhaseHeuristicOptions,
    _make,
)
