"""``merit``: one of the five best plays at random, the better ones more often."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from engine.options import CHOICES
from engine.play.player import Player
from engine.rules.dice import MAX_SEED
from nets.catalogue import DEFAULT_EVALUATOR
from nets.heritage.barca.leaf_evaluators import collect_leaf_net_hashes, list_leaf_evaluators
from nets.heritage.barca.star import MAX_STAR_PLIES
from nets.heritage.barca.weighted_choice import DEFAULT_CANDIDATES
from nets.heritage.barca.weighted_choice_players import MAX_CANDIDATES, load_weighted_choice_player
from nets.player_kinds import PlayerKind


class WeightedChoiceOptions(Struct, frozen=True):
    """The evaluator, and the way to choose."""

    of: Annotated[str, Meta(extra={CHOICES: list_leaf_evaluators}, description="evaluator of the plays")] = (
        DEFAULT_EVALUATOR
    )
    plies: Annotated[int, Meta(ge=0, le=MAX_STAR_PLIES, description="look-ahead")] = 0
    among: Annotated[
        int, Meta(ge=1, le=MAX_CANDIDATES, description="number of best plays to choose among")
    ] = DEFAULT_CANDIDATES
    rising: Annotated[bool, Meta(description="whether better plays weigh more than in proportion")] = True
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED, description="seed of its choices")] = 0


def _make(options: WeightedChoiceOptions, manifest_file: Path) -> Player:
    name, seed = KIND.format_name(options), options.seed
    few, is_rising = options.among, options.rising
    return load_weighted_choice_player(
        name, options.of, options.plies, manifest_file, max_candidates=few, is_rising=is_rising, seed=seed
    )


KIND = PlayerKind(
    "merit",
    "one of the five best plays at random, the better ones more often",
    WeightedChoiceOptions,
    _make,
    is_deep=lambda options: options.plies > 0,
    net_hashes=lambda options, manifest_file: collect_leaf_net_hashes(
        options.of, options.plies, manifest_file
    ),
)
