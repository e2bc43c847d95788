"""``phase-heuristic``: the best play by hand-made features weighted by the phase of the game."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from engine.dice import MAX_SEED
from engine.players import Player, ScorerPlayer
from nets.best_few import BestFewPlayer
from nets.phase_features import GamePhase
from nets.phase_heuristic import PhaseHeuristic
from nets.player_kinds import PlayerKind

_MOST = 100


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
        int, Meta(ge=1, le=_MOST, description="how many of its best plays it chooses among by chance")
    ] = 1
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED, description="of those choices")] = 0


def _made(options: PhaseHeuristicOptions, _: Path) -> Player:
    phase = None if options.phase == "own" else GamePhase[options.phase.upper()]
    scorer = PhaseHeuristic(phase, is_normalised=options.normalised)
    name = KIND.called(options)
    if options.among == 1:
        return ScorerPlayer(name, scorer)
    return BestFewPlayer(name, scorer, options.among, options.seed)


KIND = PlayerKind(
    "phase-heuristic",
    "the best play by 16 features weighted by hand for early, mid and late game",
    PhaseHeuristicOptions,
    _made,
)
