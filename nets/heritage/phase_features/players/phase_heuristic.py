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
    """The weights and the choice."""

    phase: Annotated[
        Literal["own", "early", "mid", "late"],
        Meta(description="weights of each position's own phase, or of one phase always"),
    ] = "own"
    normalised: Annotated[bool, Meta(description="whether to divide each feature by its largest value")] = (
        True
    )
    among: Annotated[
        int,
        Meta(ge=1, le=_MAX_CANDIDATES, description="number of best plays to choose among at random"),
    ] = 1
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED, description="seed of these choices")] = 0


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
